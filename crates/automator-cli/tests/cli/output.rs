//! What happens where the output goes: pipes, full disks, terminals.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::Stdio;

use automator_testing::Site;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::command::{BINARY, Outcome, World};

/// A page whose text is far longer than what a pipe holds.
fn long_page(site: &Site) -> String {
    let lines: String = (0..20_000)
        .map(|number| format!("<p>Line {number}</p>"))
        .collect();
    site.put(lines).url
}

#[tokio::test]
async fn a_reader_that_stops_early_ends_the_command_quietly() {
    let site = Site::start().await;
    let world = World::attached();
    let url = long_page(&site);
    for option in ["", "--json"] {
        let script = format!("{{ '{BINARY}' snapshot -q '{url}' {option}; echo $? >code; }} | head -c 20");
        let output = world.program("sh").args(["-c", &script]).output().await.unwrap();
        assert_eq!(output.stdout.len(), 20);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        let code = std::fs::read_to_string(world.work().join("code")).unwrap();
        assert_eq!(code, "0\n");
        world.assert_nothing_left();
    }
}

#[tokio::test]
async fn help_into_a_closed_pipe_is_quiet_too() {
    let script = format!("'{BINARY}' extract --help | true");
    let output = World::attached()
        .program("bash")
        .args(["-o", "pipefail", "-c", &script])
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[tokio::test]
async fn output_that_cannot_be_written_is_a_failure() {
    let site = Site::start().await;
    let page = site.put("<p>Hi</p>");
    let world = World::attached();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let child = world
        .automator(&["snapshot", &page.url])
        .stdout(full)
        .spawn()
        .unwrap();
    let output = child.wait_with_output().await.unwrap();
    Outcome::of(output).assert_failed(1, &["cannot be written"]);
    world.assert_nothing_left();
}

#[tokio::test]
async fn a_closed_standard_error_does_not_change_the_result() {
    let site = Site::start().await;
    let page = site.put("<p>Hi</p>");
    let world = World::attached();
    let script = format!("'{BINARY}' snapshot '{}' 2>&-", page.url);
    let output = world.program("sh").args(["-c", &script]).output().await.unwrap();
    assert!(Outcome::of(output).result().contains("Hi"));
    let script = format!("'{BINARY}' snapshot '{}' --selector '#none' 2>&-", page.url);
    let output = world.program("sh").args(["-c", &script]).output().await.unwrap();
    assert_eq!(Outcome::of(output).code, 1);
}

#[tokio::test]
async fn waiting_is_shown_on_a_terminal_and_the_result_stays_clean() {
    let site = Site::start().await;
    let page = site.put("<p>Hi</p>");
    let world = World::attached();
    let (shown, output) = run_at_terminal(&world, &["snapshot", &page.url]).await;
    for step in ["Starting the browser", &format!("Loading {}", page.url)] {
        assert!(shown.contains(step), "{step}: {shown:?}");
    }
    assert!(shown.ends_with("\u{1b}[2K"), "the line is cleared: {shown:?}");
    assert_eq!(Outcome::of(output).result(), "[0-0] RootWebArea: fixture\n  Hi\n");

    let (shown, _) = run_at_terminal(&world, &["snapshot", "--quiet", &page.url]).await;
    assert_eq!(shown, "");
}

#[tokio::test]
async fn verbose_tells_what_is_done_on_standard_error() {
    let site = Site::start().await;
    let page = site.put("<p>Hi</p>");
    let world = World::attached();
    let outcome = world.run(&["snapshot", &page.url, "-v"]).await;
    assert!(outcome.stderr.contains("navigated"), "{outcome:?}");
    assert_eq!(outcome.result(), "[0-0] RootWebArea: fixture\n  Hi\n");
}

#[tokio::test]
async fn help_and_version_go_to_standard_output() {
    let world = World::attached();
    let version = world.run(&["--version"]).await;
    assert_eq!(
        version.result(),
        format!("automator {}\n", env!("CARGO_PKG_VERSION"))
    );
    for arguments in [
        &["--help"][..],
        &["extract", "--help"],
        &["snapshot", "-h"],
        &["doctor", "--help"],
    ] {
        let help = world.run(arguments).await;
        assert!(help.result().contains("Exit codes:"), "{help:?}");
        assert_eq!(help.stderr, "");
    }
    let nothing = world.run::<&str>(&[]).await;
    assert_eq!((nothing.code, nothing.stdout.as_str()), (2, ""));
    assert!(nothing.stderr.contains("Usage: "), "{nothing:?}");
}

/// Runs the command with a terminal as its standard error; gives what the terminal got.
async fn run_at_terminal(world: &World, arguments: &[&str]) -> (String, std::process::Output) {
    run_with_terminal(world, arguments, None).await
}

/// The same with a terminal as its standard input, too, at which something is typed.
pub(crate) async fn run_typing(
    world: &World,
    arguments: &[&str],
    typed: &str,
) -> (String, std::process::Output) {
    run_with_terminal(world, arguments, Some(typed)).await
}

async fn run_with_terminal(
    world: &World,
    arguments: &[&str],
    typed: Option<&str>,
) -> (String, std::process::Output) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = File::options().read(true).write(true).open(name).unwrap();
    let mut ours = File::from(ours);
    let mut command = world.automator(arguments);
    if let Some(typed) = typed {
        command.stdin(Stdio::from(theirs.try_clone().unwrap()));
        ours.write_all(typed.as_bytes()).unwrap();
    }
    let reading = tokio::task::spawn_blocking(move || {
        let mut shown = Vec::new();
        // Reading a terminal that nobody writes to any more is an error on Linux, and the end.
        let _ = ours.read_to_end(&mut shown);
        String::from_utf8(shown).unwrap()
    });
    let child = command
        .env("TERM", "xterm")
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    // It holds the terminal open, too.
    drop(command);
    let output = child.wait_with_output().await.unwrap();
    (reading.await.unwrap(), output)
}
