use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn parts(text: &str) -> Vec<(String, Value)> {
    let selector = Selector::parse(text).unwrap();
    selector
        .parts()
        .iter()
        .map(|part| (part.text.clone(), serde_json::to_value(&part.query).unwrap()))
        .collect()
}

fn css(text: &str) -> (String, Value) {
    (text.to_owned(), json!({ "kind": "css", "selector": text }))
}

/// The kinds of all parts, one letter each: css, path, xpath.
fn kinds(text: &str) -> String {
    parts(text)
        .iter()
        .filter_map(|(_, query)| query["kind"].as_str()?.chars().next())
        .collect()
}

fn predicate(text: &str) -> Value {
    let all = parts(&format!("//a[{text}]"));
    all[0].1["steps"][0]["predicates"][0].clone()
}

fn problem(text: &str) -> String {
    match Selector::parse(text) {
        Err(BrowserError::InvalidSelector { selector, problem }) => {
            assert_eq!(selector, text);
            problem
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn css_is_the_default() {
    assert_eq!(parts("main > p"), [css("main > p")]);
    assert_eq!(parts("css= main ")[0].1, css("main").1);
    assert!(!Selector::parse(".a").unwrap().is_xpath());
}

#[test]
fn hops_are_cut_outside_of_quotes_and_brackets_only() {
    assert_eq!(parts("a>>b >> c"), [css("a"), css("b"), css("c")]);
    assert_eq!(
        parts(r#"[title="a >> b"] >> :is(x, [y='>>'])"#),
        [css(r#"[title="a >> b"]"#), css(":is(x, [y='>>'])")]
    );
    assert_eq!(parts(r"a\>\> b"), [css(r"a\>\> b")]);
    assert_eq!(kinds(r"//a[.='\'] >> b"), "pc");
    assert_eq!(kinds("iframe >> xpath=//p >> .x >> (//b)[2]"), "cpcp");
}

#[test]
fn mistakes_are_named() {
    for text in ["", "  ", "xpath=", "css="] {
        assert_eq!(problem(text), "it is empty", "{text:?}");
    }
    for text in [">> a", "a >>", "a >> >> b", "a >>> b >> "] {
        assert!(problem(text).contains(">>"), "{text}");
    }
    assert!(problem("text= ").contains("no words"));
    for text in ["a[b", "a]", "a[b='c]", "//a[(]", "//a[@b=\"c]"] {
        let problem = problem(text);
        assert!(problem.contains("closed"), "{text}: {problem}");
    }
    assert!(problem("//a/@href").contains("attribute"));
}

#[test]
fn xpath_is_known_by_its_start() {
    for text in [
        "/html/body",
        "//p",
        "(//p)[1]",
        "./p",
        ".//p",
        "xpath=p/b",
        "xpath=/p",
    ] {
        assert!(Selector::parse(text).unwrap().is_xpath(), "{text}");
    }
    assert_eq!(kinds(".//p"), "p");
    assert_eq!(kinds("xpath=p/b"), "x");
}

#[test]
fn indexed_path_is_marked() {
    let (_, query) = &parts("/html[1]/body[1]//DIV[3]")[0];
    assert_eq!(query["indexed"], true);
    let steps: Vec<_> = query["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (&step["axis"], &step["name"]))
        .collect();
    assert_eq!(
        steps,
        [
            (&json!("child"), &json!("html")),
            (&json!("child"), &json!("body")),
            (&json!("descendant"), &json!("div"))
        ]
    );
    for text in [
        "/html[1]/body",
        "//p[@a]",
        "/p[1][2]",
        "(/p[1])[1]",
        "/p[position()<2]",
    ] {
        assert_eq!(parts(text)[0].1["indexed"], false, "{text}");
    }
    assert_eq!(parts("/p[position()=2]")[0].1["indexed"], true);
}

#[test]
fn frame_steps_go_into_the_frame() {
    let all = parts("/html[1]/body[1]/iframe[2]/html[1]//FRAME[1]//p[1]");
    let texts: Vec<_> = all.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(
        texts,
        ["/html[1]/body[1]/iframe[2]", "/html[1]//FRAME[1]", "//p[1]"]
    );
    assert_eq!(kinds("//div/iframe"), "p");
    assert_eq!(kinds("//iframe[following::p]/html/body"), "xp");
    assert_eq!(kinds("(//iframe)[2]/html"), "p");
    assert_eq!(kinds("//iframe[contains(@src, '/a/b')]//p"), "pp");
}

#[test]
fn trailing_text_is_cut_off() {
    assert_eq!(parts("/p[1]/text()[1]")[0].0, "/p[1]");
    assert_eq!(kinds("/text()[1]"), "x");
}

#[test]
fn groups_take_positions_over_all_matches() {
    let (_, query) = &parts("(//a[@b])[last()]/c")[0];
    assert_eq!(query["group"]["predicates"], json!([{ "is": "last" }]));
    assert_eq!(query["group"]["path"]["steps"][0]["name"], "a");
    assert_eq!(query["steps"][0]["name"], "c");
    assert_eq!(kinds("((//a)[1])[2]"), "x");
    assert_eq!(kinds("(//a | //b)[1]"), "x");
}

#[test]
fn predicates_are_read() {
    let attribute = json!({ "is": "attribute", "name": "id" });
    let literal = |value: &str| json!({ "is": "literal", "value": value });
    let equal = json!({ "is": "compare", "left": attribute, "compare": "=", "right": literal("x") });
    assert_eq!(predicate("@id='x'"), equal);
    assert_eq!(predicate("@id"), json!({ "is": "exists", "operand": attribute }));
    assert_eq!(
        predicate("contains(., \"it's\")"),
        json!({ "is": "contains", "text": { "is": "content" }, "part": literal("it's") })
    );
    assert_eq!(
        predicate("normalize-space()='x' and (text()!='y' or not(@id))"),
        json!({ "is": "and", "of": [
            { "is": "compare", "left": { "is": "normalizeSpace", "of": { "is": "content" } }, "compare": "=", "right": literal("x") },
            { "is": "or", "of": [
                { "is": "compare", "left": { "is": "text" }, "compare": "!=", "right": literal("y") },
                { "is": "not", "of": { "is": "exists", "operand": attribute } },
            ] },
        ] })
    );
    assert_eq!(
        predicate("position() <= 3"),
        json!({ "is": "position", "compare": "<=", "number": 3.0 })
    );
    assert_eq!(predicate("position()=last()"), json!({ "is": "last" }));
    assert_eq!(predicate("starts-with(@id, 'x')")["is"], "startsWith");
    assert_eq!(predicate("local-name()='svg'")["left"]["is"], "name");
    assert_eq!(predicate("@data-or='and'")["left"]["name"], "data-or");
}

#[test]
fn more_than_the_subset_is_left_to_the_browser() {
    for text in [
        "//a[b]",
        "//a[../b]",
        "//a/following-sibling::b",
        "//a/..",
        "//a[count(b)=2]",
        "//svg:rect",
        "//a['x']",
        "//a[1 + 1]",
        "//a[]",
        "//a | //b",
        "//a[translate(@b, 'A', 'a')='x']",
    ] {
        assert_eq!(kinds(text), "x", "{text}");
    }
    let deep = format!("//a[{}@b{}]", "not(".repeat(500), ")".repeat(500));
    assert_eq!(kinds(&deep), "x");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in ".{0,80}") {
        let _ = Selector::parse(&text);
        let _ = Selector::parse(&format!("xpath={text}"));
        let _ = Selector::parse_within(&text);
        let _ = Selector::parse_within(&format!("a >> {text}"));
    }

    #[test]
    fn texts_that_look_like_selectors_are_read_or_refused_without_a_panic(
        pieces in proptest::collection::vec(
            prop::sample::select(vec!["//", "/", "[", "]", "(", ")", "'", "\"", "@id", "=", ">>", "iframe", "text()", "text=", "not(", "1", ".", "contains", ",", "é", "\\", " "]),
            0..30,
        )
    ) {
        let text = pieces.concat();
        if let Ok(selector) = Selector::parse(&text) {
            prop_assert!(!selector.parts().is_empty());
        }
        let _ = Selector::parse(&format!("//{text}"));
    }
}

#[test]
fn within_one_document_an_arrow_is_a_blank() {
    let css = |text: &str| match Selector::parse_within(text).map(|selector| selector.parts) {
        Ok(parts) => match parts.as_slice() {
            [part] => format!("{:?}", part.query),
            _ => format!("{} parts", parts.len()),
        },
        Err(error) => error.to_string(),
    };
    assert_eq!(css("a >> b"), r#"Css { selector: "a b" }"#);
    assert_eq!(css("a, b >> css=c"), r#"Css { selector: ":is(a, b) c" }"#);
    assert!(css("//a >> .//b").contains("Path"));
    assert_eq!(css("//iframe >> //b"), "2 parts");
    assert!(css("a >> //b").contains("different kinds"));
    assert!(css("text=a >> b").contains("different kinds"));
}

#[test]
fn words_may_hold_quotes_and_brackets() {
    let words = |text: &str| match Selector::parse(text).unwrap().parts.remove(0).query {
        Query::Text { words } => words,
        other => format!("{other:?}"),
    };
    assert_eq!(words("text=Don't (yet"), "Don't (yet");
    assert_eq!(words("text=\"Sign in\""), "Sign in");
    assert_eq!(words(" text= x "), "x");
}
