//! Long runs: what the model is sent stays bounded, and memory flat.
//!
//! `AUTOMATOR_SOAK=1 cargo nextest run -p automator --test agents enduring --no-capture` does all steps and prints the
//! figures; without the variable it is a short form.

use std::future::IntoFuture as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use automator::AgentConfig;
use automator_testing::{Answer, Kind, Request, Route};
use serde_json::json;

use crate::rig::Rig;
use crate::script::{done, is_closing};

/// How many steps a run has: enough for a normal run, and 200 for a long one, as that takes most of a minute.
fn steps() -> usize {
    if std::env::var_os("AUTOMATOR_SOAK").is_some() {
        200
    } else {
        48
    }
}

/// From here on everything that grows for a while has grown.
fn warm(steps: usize) -> usize {
    (steps / 3 * 2).min(50)
}

/// What may be added to the process after that, in kB.
const MOST_GROWTH: u64 = 6_000;

/// A shop of some lists, in which every page is another one and every click changes something.
const PAGE: &str = "<h1>Page {{number}}, visit {{visit}}</h1><button onclick=\"count.textContent = ++window.n\">Count</button><p id=count>0</p>\
    <input aria-label=Note><ul>{{items}}</ul><a href='/shop-{{next}}'>Next page</a><script>window.n = 0</script>";

/// How many pages the shop has.
const PAGES: usize = 7;

/// What was sent at one step.
#[derive(Debug, Clone, Copy)]
struct Sent {
    bytes: usize,
    messages: usize,
    resident: u64,
}

/// Pages that count their visits, so that no state comes again.
fn shop(rig: &Rig) -> String {
    let visits = Arc::new(AtomicUsize::new(0));
    for number in 0..PAGES {
        let items: String = (0..60)
            .map(|item| {
                format!("<li><a href='/item-{item}'>Item {item} of page {number}</a> for {item}.00 euro</li>")
            })
            .collect();
        let html = PAGE
            .replace("{{number}}", &number.to_string())
            .replace("{{next}}", &((number + 1) % PAGES).to_string())
            .replace("{{items}}", &items);
        let visits = Arc::clone(&visits);
        rig.site.handler(&format!("/shop-{number}"), move |_| {
            let visit = visits.fetch_add(1, Ordering::Relaxed);
            Route::html(html.replace("{{visit}}", &visit.to_string()))
        });
    }
    rig.site.url("/shop-0")
}

/// One thing after another, with tools that say little and tools that say much.
fn next(step: usize, request: &Request) -> Answer {
    let act = |action: String| Answer::tool("act", json!({ "action": action }));
    match step % 8 {
        0 | 3 => act(format!("click [{}]", request.id_of("button: Count"))),
        1 => act(format!(
            "type \"note {step}\" into [{}]",
            request.id_of("textbox: Note")
        )),
        2 => Answer::tool("extract", json!({ "instruction": format!("all items, {step}") })),
        4 => Answer::tool(
            "scroll",
            json!({ "direction": if step % 16 == 4 { "down" } else { "up" } }),
        ),
        5 => Answer::tool(
            "think",
            json!({ "reasoning": format!("{step}: {}", "and so on ".repeat(40)) }),
        ),
        6 => Answer::tool("ariaTree", json!({})),
        _ => act(format!("click [{}]", request.id_of("link: Next page"))),
    }
}

/// The resident memory of this process in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs all steps, and gives what was sent at each.
async fn long_run(rig: &Rig) -> Vec<Sent> {
    let start = shop(rig);
    rig.open(&start).await;
    let sent = Arc::new(Mutex::new(Vec::<Sent>::new()));
    let noting = Arc::clone(&sent);
    let all = steps();
    let list: String = (0..60)
        .map(|item| format!("Item {item} for {item}.00 euro; "))
        .collect();
    rig.model.script(move |request| {
        if request.kind != Kind::Agent {
            return Answer::value(json!({ "extraction": list }));
        }
        if is_closing(request) {
            return done("it is enough");
        }
        let step = {
            let mut sent = noting.lock().unwrap();
            sent.push(Sent {
                bytes: request.raw.len(),
                messages: request.messages.len(),
                resident: resident(),
            });
            sent.len() - 1
        };
        if step == all {
            return Answer::text("it is enough");
        }
        next(step, request)
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let limit = u32::try_from(all + 1).unwrap();
    // What is measured is the library, and not what the scripted model keeps.
    let forgetting = async {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            rig.model.forget_requests();
        }
    };
    let result = tokio::select! {
        result = agent.execute("go through the shop").max_steps(limit).into_future() => result.unwrap(),
        () = forgetting => unreachable!("it goes on for ever"),
    };
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    assert!(result.success, "{}", result.message);
    let worked = result
        .actions
        .iter()
        .filter(|action| action.details.get("success") == Some(&true.into()));
    assert_eq!(worked.count(), all, "every step did something");
    sent.lock().unwrap().clone()
}

fn most(sent: &[Sent], of: impl Fn(&Sent) -> usize) -> usize {
    sent.iter().map(of).max().unwrap_or_default()
}

fn figures(sent: &[Sent]) -> String {
    let shown = [1, 10, 25, 50, 75, 100, 150, 200];
    let line = |step: usize| {
        let Sent {
            bytes,
            messages,
            resident,
        } = sent[step - 1];
        format!("{step:>4} {bytes:>6} {messages:>9} {resident:>12}\n")
    };
    let lines: String = shown
        .into_iter()
        .filter(|step| *step <= sent.len())
        .map(line)
        .collect();
    let all: usize = sent.iter().map(|sent| sent.bytes).sum();
    let most = most(sent, |sent| sent.bytes);
    format!("step  bytes  messages  resident kB\n{lines}all requests: {all} bytes, at most {most} at once")
}

#[tokio::test]
async fn a_run_of_many_steps_stays_bounded() {
    let rig = Rig::start().await;
    let sent = long_run(&rig).await;
    eprintln!("{}", figures(&sent));
    let (early, late) = sent.split_at(warm(steps()));
    let (bytes_early, bytes_late) = (most(early, |sent| sent.bytes), most(late, |sent| sent.bytes));
    assert!(
        bytes_late * 10 <= bytes_early * 13,
        "{bytes_early} bytes, then {bytes_late}"
    );
    let (messages_early, messages_late) = (
        most(early, |sent| sent.messages),
        most(late, |sent| sent.messages),
    );
    assert!(
        messages_late <= messages_early,
        "{messages_early} messages, then {messages_late}"
    );
    let (before, after) = (late[0].resident, late[late.len() - 1].resident);
    println!(
        "resident: {before} kB at step {}, {after} kB at the end",
        early.len()
    );
    assert!(after <= before + MOST_GROWTH, "{before} kB, then {after} kB");
    rig.close().await;
}
