//! Long sessions: memory and descriptors stay flat. A twentieth of it in a normal run, all of it with `AUTOMATOR_SOAK`.

use automator::{Action, Automator, Env};
use serde_json::json;

use crate::rig::{Rig, quiet};

/// What may be added after the first tenth, in kB.
const MOST_GROWTH: u64 = 5_000;

fn rounds(soak: usize) -> usize {
    if std::env::var_os("AUTOMATOR_SOAK").is_some() {
        soak
    } else {
        soak / 20
    }
}

/// The resident memory of this process in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test]
async fn memory_stays_flat_over_ten_thousand_actions() {
    let rig = Rig::with_own_browser().await;
    rig.show(
        "<button id=b onclick='window.count = (window.count ?? 0) + 1'>Count</button><input id=i><input id=c type=checkbox>",
    )
    .await;
    let actions = [
        Action::new("#b", "click"),
        Action::new("#i", "fill").argument("some words"),
        Action::new("xpath=//input[2]", "click"),
        Action::new("#i", "press").argument("End"),
    ];
    let all = rounds(10_000);
    let mut before = 0;
    for round in 0..all {
        if round == all / 10 {
            before = resident();
        }
        let action = &actions[round % actions.len()];
        let result = rig.automator.act(action).await.unwrap();
        assert!(result.success, "{round}: {result:?}");
    }
    let grown = resident().saturating_sub(before);
    eprintln!("memory: {grown} kB more after the first tenth");
    assert!(grown < MOST_GROWTH, "{grown} kB over {all} actions");
    let counted = rig.page.evaluate("window.count").await.unwrap();
    assert_eq!(
        counted,
        json!(all.div_ceil(actions.len())),
        "each click counts once"
    );
    assert_eq!(rig.automator.history().len(), all + 1, "all are written down");
    rig.close().await;
}

#[tokio::test]
async fn memory_stays_flat_over_many_pages_read() {
    let rig = Rig::with_own_browser().await;
    let rows: String = (0..400)
        .map(|row| format!("<tr><td>Row {row}<td><a href='/{row}'>More</a>"))
        .collect();
    let pages = [
        rig.site.put(format!("<table>{rows}</table>")),
        rig.site.put("<iframe srcdoc='<button>Inside</button>'></iframe>"),
        rig.site
            .put("<x-a><template shadowrootmode=closed><p>Shade</template></x-a>"),
        rig.site
            .put("<form><label>Name <input></label><select><option>One<option>Two</select></form>"),
        rig.site
            .put("<p id=p></p><script>let i = 0; setInterval(() => { p.textContent = ++i }, 20)</script>"),
    ];
    let all = rounds(200);
    let mut before = 0;
    for round in 0..all {
        for page in &pages {
            rig.open(&page.url).await;
            assert!(!rig.text().await.is_empty());
        }
        if round == all / 10 {
            before = resident();
        }
    }
    let after = resident();
    assert!(
        after * 10 <= before * 13,
        "{before} kB, then {after} kB over {all} rounds"
    );
    rig.close().await;
}

#[tokio::test]
async fn descriptors_stay_flat_over_many_sessions() {
    let round = async || {
        let automator = Automator::builder(Env::Local)
            .local_browser(quiet())
            .build()
            .unwrap();
        automator.init().await.unwrap();
        let page = automator.context().unwrap().active_page().unwrap();
        page.goto("data:text/html,<button>Go</button>").await.unwrap();
        assert!(
            automator
                .act(Action::new("button", "click"))
                .await
                .unwrap()
                .success
        );
        automator.close().await.unwrap();
    };
    // The first round brings what stays: the runtime's threads and pipes.
    round().await;
    let before = open_descriptors();
    for _ in 0..rounds(200) {
        round().await;
    }
    assert!(
        open_descriptors() <= before,
        "{} after {before}",
        open_descriptors()
    );
}
