//! Fills the pages of `pages/shop`: `{{name}}` is replaced by escaped text, `{{{name}}}` by HTML.

/// What is put in the place of a name.
pub(super) enum Slot {
    Text(String),
    Html(String),
}

impl From<&str> for Slot {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Slot {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Slot {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

pub(super) fn html(html: impl Into<String>) -> Slot {
    Slot::Html(html.into())
}

/// Fills a template in one pass, so that braces in a value stay as they are.
///
/// # Panics
/// When the template has a name that is not given, or gives text where it wants HTML or the other way
/// round: templates are part of this crate, and a test fills each of them.
pub(super) fn fill(template: &str, slots: &[(&str, Slot)]) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let (before, place) = rest.split_at(start);
        filled.push_str(before);
        let wants_html = place.starts_with("{{{");
        let (open, close) = if wants_html { ("{{{", "}}}") } else { ("{{", "}}") };
        let (name, after) = place
            .trim_start_matches(open)
            .split_once(close)
            .expect("a place is closed");
        let slot = slots.iter().find(|(key, _)| *key == name).map(|(_, slot)| slot);
        match (slot, wants_html) {
            (Some(Slot::Text(text)), false) => filled.push_str(&escape(text)),
            (Some(Slot::Html(html)), true) => filled.push_str(html),
            (Some(_), _) => panic!("{name} is text in the one and HTML in the other"),
            (None, _) => panic!("nothing is given for {name}"),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_html_is_not() {
        let filled = fill(
            "<a title=\"{{a}}\">{{{b}}}</a>",
            &[("a", "\"<&>\"".into()), ("b", html("<b>x</b>"))],
        );
        assert_eq!(filled, "<a title=\"&quot;&lt;&amp;&gt;&quot;\"><b>x</b></a>");
    }

    #[test]
    fn braces_in_a_value_stay() {
        assert_eq!(
            fill("{{a}}{{b}}", &[("a", "{{b}}".into()), ("b", "c".into())]),
            "{{b}}c"
        );
    }

    #[test]
    #[should_panic(expected = "nothing is given for a")]
    fn a_missing_value_is_a_fault_of_the_caller() {
        fill("{{a}}", &[]);
    }
}
