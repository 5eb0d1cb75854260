//! Ending browsers in every way, and what is left of them: nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use automator_browser::{Browser, BrowserError, KeptBrowser, LaunchOptions};

use crate::{all_gone, eventually, first_page, own_browser, processes_with};

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Temporary profiles of this process.
fn own_profiles() -> Vec<PathBuf> {
    let prefix = format!("automator-profile-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().contains(&prefix))
        .collect()
}

#[tokio::test]
async fn launching_and_closing_again_and_again_leaves_nothing() {
    let rounds = if std::env::var_os("AUTOMATOR_SOAK").is_some() {
        200
    } else {
        8
    };
    // The first round brings what stays: the runtime's threads and pipes.
    own_browser().await.close().await;
    let descriptors = open_descriptors();
    for _ in 0..rounds {
        let browser = own_browser().await;
        let profile = browser.profile_path().unwrap();
        browser.close().await;
        assert!(!profile.exists());
        assert!(processes_with(&profile.to_string_lossy()).is_empty());
    }
    assert_eq!(own_profiles(), Vec::<PathBuf>::new());
    eventually("descriptors to be closed", async || {
        (open_descriptors() <= descriptors).then_some(())
    })
    .await;
}

#[tokio::test]
async fn closing_twice_and_at_once_is_fine_and_later_calls_say_closed() {
    let browser = own_browser().await;
    let page = first_page(&browser);
    tokio::join!(browser.close(), browser.close(), browser.close_now());
    browser.close().await;
    assert!(!browser.is_connected() && page.is_closed());
    let error = page.evaluate_in_page("1").await.unwrap_err();
    assert!(
        matches!(error, BrowserError::ConnectionClosed { .. }),
        "{error:?}"
    );
    let error = browser.context().new_page("about:blank").await.unwrap_err();
    assert!(
        matches!(error, BrowserError::ConnectionClosed { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn browser_that_dies_ends_pending_calls() {
    let browser = own_browser().await;
    let page = first_page(&browser);
    let profile = browser.profile_path().unwrap();
    let never = page.evaluate_in_page("new Promise(() => { window.isPending = true })");
    let kill = async {
        eventually("the call to be pending", async || {
            let pending = page.evaluate_in_page("window.isPending === true").await.unwrap();
            (pending == true).then_some(())
        })
        .await;
        let id = browser.process_id().unwrap().to_string();
        assert!(
            Command::new("kill")
                .args(["-KILL", &id])
                .status()
                .unwrap()
                .success()
        );
    };
    let (outcome, ()) = tokio::join!(never, kill);
    assert!(
        matches!(outcome, Err(BrowserError::ConnectionClosed { .. })),
        "{outcome:?}"
    );
    browser.close().await;
    assert!(!profile.exists());
}

#[tokio::test]
async fn start_that_is_given_up_leaves_nothing() {
    for milliseconds in [0, 1, 5, 50, 200, 400] {
        let limit = Duration::from_millis(milliseconds);
        let started = tokio::time::timeout(limit, Browser::start(&LaunchOptions::default())).await;
        drop(started);
    }
    eventually("profiles to go", async || own_profiles().is_empty().then_some(())).await;
    let prefix = format!("automator-profile-{}-", std::process::id());
    eventually("processes to go", async || {
        processes_with(&prefix).is_empty().then_some(())
    })
    .await;
}

#[test]
fn last_handle_dropped_outside_a_runtime_ends_the_browser() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let browser = runtime.block_on(own_browser());
    let page = first_page(&browser);
    let profile = browser.profile_path().unwrap();
    drop(browser);
    assert_eq!(runtime.block_on(page.evaluate_in_page("1")).unwrap(), 1);
    drop(runtime);
    drop(page);
    let waiting = tokio::runtime::Runtime::new().unwrap();
    waiting.block_on(all_gone(&profile));
    waiting.block_on(eventually("the profile to go", async || {
        (!profile.exists()).then_some(())
    }));
}

#[tokio::test]
async fn browser_outlives_the_thread_that_started_it() {
    let browser = std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let browser = runtime.block_on(own_browser());
        (browser, runtime)
    });
    let (browser, runtime) = browser.join().unwrap();
    // Nothing tells that a browser goes on living; it would be gone by now.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(first_page(&browser).evaluate_in_page("2").await.unwrap(), 2);
    browser.close().await;
    runtime.shutdown_background();
}

/// Not a test by itself: the process that the next two tests run, and kill.
#[tokio::test]
async fn host_process() {
    let Some(mode) = std::env::var_os("AUTOMATOR_TEST_HOST") else {
        return;
    };
    let mut options = LaunchOptions::default();
    options.keep_alive = mode == "keep-alive";
    let browser = Browser::start(&options).await.unwrap();
    println!("\nprofile {}", browser.profile_path().unwrap().display());
    println!("address {}", browser.connect_url().await.unwrap());
    std::io::stdout().flush().unwrap();
    std::future::pending::<()>().await;
}

/// Runs [`host_process`], waits for its browser and kills it without warning. Returns profile and address.
fn killed_host(mode: &str) -> (PathBuf, String) {
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ending::host_process", "--nocapture"])
        .env("AUTOMATOR_TEST_HOST", mode)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut value = |name: &str| {
        lines
            .find_map(|line| line.strip_prefix(name).map(str::to_owned))
            .unwrap()
    };
    let (profile, address) = (value("profile "), value("address "));
    host.kill().unwrap();
    host.wait().unwrap();
    (profile.into(), address)
}

#[tokio::test]
async fn browser_goes_when_its_host_is_killed_and_the_next_start_removes_the_profile() {
    let (profile, _) = tokio::task::spawn_blocking(|| killed_host("normal"))
        .await
        .unwrap();
    let killed = Instant::now();
    all_gone(&profile).await;
    println!("gone after {:?}", killed.elapsed());
    let next = own_browser().await;
    eventually("the profile to be swept away", async || {
        (!profile.exists()).then_some(())
    })
    .await;
    next.close().await;
}

#[tokio::test]
async fn browser_that_is_kept_alive_survives_its_host_with_its_profile() {
    let (profile, address) = tokio::task::spawn_blocking(|| killed_host("keep-alive"))
        .await
        .unwrap();
    own_browser().await.close().await;
    assert!(
        profile.is_dir(),
        "the profile of a running browser was swept away"
    );
    let mut options = LaunchOptions::default();
    options.cdp_url = Some(address);
    let attached = Browser::start(&options).await.unwrap();
    assert_eq!(first_page(&attached).evaluate_in_page("3").await.unwrap(), 3);
    drop(
        attached
            .session()
            .send_raw("Browser.close", serde_json::json!({})),
    );
    attached.closed().await;
    all_gone(&profile).await;
    own_browser().await.close().await;
    eventually("the profile to be swept away", async || {
        (!profile.exists()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn kept_browser_is_ended_from_what_was_written_down_of_it() {
    let mut options = LaunchOptions::default();
    options.keep_alive = true;
    let browser = Browser::start(&options).await.unwrap();
    let written = serde_json::to_string(&browser.kept().await.unwrap()).unwrap();
    let profile = browser.profile_path().unwrap();
    browser.close().await;
    let kept: KeptBrowser = serde_json::from_str(&written).unwrap();
    assert!(kept.is_alive().await);
    let mut attaching = LaunchOptions::default();
    attaching.cdp_url = Some(kept.address().to_owned());
    let attached = Browser::start(&attaching).await.unwrap();
    assert!(attached.kept().await.is_err(), "it is not this one's to end");
    assert!(kept.end().await);
    assert!(processes_with(&profile.to_string_lossy()).is_empty());
    assert!(!profile.exists());
    assert!(!kept.is_alive().await && !kept.end().await);
}

/// The processes that this one has started and that have ended, but that nobody has asked for their status.
fn zombies() -> Vec<String> {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok());
    stats
        .filter(|stat| {
            let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
            fields.starts_with(&format!("Z {own} "))
        })
        .collect()
}

/// Also when the runtime has ended that the browser was started in, and however it is let go of.
#[test]
fn a_browser_that_outlives_its_handle_is_no_zombie_once_it_has_ended() {
    for is_dropped in [false, true] {
        let runtime = || tokio::runtime::Runtime::new().unwrap();
        let first = runtime();
        let kept = first.block_on(async {
            let mut options = LaunchOptions::default();
            options.keep_alive = true;
            let browser = Browser::start(&options).await.unwrap();
            let kept = browser.kept().await.unwrap();
            if !is_dropped {
                browser.close().await;
            }
            kept
        });
        drop(first);
        runtime().block_on(async {
            assert!(kept.is_alive().await, "it lives on");
            assert!(kept.end().await);
            eventually("its status to be asked for", async || {
                zombies().is_empty().then_some(())
            })
            .await;
        });
    }
}

/// Not a test by itself: the process that the next one runs. As the first one of a container it is the parent of all
/// that have lost theirs.
#[tokio::test]
async fn first_process() {
    if std::env::var_os("AUTOMATOR_TEST_FIRST").is_none() {
        return;
    }
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    for end in ["kept", "closed", "dropped", "killed"] {
        let mut options = LaunchOptions::default();
        options.keep_alive = matches!(end, "kept" | "killed");
        let browser = Browser::start(&options).await.unwrap();
        let kept = match options.keep_alive {
            true => Some(browser.kept().await.unwrap()),
            false => None,
        };
        match end {
            "dropped" => drop(browser),
            _ => browser.close().await,
        }
        if let Some(kept) = kept {
            if end == "killed" {
                let written = serde_json::to_value(&kept).unwrap();
                let id = i32::try_from(written["processId"].as_i64().unwrap()).unwrap();
                let id = rustix::process::Pid::from_raw(id).unwrap();
                rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
                eventually("its processes to end", async || {
                    (!kept.is_alive().await).then_some(())
                })
                .await;
            }
            kept.end().await;
        }
        eventually(end, async || zombies().is_empty().then_some(())).await;
    }
}

#[test]
fn the_first_process_of_a_container_is_left_no_zombies() {
    let first = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ending::first_process", "--nocapture"])
        .env("AUTOMATOR_TEST_FIRST", "1")
        .output()
        .unwrap();
    assert!(
        first.status.success(),
        "{}",
        String::from_utf8_lossy(&first.stderr)
    );
}

#[tokio::test]
async fn process_that_only_has_the_number_of_a_kept_browser_is_left_alone() {
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let kept: KeptBrowser = serde_json::from_value(serde_json::json!({
        "address": "ws://127.0.0.1:1/", "processId": other.id(), "mark": "AUTOMATOR_BROWSER=1-0-0",
        "profile": folder.path(), "isTemporary": true,
    }))
    .unwrap();
    assert!(!kept.is_alive().await && !kept.end().await);
    assert!(other.try_wait().unwrap().is_none(), "it still runs");
    assert!(folder.path().exists(), "no profile of ours");
    other.kill().unwrap();
    other.wait().unwrap();
}
