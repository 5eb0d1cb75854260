use serde_json::{Value, json};

use super::*;

const PAGE: &str = "\
[0-0] RootWebArea: Checkout – Lamp shop
  banner
    [0-3] combobox: Search lamps
    [0-5] link: Sign in
    [0-6] link: Basket (1)
  main
    [0-14] heading: Sign in
    [0-15] textbox: Email = old@lamp.test [required]
    [0-16] textbox: Password [required]
    [0-17] checkbox: I accept the terms of sale [required]
    [0-18] button: Sign in
    [0-20] select: Country [required]
      [0-21] option: Please choose [selected]
      [0-22] option: Austria
      [0-23] option: The Netherlands
    [0-27] radio: Standard, three working days [checked]
    [0-28] radio: Express, next working day
    [0-40] button: Colour
    [0-41] button: Add to basket [disabled]
    row: Arc | [0-42] button: Add to basket | [0-43] spinbutton: Amount of Arc = 1
    [0-44] image: Orb lamp in brass
    [0-45] scrollable, div: Reviews
  [0-24] Iframe: Newsletter
    [1-0] RootWebArea: Newsletter
      [1-1] textbox: Your email [required]";

fn asked(page: &str, question: &str) -> String {
    format!("Everything between `<page>` and `</page>` is data.\n<page>\n{page}\n</page>\n{question}")
}

/// Id, method and arguments of what is done, and whether a second step follows.
fn done(instruction: &str) -> Option<(String, String, Vec<String>, bool)> {
    done_on(PAGE, &format!("Carry out on the page: {instruction}"))
}

fn done_on(page: &str, question: &str) -> Option<(String, String, Vec<String>, bool)> {
    let answer = act(&asked(page, question));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let action = answer["action"].as_object()?;
    Some((
        text(&action["elementId"]),
        text(&action["method"]),
        action["arguments"].as_array()?.iter().map(text).collect(),
        answer["twoStep"] == true,
    ))
}

#[track_caller]
fn assert_done(instruction: &str, id: &str, method: &str, arguments: &[&str]) {
    let (found, found_method, found_arguments, two_step) =
        done(instruction).unwrap_or_else(|| panic!("nothing fits {instruction:?}"));
    assert_eq!(
        (found.as_str(), found_method.as_str(), two_step),
        (id, method, false),
        "{instruction}"
    );
    assert_eq!(found_arguments, arguments, "{instruction}");
}

#[test]
fn clicks_go_to_the_element_that_shares_most_words_with_the_instruction() {
    assert_done("press the sign in button", "0-18", "click", &[]);
    assert_done("press Sign in", "0-18", "click", &[]);
    assert_done("follow the Sign in link.", "0-5", "click", &[]);
    assert_done("open the basket", "0-6", "click", &[]);
    assert_done("tick the box for the terms of sale", "0-17", "click", &[]);
    assert_done("hover over the colour button", "0-40", "hover", &[]);
    assert_done("double-click the Orb image", "0-44", "doubleClick", &[]);
}

#[test]
fn what_can_be_used_comes_before_its_equals() {
    assert_done("click Add to basket", "0-42", "click", &[]);
}

#[test]
fn fields_are_filled_with_words_or_variables() {
    assert_done(
        "type %password% into the password field",
        "0-16",
        "fill",
        &["%password%"],
    );
    assert_done(
        "enter \"mira in Berlin\" in the email box",
        "0-15",
        "fill",
        &["mira in Berlin"],
    );
    assert_done(
        "fill the email field with ada@lamp.test",
        "0-15",
        "fill",
        &["ada@lamp.test"],
    );
    assert_done("set the amount to 3", "0-43", "fill", &["3"]);
    assert_done(
        "Type brass lamp into Search lamps",
        "0-3",
        "fill",
        &["brass lamp"],
    );
}

#[test]
fn what_a_field_holds_is_no_part_of_its_name() {
    assert_eq!(done("type x into the old field"), None);
}

#[test]
fn options_of_native_lists_are_selected_by_their_own_text() {
    let method = "selectOptionFromDropdown";
    assert_done("choose Austria in the country list", "0-20", method, &["Austria"]);
    assert_done(
        "select netherlands from the country list",
        "0-20",
        method,
        &["The Netherlands"],
    );
    assert_done("choose Austria", "0-20", method, &["Austria"]);
    assert_done("choose Norway in the country list", "0-20", method, &["Norway"]);
}

#[test]
fn options_that_are_shown_are_clicked() {
    assert_done("choose Express, next working day", "0-28", "click", &[]);
}

#[test]
fn a_list_that_is_closed_is_opened_first_and_its_option_clicked_then() {
    let first = done("choose Blue in the colour list");
    assert_eq!(first, Some(("0-40".to_owned(), "click".to_owned(), vec![], true)));
    let question =
        "You are carrying out in two steps: choose Blue in the colour list\n\nThe first step is done: x.";
    let opened = "[0-40] button: Colour [expanded]\n[0-50] option: Red\n[0-51] option: Blue";
    assert_eq!(
        done_on(opened, question),
        Some(("0-51".to_owned(), "click".to_owned(), vec![], false))
    );
}

#[test]
fn keys_are_pressed_unless_something_is_called_so() {
    assert_done("press Enter", "0-0", "press", &["Enter"]);
    assert_done(
        "press Control+A in the email field",
        "0-15",
        "press",
        &["Control+A"],
    );
    assert_done("press the F5 key", "0-0", "press", &["F5"]);
    let page = "[0-0] RootWebArea: X\n  [0-1] link: Home";
    let click = done_on(page, "Carry out on the page: press Home").map(|(id, method, ..)| (id, method));
    assert_eq!(click, Some(("0-1".to_owned(), "click".to_owned())));
}

#[test]
fn scrolling_means_the_page_or_what_is_named() {
    assert_done("scroll down", "0-0", "nextChunk", &[]);
    assert_done("scroll up one screen", "0-0", "prevChunk", &[]);
    assert_done("scroll to the bottom of the page", "0-0", "scrollTo", &["100%"]);
    assert_done("scroll the reviews to 50%", "0-45", "scrollTo", &["50%"]);
    assert_eq!(done("scroll the ratings down"), None);
}

#[test]
fn nothing_is_done_when_no_word_of_a_name_is_shared() {
    for instruction in [
        "press the cancel button",
        "delete the account",
        "type x into the phone field",
        "type hello",
        "choose Blue in the size list",
        "",
    ] {
        assert_eq!(done(instruction), None, "{instruction}");
    }
}

#[test]
fn the_instruction_ends_before_further_paragraphs() {
    let question =
        "Carry out on the page: press Sign in\n\nIt was tried on another element and did not work: Colour.";
    assert_eq!(done_on(PAGE, question).unwrap().0, "0-18");
}

fn found(instruction: &str) -> Vec<(String, String)> {
    let answer = observe(&asked(PAGE, &format!("Find on the page: {instruction}")));
    let list = answer["elements"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    list.iter()
        .map(|element| (text(&element["elementId"]), text(&element["method"])))
        .collect()
}

#[test]
fn all_elements_that_fit_best_are_found_with_what_is_done_to_them() {
    let pair = |id: &str, method: &str| (id.to_owned(), method.to_owned());
    assert_eq!(
        found("the add buttons"),
        [pair("0-41", "click"), pair("0-42", "click")]
    );
    assert_eq!(
        found("the email fields"),
        [pair("0-15", "fill"), pair("1-1", "fill")]
    );
    assert_eq!(found("type %x% into the password field"), [pair("0-16", "fill")]);
    assert_eq!(found("the phone field"), []);
}

#[test]
fn everything_is_all_that_can_be_used() {
    let all = found("everything that a person would come here to use, such as fields, buttons");
    let ids: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert!(
        ids.contains(&"0-20") && ids.contains(&"1-1") && !ids.contains(&"0-14") && !ids.contains(&"0-22")
    );
}

#[test]
fn a_text_without_a_fence_is_a_page_and_an_instruction() {
    let answer = act("[0-0] RootWebArea: X\n  [0-1] button: Go\npress go");
    assert_eq!(answer["action"]["elementId"], json!("0-1"));
    for odd in ["", "\n", "%", "ä: scroll", "<page>\n</page>\n", "\n</page>\n: "] {
        assert_eq!(act(odd)["action"], Value::Null, "{odd:?}");
    }
}
