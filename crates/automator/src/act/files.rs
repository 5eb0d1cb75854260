//! Which files may be given to pages: those that the caller has named. Pure.
//!
//! A model that chooses an action has read the page, and a page may have told it which file it wants.

use crate::action::{Action, Method};

/// Why the files of an action must not be given to a page; none when they may. Where files come from one folder only,
/// which the caller has filled for this, all of it may.
pub(super) fn refusal(action: &Action, named_in: &str, is_from_folder: bool) -> Option<String> {
    let method = action.method.as_deref().and_then(Method::from_name)?;
    if method != Method::SetInputFiles || is_from_folder {
        return None;
    }
    let file = action.arguments.iter().find(|file| !is_named(file, named_in))?;
    Some(format!(
        "the task does not name the file \"{file}\", and pages are given no others"
    ))
}

/// Whether a text holds a path as a whole, and not as a part of another one.
fn is_named(path: &str, text: &str) -> bool {
    if path.trim().is_empty() {
        return false;
    }
    // The name of a variable, whose value is the caller's.
    if path.len() > 2 && path.starts_with('%') && path.ends_with('%') {
        return true;
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
    }

    #[test]
    fn only_giving_files_is_refused() {
        let files = Action::new("input", "setInputFiles").argument("/etc/passwd");
        assert!(
            refusal(&files, "upload a.txt", false)
                .unwrap()
                .contains("/etc/passwd")
        );
        assert_eq!(refusal(&files, "upload /etc/passwd", false), None);
        assert_eq!(refusal(&files, "upload it", true), None);
        assert_eq!(
            refusal(&Action::new("input", "fill").argument("/etc/passwd"), "", false),
            None
        );
        assert_eq!(
            refusal(&Action::new("input", "setInputFiles"), "empty it", false),
            None
        );
    }
}
