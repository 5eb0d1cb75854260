//! The page library: our JavaScript, one object per world.
//!
//! Each file in `js/` is a comment and one function declaration. The functions become the members of one object,
//! and call each other through `this`.

use std::sync::LazyLock;

/// Calls a function of the library, which is `this`, by its name.
pub(crate) const CALL: &str = include_str!("../js/call.js");

/// The functions by name.
const FUNCTIONS: [(&str, &str); 24] = [
    ("children", include_str!("../js/children.js")),
    ("compare", include_str!("../js/compare.js")),
    ("composed", include_str!("../js/composed.js")),
    ("countElements", include_str!("../js/count_elements.js")),
    ("descendants", include_str!("../js/descendants.js")),
    ("dragBegan", include_str!("../js/drag_began.js")),
    ("endDragWatch", include_str!("../js/end_drag_watch.js")),
    ("facts", include_str!("../js/facts.js")),
    ("filter", include_str!("../js/filter.js")),
    ("find", include_str!("../js/find.js")),
    ("findCss", include_str!("../js/find_css.js")),
    ("findPath", include_str!("../js/find_path.js")),
    ("findXPath", include_str!("../js/find_x_path.js")),
    ("holds", include_str!("../js/holds.js")),
    ("inOrder", include_str!("../js/in_order.js")),
    ("isElement", include_str!("../js/is_element.js")),
    ("layOut", include_str!("../js/lay_out.js")),
    ("paths", include_str!("../js/paths.js")),
    ("scrollRest", include_str!("../js/scroll_rest.js")),
    ("shadowRoot", include_str!("../js/shadow_root.js")),
    ("strings", include_str!("../js/strings.js")),
    ("title", include_str!("../js/title.js")),
    ("watchDrag", include_str!("../js/watch_drag.js")),
    ("watchScroll", include_str!("../js/watch_scroll.js")),
];

/// An expression whose value is the library.
pub(crate) fn source() -> &'static str {
    static SOURCE: LazyLock<String> = LazyLock::new(|| {
        let members: Vec<String> = FUNCTIONS
            .iter()
            .map(|(name, function)| format!("{name}:\n{function}"))
            .collect();
        format!("({{\n{}}})", members.join(",\n"))
    });
    &SOURCE
}
