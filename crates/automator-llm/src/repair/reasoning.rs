//! Reasoning that stands in the reply instead of beside it.

/// Names of tags that models put around their reasoning.
const TAGS: [&str; 8] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
];

/// A reply without its reasoning.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stripped {
    /// What stands outside the tags.
    pub(super) text: String,
    /// Whether a tag was opened and never closed, so that the rest was left out.
    pub(super) unclosed: bool,
}

/// Takes reasoning out.
///
/// - `<think>…</think>` goes, in any case, with attributes, also several times and within one another.
/// - Before a closing tag that was never opened everything goes: many chat templates write the opening tag
///   themselves.
/// - After an opening tag that is never closed everything goes.
pub(super) fn strip_reasoning(reply: &str) -> Stripped {
    // Same length as the reply, so that places are the same.
    let lower = reply.to_ascii_lowercase();
    let mut text = String::new();
    let mut open = 0_usize;
    let mut kept_from = 0;
    let mut at = 0;
    while let Some(found) = lower.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + found;
        at = start + 1;
        let Some(tag) = tag_at(&lower, start) else {
            continue;
        };
        at = tag.end;
        if tag.closing {
            if open <= 1 {
                // Closes the block, or one that was never opened.
                if open == 0 {
                    text.clear();
                }
                kept_from = tag.end;
            }
            open = open.saturating_sub(1);
        } else {
            if open == 0 {
                text.push_str(reply.get(kept_from..start).unwrap_or_default());
            }
            open += 1;
        }
    }
    if open == 0 {
        text.push_str(reply.get(kept_from..).unwrap_or_default());
    }
    Stripped {
        text,
        unclosed: open > 0,
    }
}

struct Tag {
    closing: bool,
    end: usize,
}

fn tag_at(lower: &str, start: usize) -> Option<Tag> {
    let inner = lower.get(start + 1..)?;
    let (closing, inner) = match inner.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, inner),
    };
    let name_end = inner.find(|character: char| !character.is_ascii_alphabetic())?;
    let name = inner.get(..name_end)?;
    if !TAGS.contains(&name) {
        return None;
    }
    let after = inner.get(name_end..)?;
    // Attributes are short; a `<` before the `>` means that it was no tag.
    let close = after.find(['>', '<']).filter(|end| *end <= 200)?;
    let is_tag =
        after.get(close..)?.starts_with('>') && (close == 0 || after.starts_with(char::is_whitespace));
    is_tag.then(|| Tag {
        closing,
        end: lower.len() - after.len() + close + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(reply: &str) -> String {
        let stripped = strip_reasoning(reply);
        assert!(!stripped.unclosed, "{reply}");
        stripped.text
    }

    #[test]
    fn closed_blocks_go() {
        assert_eq!(text("<think>a {\"x\":1}</think>{}"), "{}");
        assert_eq!(
            text("a<THINKING lang='en'>b</Thinking>c<reasoning>d</reasoning>e"),
            "ace"
        );
        assert_eq!(text("<think>a<think>b</think>c</think>d"), "d");
    }

    #[test]
    fn everything_before_a_lone_closing_tag_goes() {
        assert_eq!(text("thoughts {\"x\":1}\n</think>\n{}"), "\n{}");
    }

    #[test]
    fn everything_after_an_unclosed_tag_goes() {
        assert_eq!(
            strip_reasoning("a <think> b {}"),
            Stripped {
                text: "a ".to_owned(),
                unclosed: true
            }
        );
    }

    #[test]
    fn other_tags_and_broken_ones_stay() {
        for reply in [
            "<b>x</b>",
            "a < b > c",
            "<thinker>x</thinker>",
            "<think",
            "<",
            "</",
            "<ünk>",
            "1<think<2",
        ] {
            assert_eq!(text(reply), reply);
        }
    }
}
