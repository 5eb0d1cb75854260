//! The page library: our JavaScript, one object per world.

use std::sync::LazyLock;

/// Calls a function of the library, which is `this`, by its name.
pub(crate) const CALL: &str = include_str!("../js/call.js");

/// The functions by name. Each file is a comment and one function declaration.
const FUNCTIONS: [(&str, &str); 1] = [("title", include_str!("../js/title.js"))];

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
