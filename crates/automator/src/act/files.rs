//! Which files may be given to pages: those that the caller has named. Pure.
//!
//! A model that chooses an action has read the page, and a page may have told it which file it wants.

use crate::action::{Action, Method};
use crate::variables::Variables;

/// Why the files of an action must not be given to a page; none when they may. Where files come from one folder only,
/// which the caller has filled for this, all of it may.
pub(super) fn refusal(
    action: &Action,
    named_in: &str,
    variables: &Variables,
    is_from_folder: bool,
) -> Option<String> {
    let method = action.method.as_deref().and_then(Method::from_name)?;
    if method != Method::SetInputFiles || is_from_folder {
        return None;
    }
    let file = action
        .arguments
        .iter()
        .find(|file| !variables.is_one(file) && !is_named(file, named_in))?;
    Some(format!(
        "the task does not name the file \"{file}\", and pages are given no others"
    ))
}

/// Whether a text holds a path as a whole, and not as a part of another one.
fn is_named(path: &str, text: &str) -> bool {
    // A word of the task is no file.
    if !path.contains(['/', '\\', '.']) {
        return false;
    }
    text.match_indices(path).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let mut after = text[start + found.len()..].chars();
        begins(before) && ends(after.next(), after.next())
    })
}

fn begins(before: Option<char>) -> bool {
    before.is_none_or(|sign| sign.is_whitespace() || "\"'`“”„‘’«»([{<=:,;".contains(sign))
}

/// A full stop and the like end a path only where the text or the word ends with them.
fn ends(next: Option<char>, following: Option<char>) -> bool {
    let is_end = |sign: char| sign.is_whitespace() || "\"'`“”„‘’«»)]}>,;".contains(sign);
    match next {
        None => true,
        Some('.' | ':' | '!' | '?') => following.is_none_or(is_end),
        Some(sign) => is_end(sign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::Variable;

    #[test]
    fn a_path_is_named_as_a_whole() {
        for text in [
            "upload /home/ada/cv.pdf",
            "upload \"/home/ada/cv.pdf\" to the form",
            "the files (/home/ada/cv.pdf, b.txt).",
            "send /home/ada/cv.pdf.",
            "use file:/home/ada/cv.pdf",
        ] {
            assert!(is_named("/home/ada/cv.pdf", text), "{text}");
        }
        for path in [
            "/home/ada",
            "/home/ada/cv",
            "cv.pdf",
            "/",
            "",
            " ",
            "ada/cv.pdf",
            "/home/ada/cv.pd",
        ] {
            assert!(!is_named(path, "upload /home/ada/cv.pdf, please"), "{path}");
        }
        assert!(!is_named("/home/ada/cv.pdf", "upload /home/ada/cv.pdf.key"));
        assert!(!is_named("/etc/passwd", "log in"));
        assert!(!is_named("report", "write a report"));
    }

    #[test]
    fn a_variable_names_a_file_by_itself_alone() {
        let given = [("file", "/home/ada/cv.pdf"), ("none", "")];
        let given = given.map(|(name, value)| (name.to_owned(), Variable::new(value)));
        let variables = Variables::new(&given.into()).unwrap();
        let refusal = |file: &str| {
            let files = Action::new("input", "setInputFiles").argument(file);
            refusal(&files, "upload %file%", &variables, false)
        };
        assert_eq!(refusal("%file%"), None);
        for other in [
            "%none%",
            "%none%/etc/passwd%none%",
            "%file%/../other.pdf%none%",
            "%file%.key",
            "%unknown%",
        ] {
            assert!(refusal(other).is_some(), "{other}");
        }
    }

    #[test]
    fn only_giving_files_is_refused() {
        let files = Action::new("input", "setInputFiles").argument("/etc/passwd");
        assert!(
            refusal(&files, "upload a.txt", &Variables::default(), false)
                .unwrap()
                .contains("/etc/passwd")
        );
        assert_eq!(
            refusal(&files, "upload /etc/passwd", &Variables::default(), false),
            None
        );
        assert_eq!(refusal(&files, "upload it", &Variables::default(), true), None);
        assert_eq!(
            refusal(
                &Action::new("input", "fill").argument("/etc/passwd"),
                "",
                &Variables::default(),
                false
            ),
            None
        );
        assert_eq!(
            refusal(
                &Action::new("input", "setInputFiles"),
                "empty it",
                &Variables::default(),
                false
            ),
            None
        );
    }
}
