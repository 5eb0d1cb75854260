//! Finds elements in page text: the lines `[frame-number] role: name`.

/// An element as the page text shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) id: String,
    /// The rest of its line or cell: role, name, value and states.
    pub(crate) rest: String,
}

/// The states that may follow a name, in brackets.
const STATES: [&str; 9] = [
    "selected", "checked", "mixed", "disabled", "expanded", "required", "invalid", "focused", "current",
];

/// Every element of the text: at the start of a line, after a list mark, or in the cells of a row.
pub(crate) fn elements(text: &str) -> Vec<Element> {
    text.lines().flat_map(elements_of_line).collect()
}

/// The elements of one line, in order.
pub(crate) fn elements_of_line(line: &str) -> Vec<Element> {
    let mut line = line.trim_start();
    line = line.strip_prefix("- ").unwrap_or(line).trim_start();
    let mut found = Vec::new();
    for (index, cell) in line.split(" | ").enumerate() {
        let mut cell = cell;
        if index == 0 {
            // The first cell stands behind the row itself, which may be an element too.
            if let Some((element, after)) = read_row(cell) {
                found.extend(element);
                cell = after;
            }
        }
        found.extend(read_element(cell));
    }
    found
}

/// `row: ` or `[id] row: ` before the first cell: the element if it is one, and the first cell.
fn read_row(text: &str) -> Option<(Option<Element>, &str)> {
    if let Some(after) = text.strip_prefix("row: ") {
        return Some((None, after));
    }
    let element = read_element(text)?;
    let (_, after) = text.split_once("] row: ")?;
    element
        .rest
        .starts_with("row: ")
        .then_some((Some(element), after))
}

fn read_element(text: &str) -> Option<Element> {
    let (id, rest) = text.strip_prefix('[')?.split_once("] ")?;
    is_id(id).then(|| Element {
        id: id.to_owned(),
        rest: rest.to_owned(),
    })
}

impl Element {
    /// The line without the states at its end.
    pub(crate) fn without_states(&self) -> &str {
        let mut text = self.rest.as_str();
        while let Some((before, last)) = text.rsplit_once(" [") {
            if !last
                .strip_suffix(']')
                .is_some_and(|state| STATES.contains(&state))
            {
                break;
            }
            text = before;
        }
        text
    }

    /// Whether this is the element `role: name`, whatever its value and states.
    pub(crate) fn is(&self, role_and_name: &str) -> bool {
        let text = self.without_states();
        self.rest == role_and_name
            || text == role_and_name
            || text
                .strip_prefix(role_and_name)
                .is_some_and(|value| value.starts_with(" = "))
    }

    /// The role word, and the name when there is one.
    pub(crate) fn role_and_name(&self) -> (&str, &str) {
        let text = self.without_states();
        text.split_once(": ").unwrap_or((text, ""))
    }
}

/// Whether the text has the form of an element id: digits, a hyphen, digits.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-')
        .is_some_and(|(frame, number)| digits(frame) && digits(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_at_line_starts_behind_list_marks_and_in_cells() {
        let text = "[0-0] RootWebArea: Shop\n  - [0-1] link: Sale [current]\n  text [0-9] link: no\n    [0-2] button\n  row: Arc | 9 | [0-3] link: PDF | [0-4] link: CSV\n  row: [0-5] checkbox: All\n  [0-6] row: [0-7] link: a | b";
        let found: Vec<(String, String)> = elements(text).into_iter().map(|e| (e.id, e.rest)).collect();
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6", "0-7"]);
        assert_eq!(found[7].1, "link: a");
    }

    #[test]
    fn values_and_states_are_no_part_of_the_name() {
        let element = Element {
            id: "0-7".to_owned(),
            rest: "spinbutton: Amount = 1 [invalid] [required]".to_owned(),
        };
        assert!(
            element.is("spinbutton: Amount")
                && element.is("spinbutton: Amount = 1")
                && !element.is("spinbutton")
        );
        let named = Element {
            id: "0-8".to_owned(),
            rest: "button: Sort [by price]".to_owned(),
        };
        assert_eq!(named.role_and_name(), ("button", "Sort [by price]"));
    }

    #[test]
    fn ids_are_two_numbers() {
        assert!(is_id("0-12") && !is_id("0-") && !is_id("a-1") && !is_id("01") && !is_id("1-2-3"));
    }
}
