//! The tabs of a browser, and which of them a viewer looks at; pure.
//!
//! A viewer who has not chosen a tab looks at the newest one, and so does one whose tab has gone.

use automator_cdp::protocol::target::TargetInfo;

use super::message::Tab;
use crate::cdp::is_of_the_browser;

#[derive(Debug, Default)]
pub(super) struct Tabs {
    /// The newest last.
    tabs: Vec<Tab>,
    chosen: Option<String>,
}

impl Tabs {
    /// Tabs of which this one is looked at, once it is there.
    pub(super) fn looking_at(chosen: Option<String>) -> Self {
        Self {
            tabs: Vec::new(),
            chosen,
        }
    }

    /// Puts the tabs into the order in which these targets came. Those of which nothing is known come first, and empty ones
    /// before others: a browser begins with an empty one.
    pub(super) fn sort(&mut self, targets: &[String]) {
        let place = |tab: &Tab| targets.iter().rposition(|target| *target == tab.id);
        self.tabs
            .sort_by_key(|tab| (place(tab), tab.url != "about:blank"));
    }

    /// A target is there, or is another than before. Gives whether that changes anything here.
    pub(super) fn put(&mut self, target: TargetInfo) -> bool {
        if target.r#type != "page" || is_of_the_browser(&target.url) {
            return false;
        }
        let tab = Tab {
            id: target.target_id,
            title: target.title,
            url: target.url,
        };
        match self.tabs.iter_mut().find(|known| known.id == tab.id) {
            Some(known) if *known == tab => return false,
            Some(known) => *known = tab,
            None => self.tabs.push(tab),
        }
        true
    }

    /// A target has gone. Gives whether that changes anything here.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let before = self.tabs.len();
        self.tabs.retain(|tab| tab.id != id);
        if self.chosen.as_deref() == Some(id) {
            self.chosen = None;
        }
        self.tabs.len() != before
    }

    /// Chooses a tab. Gives whether there is one of this id.
    pub(super) fn choose(&mut self, id: &str) -> bool {
        let is_there = self.has(id);
        if is_there {
            self.chosen = Some(id.to_owned());
        }
        is_there
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.tabs.iter().any(|tab| tab.id == id)
    }

    /// Whether a target is known under another address.
    pub(super) fn has_other_url(&self, target: &TargetInfo) -> bool {
        let known = self.tabs.iter().find(|tab| tab.id == target.target_id);
        known.is_some_and(|tab| tab.url != target.url)
    }

    /// The tab to be looked at.
    pub(super) fn looked_at(&self) -> Option<&str> {
        let chosen = self.chosen.as_deref().filter(|id| self.has(id));
        chosen.or_else(|| self.tabs.last().map(|tab| tab.id.as_str()))
    }

    pub(super) fn all(&self) -> &[Tab] {
        &self.tabs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(id: &str, title: &str) -> TargetInfo {
        TargetInfo {
            target_id: id.to_owned(),
            r#type: "page".to_owned(),
            title: title.to_owned(),
            ..TargetInfo::default()
        }
    }

    #[test]
    fn the_newest_tab_is_looked_at_until_one_is_chosen() {
        let mut tabs = Tabs::default();
        assert_eq!(tabs.looked_at(), None);
        assert!(tabs.put(target("A", "")) && tabs.put(target("B", "")));
        assert_eq!(tabs.looked_at(), Some("B"));
        assert!(tabs.choose("A"));
        assert!(!tabs.choose("nowhere"));
        tabs.put(target("C", ""));
        assert_eq!(tabs.looked_at(), Some("A"));
        tabs.remove("A");
        assert_eq!(tabs.looked_at(), Some("C"));
    }

    #[test]
    fn one_that_is_named_in_the_address_is_looked_at_as_soon_as_it_is_there() {
        let mut tabs = Tabs::looking_at(Some("B".to_owned()));
        tabs.put(target("A", ""));
        assert_eq!(tabs.looked_at(), Some("A"));
        tabs.put(target("B", ""));
        tabs.put(target("C", ""));
        assert_eq!(tabs.looked_at(), Some("B"));
    }

    #[test]
    fn tabs_come_in_the_order_in_which_they_were_opened() {
        let mut tabs = Tabs::default();
        for id in ["C", "old", "A", "B"] {
            tabs.put(target(id, ""));
        }
        tabs.sort(&["A", "W", "B", "C"].map(str::to_owned));
        let ids: Vec<&str> = tabs.all().iter().map(|tab| tab.id.as_str()).collect();
        assert_eq!(ids, ["old", "A", "B", "C"]);
        let mut empty = target("E", "");
        empty.url = "about:blank".to_owned();
        tabs.put(empty);
        tabs.sort(&[]);
        assert_eq!(tabs.all().first().map(|tab| tab.id.as_str()), Some("E"));
        tabs.sort(&["A", "W", "B", "C"].map(str::to_owned));
        assert_eq!(tabs.looked_at(), Some("C"));
    }

    #[test]
    fn only_what_changes_something_is_told() {
        let mut tabs = Tabs::default();
        let mut worker = target("W", "");
        worker.r#type = "service_worker".to_owned();
        assert!(!tabs.put(worker) && !tabs.remove("W"));
        assert!(tabs.put(target("A", "one")));
        assert!(!tabs.put(target("A", "one")));
        assert!(tabs.put(target("A", "two")));
        assert_eq!(tabs.all().first().map(|tab| tab.title.as_str()), Some("two"));
    }
}
