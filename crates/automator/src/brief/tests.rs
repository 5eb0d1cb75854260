use proptest::prelude::*;

use super::*;

const PAGE: &str = "[0-0] RootWebArea: Shop\n  - [0-1] link: a name that is rather long\n  € 49\n  \
                    ä text [x] that says a lot of things\n  row: Arc and much more | [0-2] link: PDF";

#[test]
fn texts_are_cut_and_elements_are_not() {
    assert_eq!(
        brief(PAGE, 8),
        "[0-0] RootWebArea: Shop\n  - [0-1] link: a name that is rather long\n  € 49\n  ä text […\n  \
         row: Arc and much more | [0-2] link: PDF"
    );
    assert_eq!(brief(PAGE, 100), PAGE);
}

#[test]
fn long_texts_are_left_out() {
    let usable = usable_lines(PAGE, 8);
    assert!(!usable.contains("ä text") && usable.contains("€ 49") && usable.contains("[0-2]"));
    assert_eq!(usable.lines().count(), 4);
}

fn shop(count: usize) -> String {
    let mut lines = vec![
        "[0-0] RootWebArea: Shop".to_owned(),
        "  [0-1] button: Filter".to_owned(),
        "  list".to_owned(),
    ];
    for number in 0..count {
        lines.push("    -".to_owned());
        lines.push(format!("      [0-{}] link: Lamp {number}", 2 * number + 2));
        lines.push(format!("      [0-{}] button: Add lamp {number}", 2 * number + 3));
    }
    lines.push("  [0-999] link: Checkout".to_owned());
    lines.join("\n")
}

#[test]
fn items_that_have_nothing_to_do_with_a_question_are_left_out() {
    let brief = without_alike(&shop(60), &words_of("add Lamp 37 to the basket"));
    assert!(brief.contains("Lamp 37") && brief.contains("Lamp 0") && brief.contains("Checkout"));
    assert!(
        brief.contains("button: Filter") && !brief.contains("Lamp 41"),
        "{brief}"
    );
    assert!(brief.contains("    … 56 more like these"), "{brief}");
}

#[test]
fn short_lists_and_fields_stay() {
    let short = shop(9).replace("Lamp", "Thing");
    assert!(without_alike(&shop(6), &[]).contains("Lamp 5"));
    assert!(without_alike(&short, &words_of("thing 3 thing 4 thing 5 thing 6")).contains("Thing 8"));
    let form = shop(60).replace("button: Add", "textbox: Amount of");
    assert_eq!(without_alike(&form, &[]), form);
}

#[test]
fn items_without_a_wrapper_are_found_by_their_order() {
    let mut lines = vec!["main".to_owned()];
    for number in 0..20 {
        lines.push(format!("  [0-{number}] link: Lamp {number}"));
        lines.push(format!("  € {number}"));
        lines.push(format!("  [1-{number}] button: Add"));
    }
    let brief = without_alike(&lines.join("\n"), &words_of("the lamp 13"));
    assert!(brief.contains("Lamp 13") && !brief.contains("Lamp 7"), "{brief}");
    assert!(brief.lines().count() < 20, "{brief}");
}

#[test]
fn questions_by_place_are_known() {
    assert!(asks_by_place(&words_of("open the third lamp")));
    assert!(!asks_by_place(&words_of("open lamp 3")));
    let page = shop(3);
    assert!(names_something(&page, &words_of("press the filter")));
    assert!(!names_something(&page, &words_of("den dritten nehmen")));
}

#[test]
fn nothing_is_lost_but_what_is_said_to_be() {
    for text in ["", "a", "  a\n b\nc", &"x\n".repeat(50), &shop(60)] {
        let whole: Vec<&str> = text.lines().collect();
        let brief = without_alike(text, &[]);
        let mut missing = 0;
        for line in brief.lines() {
            if let Some(count) = line.trim_start().strip_prefix("… ") {
                missing += count.split(' ').next().unwrap().parse::<usize>().unwrap();
            } else {
                assert!(whole.contains(&line));
            }
        }
        assert_eq!(missing == 0, brief.lines().count() == whole.len(), "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_a_page_says_nothing_panics(
        lines in proptest::collection::vec(" {0,6}(- )?(\\[0-[0-9]{1,2}\\] )?(row|link|[a-c ä…\\[\\]]{0,6})", 0..60),
        question in "[a-c 0-9ä]{0,12}",
    ) {
        let text = lines.join("\n");
        let words = words_of(&question);
        let brief_text = brief(&without_alike(&text, &words), 4);
        prop_assert!(brief_text.lines().count() <= text.lines().count() + 1);
        usable_lines(&text, 3);
        names_something(&text, &words);
    }
}
