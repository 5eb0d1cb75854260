//! Which files may be given to pages: those that the caller has named.
//!
//! A model that chooses an action has read the page, and a page may have told it which file it wants.

use std::path::Path;

use crate::action::Method;
use crate::variables::Variables;

/// Signs that people put around a path.
const QUOTES: &str = "\"'`“”„‘’«»";

/// Signs that end a word, besides blanks and quotes.
const BETWEEN: &str = "()[]{}<>=,;";

/// The files that a caller names: by its words, and by the variables of the call.
#[derive(Clone, Copy)]
pub(crate) struct NamedFiles<'n> {
    pub(crate) words: &'n str,
    pub(crate) variables: &'n Variables,
}

impl<'n> NamedFiles<'n> {
    /// Whether something that can be a file is named: then models are told how pages get files.
    pub(crate) fn is_some(self) -> bool {
        self.paths().next().is_some()
    }

    /// What is named and can be a file.
    fn paths(self) -> impl Iterator<Item = &'n str> {
        let is_end = |sign: char| sign.is_whitespace() || BETWEEN.contains(sign) || QUOTES.contains(sign);
        let words = self.words.split(is_end);
        let words = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
        // What stands in quotes may hold blanks.
        let quoted = self.words.split(|sign| QUOTES.contains(sign)).skip(1).step_by(2);
        let all = words.chain(quoted).chain(self.variables.values());
        all.filter(|name| is_like_path(name))
    }

    /// Whether one of them is a file of this machine.
    pub(crate) fn is_here(self) -> bool {
        self.paths().any(|path| Path::new(path).is_file())
    }

    /// Why the files of an action must not be given to a page; none when they may.
    pub(crate) fn refusal(self, method: &str, files: &[String]) -> Option<String> {
        if Method::from_name(method)? != Method::SetInputFiles {
            return None;
        }
        let file = files
            .iter()
            .find(|file| !self.variables.is_one(file) && !is_named(file, self.words))?;
        Some(format!(
            "the task does not name the file \"{file}\", and pages are given no others"
        ))
    }
}

/// Whether a word reads as a path, or as the name of a file, and not as an address.
fn is_like_path(word: &str) -> bool {
    if word.contains("://") {
        return word.starts_with("file://");
    }
    if word.contains('\\')
        || word.starts_with(['/', '~'])
        || word.starts_with("./")
        || word.starts_with("../")
    {
        return word.len() > 2;
    }
    let file = word.rsplit('/').next().unwrap_or(word);
    file.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_ending = (1..=5).contains(&ending.len())
            && ending.chars().all(|sign| sign.is_ascii_alphanumeric())
            && ending.contains(|sign: char| sign.is_ascii_alphabetic());
        is_ending && !name.is_empty() && !file.contains('@') && !file.starts_with("www.")
    })
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
    before.is_none_or(|sign| sign.is_whitespace() || QUOTES.contains(sign) || "([{<=:,;".contains(sign))
}

/// A full stop and the like end a path only where the text or the word ends with them.
fn ends(next: Option<char>, following: Option<char>) -> bool {
    let is_end = |sign: char| sign.is_whitespace() || QUOTES.contains(sign) || ")]}>,;".contains(sign);
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

    const FILES: &str = Method::FOR_FILES;

    #[test]
    fn what_reads_as_a_file_is_told_from_other_words() {
        let none = Variables::default();
        let are_named_in = |words: &str, variables: &Variables| NamedFiles { words, variables }.is_some();
        for text in [
            "upload /home/ada/cv.pdf",
            "attach \"cv.pdf\", please",
            "send my docs/letter.docx.",
            "give it C:\\cv",
            "use ~/notes",
            "file:///home/ada/cv",
        ] {
            assert!(are_named_in(text, &none), "{text}");
        }
        for text in [
            "click the button",
            "pay 49.00 and/or wait",
            "open https://shop.example/a.html",
            "write to ada@shop.example",
            "go to www.shop.example",
            "upload my file.",
            "a / b",
        ] {
            assert!(!are_named_in(text, &none), "{text}");
        }
        let variables =
            |value: &str| Variables::new(&[("file".to_owned(), Variable::new(value))].into()).unwrap();
        assert!(are_named_in("upload %file%", &variables("/home/ada/cv")));
        assert!(!are_named_in("type %file%", &variables("secret")));
        let named = NamedFiles {
            words: "upload \"/home/my cv.pdf\" and b.txt.",
            variables: &none,
        };
        let named: Vec<&str> = named.paths().collect();
        assert_eq!(named, ["/home/my", "cv.pdf", "b.txt", "/home/my cv.pdf"]);
    }

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
        let words = "upload %file%";
        let named = NamedFiles {
            words,
            variables: &variables,
        };
        let refusal = |file: &str| named.refusal(FILES, &[file.to_owned()]);
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
        let none = Variables::default();
        let refusal = |method, files: &[&str], words| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            NamedFiles {
                words,
                variables: &none,
            }
            .refusal(method, &files)
        };
        let passwords = ["/etc/passwd"];
        assert!(
            refusal(FILES, &passwords, "upload a.txt")
                .unwrap()
                .contains("/etc/passwd")
        );
        assert_eq!(refusal(FILES, &passwords, "upload /etc/passwd"), None);
        assert_eq!(refusal("fill", &passwords, ""), None);
        assert_eq!(refusal(FILES, &[], "empty it"), None);
    }
}
