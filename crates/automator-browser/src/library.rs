//! The page library: our JavaScript, one object per world.
//!
//! Each file in `js/` is a comment and one function declaration. The functions become the members of one object,
//! and call each other through `this`.

use std::sync::LazyLock;

/// Calls a function of the library, which is `this`, by its name.
pub(crate) const CALL: &str = include_str!("../js/call.js");

/// The functions by name.
const FUNCTIONS: [(&str, &str); 106] = [
    ("above", include_str!("../js/above.js")),
    ("aim", include_str!("../js/aim.js")),
    ("around", include_str!("../js/around.js")),
    ("atPoint", include_str!("../js/at_point.js")),
    ("awaitState", include_str!("../js/await_state.js")),
    ("begin", include_str!("../js/begin.js")),
    ("boxes", include_str!("../js/boxes.js")),
    ("carryOut", include_str!("../js/carry_out.js")),
    ("checkable", include_str!("../js/checkable.js")),
    ("checked", include_str!("../js/checked.js")),
    ("children", include_str!("../js/children.js")),
    ("choose", include_str!("../js/choose.js")),
    ("chooseThis", include_str!("../js/choose_this.js")),
    ("compare", include_str!("../js/compare.js")),
    ("composed", include_str!("../js/composed.js")),
    ("countElements", include_str!("../js/count_elements.js")),
    ("descendants", include_str!("../js/descendants.js")),
    ("describe", include_str!("../js/describe.js")),
    ("dragBegan", include_str!("../js/drag_began.js")),
    ("drawn", include_str!("../js/drawn.js")),
    ("dropped", include_str!("../js/dropped.js")),
    ("endDragWatch", include_str!("../js/end_drag_watch.js")),
    ("endPress", include_str!("../js/end_press.js")),
    ("facts", include_str!("../js/facts.js")),
    ("fate", include_str!("../js/fate.js")),
    ("field", include_str!("../js/field.js")),
    ("fieldText", include_str!("../js/field_text.js")),
    ("fileInput", include_str!("../js/file_input.js")),
    ("filesTaken", include_str!("../js/files_taken.js")),
    ("fillEnd", include_str!("../js/fill_end.js")),
    ("fillStart", include_str!("../js/fill_start.js")),
    ("filter", include_str!("../js/filter.js")),
    ("find", include_str!("../js/find.js")),
    ("findCss", include_str!("../js/find_css.js")),
    ("findPath", include_str!("../js/find_path.js")),
    ("findText", include_str!("../js/find_text.js")),
    ("findXPath", include_str!("../js/find_x_path.js")),
    ("focus", include_str!("../js/focus.js")),
    ("hasSize", include_str!("../js/has_size.js")),
    ("heldText", include_str!("../js/held_text.js")),
    ("holds", include_str!("../js/holds.js")),
    ("holdsText", include_str!("../js/holds_text.js")),
    ("inOrder", include_str!("../js/in_order.js")),
    ("intoView", include_str!("../js/into_view.js")),
    ("isDrawn", include_str!("../js/is_drawn.js")),
    ("isElement", include_str!("../js/is_element.js")),
    ("isSpread", include_str!("../js/is_spread.js")),
    ("isStill", include_str!("../js/is_still.js")),
    ("isTyped", include_str!("../js/is_typed.js")),
    ("isVisible", include_str!("../js/is_visible.js")),
    ("judgePress", include_str!("../js/judge_press.js")),
    ("kept", include_str!("../js/kept.js")),
    ("keysArrived", include_str!("../js/keys_arrived.js")),
    ("knowRoots", include_str!("../js/know_roots.js")),
    ("layOut", include_str!("../js/lay_out.js")),
    ("leaveField", include_str!("../js/leave_field.js")),
    ("listText", include_str!("../js/list_text.js")),
    ("listed", include_str!("../js/listed.js")),
    ("listedNode", include_str!("../js/listed_node.js")),
    ("locate", include_str!("../js/locate.js")),
    ("maskPicture", include_str!("../js/mask_picture.js")),
    ("mayChoose", include_str!("../js/may_choose.js")),
    ("maySprout", include_str!("../js/may_sprout.js")),
    ("nextFrame", include_str!("../js/next_frame.js")),
    ("noText", include_str!("../js/no_text.js")),
    ("numbers", include_str!("../js/numbers.js")),
    ("obstacle", include_str!("../js/obstacle.js")),
    ("option", include_str!("../js/option.js")),
    ("paths", include_str!("../js/paths.js")),
    ("pause", include_str!("../js/pause.js")),
    ("picked", include_str!("../js/picked.js")),
    ("place", include_str!("../js/place.js")),
    ("points", include_str!("../js/points.js")),
    ("preparePicture", include_str!("../js/prepare_picture.js")),
    ("pressable", include_str!("../js/pressable.js")),
    ("purpose", include_str!("../js/purpose.js")),
    ("reach", include_str!("../js/reach.js")),
    ("reaches", include_str!("../js/reaches.js")),
    ("read", include_str!("../js/read.js")),
    ("readClipboard", include_str!("../js/read_clipboard.js")),
    ("ready", include_str!("../js/ready.js")),
    ("scroll", include_str!("../js/scroll.js")),
    ("scrollRest", include_str!("../js/scroll_rest.js")),
    ("secureOrigin", include_str!("../js/secure_origin.js")),
    ("seen", include_str!("../js/seen.js")),
    ("sendClick", include_str!("../js/send_click.js")),
    ("setValue", include_str!("../js/set_value.js")),
    ("settled", include_str!("../js/settled.js")),
    ("shadowRoot", include_str!("../js/shadow_root.js")),
    ("strings", include_str!("../js/strings.js")),
    ("takeFiles", include_str!("../js/take_files.js")),
    ("takeTurn", include_str!("../js/take_turn.js")),
    ("textField", include_str!("../js/text_field.js")),
    ("through", include_str!("../js/through.js")),
    ("title", include_str!("../js/title.js")),
    ("undoPicture", include_str!("../js/undo_picture.js")),
    ("watch", include_str!("../js/watch.js")),
    ("watchDrag", include_str!("../js/watch_drag.js")),
    ("watchDrop", include_str!("../js/watch_drop.js")),
    ("watchLeaving", include_str!("../js/watch_leaving.js")),
    ("watchRoots", include_str!("../js/watch_roots.js")),
    ("watchScroll", include_str!("../js/watch_scroll.js")),
    ("whenHeard", include_str!("../js/when_heard.js")),
    ("whenIdle", include_str!("../js/when_idle.js")),
    ("withinFrames", include_str!("../js/within_frames.js")),
    ("writeClipboard", include_str!("../js/write_clipboard.js")),
];

/// An expression whose value is the library in a world. It begins to watch the document, and is the same object
/// however often it is asked for by one owner, since functions leave in it what others need.
pub(crate) fn source(owner: &str) -> String {
    static SOURCE: LazyLock<String> = LazyLock::new(|| {
        let members: Vec<String> = FUNCTIONS
            .iter()
            .map(|(name, function)| format!("{name}:\n{function}"))
            .collect();
        format!("({{\n{}}}).begin()", members.join(",\n"))
    });
    // Our world is not that of the page's scripts, which do not see this. The first document of a frame may leave its
    // global object to the next one.
    let key = format!("globalThis[{}]", serde_json::Value::from(owner));
    format!("{key}?.document === document ? {key} : ({key} = {})", *SOURCE)
}
