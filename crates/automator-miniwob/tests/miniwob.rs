//! Some tasks of MiniWoB++, each kind of step among them. The pages are fetched from the package index of Python
//! when they are not there yet.

use automator_miniwob::{Arena, STEPS, TASKS, Task};

/// What is played here, a browser for each group.
const GROUPS: [&[&str]; 6] = [CLICKS, FORMS, PICKERS, TEXTS, DRAGS, MOVING];

const CLICKS: &[&str] = &[
    "click-checkboxes",
    "click-dialog-2",
    "click-color",
    "click-tab-2",
    "click-menu",
];
const FORMS: &[&str] = &[
    "enter-text-2",
    "login-user-popup",
    "choose-list",
    "click-scroll-list",
    "guess-number",
    "use-autocomplete",
];
const PICKERS: &[&str] = &["choose-date-nodelay", "enter-date", "use-slider"];
const TEXTS: &[&str] = &["copy-paste", "highlight-text", "text-transform", "scroll-text-2"];
const DRAGS: &[&str] = &["drag-box", "drag-items-grid", "drag-circle", "grid-coordinate"];
const MOVING: &[&str] = &["chase-circle"];

fn task(name: &str) -> &'static Task {
    let found = TASKS.iter().find(|task| task.name == name);
    found.unwrap_or_else(|| panic!("there is no task {name}"))
}

/// Plays tasks in one browser, with two problems each.
async fn play(names: &[&str]) {
    let arena = Arena::open(false).await.unwrap();
    let mut problems = Vec::new();
    for name in names {
        for seed in 1..=2 {
            let outcome = arena.play(task(name), seed).await;
            if !outcome.is_solved {
                problems.push(format!("{name} with seed {seed}: {}", outcome.message));
            }
        }
    }
    arena.close().await.unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
async fn buttons_boxes_tabs_and_menus() {
    play(CLICKS).await;
}

#[tokio::test]
async fn forms_and_lists() {
    play(FORMS).await;
}

#[tokio::test]
async fn dates_and_sliders() {
    play(PICKERS).await;
}

#[tokio::test]
async fn text_that_is_selected_copied_and_scrolled() {
    play(TEXTS).await;
}

#[tokio::test]
async fn dragging_and_coordinates() {
    play(DRAGS).await;
}

#[tokio::test]
async fn what_moves() {
    play(MOVING).await;
}

#[test]
fn each_kind_of_step_is_among_them() {
    let names: Vec<&str> = GROUPS.concat();
    assert!(names.len() >= 20, "{}", names.len());
    for step in STEPS {
        assert!(
            names.iter().any(|name| task(name).steps.contains(&step)),
            "{step}"
        );
    }
}
