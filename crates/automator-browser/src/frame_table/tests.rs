use proptest::prelude::*;

use std::time::Instant;

use super::*;

fn session(id: &str) -> SessionId {
    Arc::from(id)
}

fn info(id: &str, parent: Option<&str>, loader: &str) -> FrameInfo {
    FrameInfo {
        id: id.to_owned(),
        parent_id: parent.map(str::to_owned),
        loader_id: loader.to_owned(),
        url: format!("http://{loader}/"),
        ..FrameInfo::default()
    }
}

fn tree(frame: FrameInfo, child_frames: Vec<FrameTree>) -> FrameTree {
    FrameTree { frame, child_frames }
}

/// `id@session` of all frames.
fn listing(table: &FrameTable) -> Vec<String> {
    table
        .all()
        .map(|record| format!("{}@{}", record.id, record.session))
        .collect()
}

fn page() -> (FrameTable, SessionId) {
    let page = session("page");
    (FrameTable::new("main", &page), page)
}

#[test]
fn frame_that_moves_to_another_process_is_owned_by_the_new_session_only() {
    let (mut table, page) = page();
    let remote = session("remote");
    table.attached(&page, "f", "main");
    table.session_attached(&remote, "f", Some("main"), Instant::now());
    table.navigated(&remote, &info("f", Some("main"), "L"), Instant::now());
    table.attached(&remote, "inner", "f");
    table.detached(&page, "f", true);
    assert_eq!(listing(&table), ["main@page", "f@remote", "inner@remote"]);
}

#[test]
fn frame_that_comes_back_is_owned_by_the_old_session_and_its_content_is_gone() {
    let (mut table, page) = page();
    let remote = session("remote");
    table.session_attached(&remote, "f", Some("main"), Instant::now());
    table.navigated(&remote, &info("f", Some("main"), "L"), Instant::now());
    table.attached(&remote, "inner", "f");
    table.session_detached(&remote);
    assert_eq!(listing(&table), ["main@page"]);
    table.attached(&page, "f", "main");
    table.navigated(&page, &info("f", Some("main"), "M"), Instant::now());
    assert_eq!(listing(&table), ["main@page", "f@page"]);
    assert_eq!(table.get("f").map(|record| record.loader_id.as_str()), Some("M"));
}

#[test]
fn frame_that_came_back_before_its_session_ended_stays() {
    let (mut table, page) = page();
    let remote = session("remote");
    table.session_attached(&remote, "f", Some("main"), Instant::now());
    table.attached(&page, "f", "main");
    table.session_detached(&remote);
    assert_eq!(listing(&table), ["main@page", "f@page"]);
}

#[test]
fn new_document_removes_all_frames_of_the_old_one_and_forgets_its_worlds() {
    let (mut table, page) = page();
    table.navigated(&page, &info("main", None, "A"), Instant::now());
    table.attached(&page, "f", "main");
    table.session_attached(&session("remote"), "inner", Some("f"), Instant::now());
    table.get_mut("main").unwrap().worlds.isolated = Some(7);
    let before = table.get("main").unwrap().document;
    table.navigated(&page, &info("main", None, "B"), Instant::now());
    assert_eq!(listing(&table), ["main@page"]);
    assert!(table.get("main").unwrap().worlds.isolated.is_none());
    assert_ne!(table.get("main").unwrap().document, before);
}

#[test]
fn removed_element_takes_its_frame_whoever_owns_it() {
    let (mut table, page) = page();
    table.session_attached(&session("remote"), "f", Some("main"), Instant::now());
    table.attached(&session("remote"), "inner", "f");
    table.detached(&page, "f", false);
    assert_eq!(listing(&table), ["main@page"]);
}

#[test]
fn frame_tree_adds_what_events_have_not_told_and_overrules_nothing() {
    let (mut table, page) = page();
    let remote = session("remote");
    table.expect_tree(&page);
    table.navigated(&page, &info("main", None, "new"), Instant::now());
    table.session_attached(&remote, "moved", Some("main"), Instant::now());
    table.navigated(&remote, &info("moved", Some("main"), "R"), Instant::now());
    table.attached(&page, "short", "main");
    table.detached(&page, "short", false);
    let children = ["moved", "short", "only-in-tree"].map(|id| {
        tree(
            info(id, Some("main"), "old"),
            vec![tree(info(&format!("{id}-inner"), Some(id), "old"), vec![])],
        )
    });
    table.apply_tree(
        &page,
        &tree(info("main", None, "old"), children.to_vec()),
        Instant::now(),
    );
    assert_eq!(
        listing(&table),
        [
            "main@page",
            "moved@remote",
            "only-in-tree@page",
            "only-in-tree-inner@page"
        ]
    );
    assert_eq!(
        table.get("main").map(|record| record.loader_id.as_str()),
        Some("new")
    );
}

#[test]
fn frame_that_is_attached_again_before_the_tree_comes_is_kept() {
    let (mut table, page) = page();
    table.expect_tree(&page);
    table.attached(&page, "f", "main");
    table.detached(&page, "f", false);
    table.attached(&page, "f", "main");
    table.apply_tree(
        &page,
        &tree(
            info("main", None, "A"),
            vec![tree(info("f", Some("main"), "B"), vec![])],
        ),
        Instant::now(),
    );
    assert_eq!(table.get("f").map(|record| record.loader_id.as_str()), Some("B"));
}

#[test]
fn address_changes_only_by_the_owner() {
    let (mut table, page) = page();
    table.navigated(&page, &info("main", None, "A"), Instant::now());
    table.navigated_within_document(&session("other"), "main", "http://A/#no");
    table.navigated_within_document(&page, "main", "http://A/#yes");
    assert_eq!(
        table.get("main").map(|record| record.url.as_str()),
        Some("http://A/#yes")
    );
}

#[test]
fn trees_of_any_depth_are_read() {
    let (mut table, page) = page();
    let mut deep = tree(info("f500", Some("f499"), "L"), vec![]);
    for level in (0..500_u32).rev() {
        let parent = level
            .checked_sub(1)
            .map_or("main".to_owned(), |level| format!("f{level}"));
        deep = tree(info(&format!("f{level}"), Some(&parent), "L"), vec![deep]);
    }
    table.apply_tree(&page, &tree(info("main", None, "L"), vec![deep]), Instant::now());
    assert_eq!(table.all().count(), 502);
    table.detached(&page, "f0", false);
    assert_eq!(table.all().count(), 1);
}

#[test]
fn document_of_a_page_that_is_met_is_on_its_way_until_it_has_been_read() {
    let page = session("page");
    let met = |url: &str| {
        let mut table = FrameTable::new("main", &page);
        table.expect_tree(&page);
        let mut main = info("main", None, "A");
        url.clone_into(&mut main.url);
        table.apply_tree(&page, &tree(main, Vec::new()), Instant::now());
        table
    };
    let mut table = met("https://example.com/");
    assert!(is_coming(&table, "main"));
    table.parsed("main", "A");
    assert!(!is_coming(&table, "main"));
    // The document that a page begins with may never be told as read.
    assert!(!is_coming(&met("about:blank"), "main"));
}

fn is_coming(table: &FrameTable, frame: &str) -> bool {
    table.get(frame).unwrap().coming_since().is_some()
}

#[test]
fn frame_is_coming_until_its_document_has_been_read() {
    let (page, now) = (session("page"), Instant::now());
    let mut table = FrameTable::new("main", &page);
    table.attached(&page, "f", "main");
    assert!(!is_coming(&table, "f"), "an empty frame waits for nothing");
    table.started_navigating(&page, "f", "A");
    table.started_loading(&page, "f", now);
    assert!(is_coming(&table, "f"));
    table.navigated(&page, &info("f", Some("main"), "A"), now);
    table.parsed("f", "other");
    assert!(is_coming(&table, "f"));
    table.parsed("f", "A");
    assert!(!is_coming(&table, "f"), "its pictures may still be coming");
    table.started_loading(&page, "f", now);
    assert!(!is_coming(&table, "f"), "the old document can be read");
    table.navigated(&page, &info("f", Some("main"), "B"), now);
    assert!(is_coming(&table, "f"));
    table.stopped_loading(&page, "f");
    assert!(!is_coming(&table, "f"), "it has given up");
}

#[test]
fn frame_that_moves_is_coming_while_its_new_session_shows_an_empty_document() {
    let (page, remote, now) = (session("page"), session("remote"), Instant::now());
    let mut table = FrameTable::new("main", &page);
    table.attached(&page, "f", "main");
    table.started_navigating(&page, "f", "A");
    table.started_loading(&page, "f", now);
    table.session_attached(&remote, "f", Some("main"), now);
    table.parsed("f", "empty");
    table.expect_tree(&remote);
    table.apply_tree(&remote, &tree(info("f", None, "empty"), Vec::new()), now);
    assert!(is_coming(&table, "f"));
    table.navigated(&remote, &info("f", None, "A"), now);
    table.parsed("f", "A");
    assert!(!is_coming(&table, "f"));
}

#[test]
fn what_a_frame_tells_of_the_document_that_it_leaves_does_not_end_what_it_was_sent_to() {
    let (mut table, page) = page();
    table.send(&page, "main");
    table.navigated(&page, &info("main", None, "blank"), Instant::now());
    table.stopped_loading(&page, "main");
    assert!(table.main_record().unwrap().goes_elsewhere());
    table.sent(&page, "main");
    assert!(!table.main_record().unwrap().goes_elsewhere());
}

#[test]
fn frame_that_set_out_is_followed_until_its_document_is_there_or_nothing_comes_of_it() {
    let (mut table, page) = page();
    table.attached(&page, "f", "main");
    table.navigated(&page, &info("f", Some("main"), "A"), Instant::now());
    table.parsed("f", "A");
    table.started_navigating(&page, "f", "B");
    let before = table.departures();
    assert!(!table.any_is_under_way_since(before), "it had left before");

    table.stopped_loading(&page, "f");
    table.set_out(&page, "f");
    assert!(table.any_sets_out_since(before) && !table.main_record().unwrap().has_set_out_since(before));
    table.set_out_no_more(&page, "f");
    assert!(!table.any_sets_out_since(before) && !table.any_is_under_way_since(before));

    table.set_out(&page, "f");
    table.started_navigating(&page, "f", "C");
    assert!(!table.any_sets_out_since(before) && table.any_is_under_way_since(before));
    table.navigated(&page, &info("f", Some("main"), "C"), Instant::now());
    assert!(table.any_is_under_way_since(before), "it has not been read");
    table.parsed("f", "C");
    assert!(!table.any_is_under_way_since(before));
}

#[test]
fn what_a_frame_set_out_for_in_another_process_is_forgotten() {
    let (mut table, page) = page();
    table.attached(&page, "f", "main");
    table.set_out(&page, "f");
    table.session_attached(&session("remote"), "f", Some("main"), Instant::now());
    table.set_out_no_more(&page, "f");
    assert!(!table.any_sets_out_since(0));
}

/// Something that the browser may say, in whatever order.
#[derive(Debug, Clone)]
enum Said {
    Attached(u8, u8, u8),
    Navigated(u8, u8, Option<u8>),
    Detached(u8, u8, bool),
    SessionAttached(u8, u8, u8),
    SessionDetached(u8),
    TreeExpected(u8),
    Tree(u8, Vec<u8>),
}

fn said() -> impl Strategy<Value = Said> {
    let (s, f) = (0_u8..4, 0_u8..6);
    prop_oneof![
        (s.clone(), f.clone(), f.clone()).prop_map(|(s, f, p)| Said::Attached(s, f, p)),
        (s.clone(), f.clone(), proptest::option::of(f.clone()))
            .prop_map(|(s, f, p)| Said::Navigated(s, f, p)),
        (s.clone(), f.clone(), any::<bool>()).prop_map(|(s, f, swap)| Said::Detached(s, f, swap)),
        (s.clone(), f.clone(), f.clone()).prop_map(|(s, f, p)| Said::SessionAttached(s, f, p)),
        s.clone().prop_map(Said::SessionDetached),
        s.clone().prop_map(Said::TreeExpected),
        (s, proptest::collection::vec(f, 1..6)).prop_map(|(s, frames)| Said::Tree(s, frames)),
    ]
}

proptest! {
    #[test]
    fn table_stays_whole_whatever_the_browser_says(all in proptest::collection::vec(said(), 0..60)) {
        let name = |frame: u8| format!("f{frame}");
        let key = |number: u8| session(&format!("s{number}"));
        let mut table = FrameTable::new("f0", &key(0));
        for said in all {
            match said {
                Said::Attached(s, f, p) => table.attached(&key(s), &name(f), &name(p)),
                Said::Navigated(s, f, p) => table.navigated(&key(s), &info(&name(f), p.map(name).as_deref(), "L"), Instant::now()),
                Said::Detached(s, f, swap) => table.detached(&key(s), &name(f), swap),
                Said::SessionAttached(s, f, p) => table.session_attached(&key(s), &name(f), Some(&name(p)), Instant::now()),
                Said::SessionDetached(s) => table.session_detached(&key(s)),
                Said::TreeExpected(s) => table.expect_tree(&key(s)),
                Said::Tree(s, frames) => {
                    let nested = frames.iter().rev().fold(None, |inner: Option<FrameTree>, frame| {
                        Some(tree(info(&name(*frame), None, "T"), inner.into_iter().collect()))
                    });
                    table.apply_tree(&key(s), &nested.unwrap(), Instant::now());
                }
            }
            prop_assert!(table.get("f0").is_some(), "the main frame stays");
            let ids: Vec<&str> = table.all().map(|record| record.id.as_str()).collect();
            for record in table.all() {
                let parent = record.parent.as_deref();
                prop_assert!(parent.is_none_or(|parent| !table.is_within(parent, &record.id)), "a circle");
            }
            let distinct: HashSet<&str> = ids.iter().copied().collect();
            prop_assert_eq!(ids.len(), distinct.len());
        }
    }
}
