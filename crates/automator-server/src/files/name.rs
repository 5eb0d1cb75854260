//! Names of files; pure.

/// The longest name, in bytes: what all file systems in use take, with room for a number.
const LONGEST: usize = 200;

/// Stands for a name that has nothing to keep.
const NAMELESS: &str = "file";

/// A name that is a file's in any folder: the last part of a path, without what file systems or shells read in their own
/// way. It stays as it is when it is given here again.
pub(crate) fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let cleaned: String = last
        .chars()
        .map(|letter| match letter {
            '"' | '*' | ':' | '<' | '>' | '?' | '|' => '_',
            letter if letter.is_control() => '_',
            letter => letter,
        })
        .collect();
    let trimmed = cleaned.trim_matches([' ', '.']);
    let shortened = shortened(trimmed);
    if shortened.is_empty() {
        NAMELESS.to_owned()
    } else {
        shortened
    }
}

/// A name that is too long loses the end of what is before its extension.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let (stem, extension) = split(name);
    let extension = if extension.len() <= LONGEST / 4 {
        extension
    } else {
        ""
    };
    let mut end = (LONGEST - extension.len()).min(stem.len());
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    let stem = stem.get(..end).unwrap_or_default();
    format!("{}{extension}", stem.trim_end_matches([' ', '.']))
}

/// The name of the file with this number among those of one name: `a.txt`, `a (2).txt`.
pub(super) fn numbered(name: &str, number: u32) -> String {
    if number == 1 {
        return name.to_owned();
    }
    let (stem, extension) = split(name);
    format!("{stem} ({number}){extension}")
}

/// What is before the extension, and the extension with its dot.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_safe_and_stay_so() {
        let long = format!("{}.txt", "ä".repeat(300));
        for (given, expected) in [
            ("a.txt", "a.txt"),
            ("bücher 2.pdf", "bücher 2.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\files\\a.txt", "a.txt"),
            (".hidden", "hidden"),
            ("a\n\u{0}b", "a__b"),
            ("a<b>.txt", "a_b_.txt"),
            ("..", "file"),
            ("", "file"),
            ("x/", "file"),
            (&long, &format!("{}.txt", "ä".repeat(98))),
        ] {
            assert_eq!(safe_name(given), expected, "{given}");
            assert_eq!(safe_name(expected), expected);
        }
        assert!(safe_name(&"x.".repeat(500)).len() <= LONGEST);
    }

    #[test]
    fn numbers_come_before_the_extension() {
        assert_eq!(numbered("a.txt", 1), "a.txt");
        assert_eq!(numbered("a.tar.gz", 2), "a.tar (2).gz");
        assert_eq!(numbered("a", 3), "a (3)");
    }
}
