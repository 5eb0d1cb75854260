//! Runs the command in a world of its own: its own folder for temporary files, no keys, nothing inherited that
//! changes what it does.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use automator_testing::{Answer, Request, ScriptedModel, lent_browser};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

/// The path of the binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_automator");

/// Marks every process that a test starts.
const MARK: &str = "AUTOMATOR_CLI_TEST";

/// For pages: a way to tell the site what was done that is through before the browser can be gone.
pub(crate) const TELL: &str = "<script>function tell(path) {
    const request = new XMLHttpRequest();
    request.open('GET', path, false);
    request.send();
}</script>";

/// The commands that work in a browser.
const WORKING: [&str; 5] = ["act", "agent", "extract", "observe", "snapshot"];

/// A browser that is lent to this test; none when nobody lends any.
static LENT: LazyLock<Option<String>> = LazyLock::new(lent_browser);

/// A place to run the command in. Nothing may be left in it.
pub(crate) struct World {
    folder: TempDir,
    mark: String,
    variables: Vec<(String, String)>,
    /// The address of the browser that the runs attach to; without one, each starts its own.
    browser: Option<&'static str>,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::create_dir(folder.path().join("temporary")).unwrap();
        let mark = folder.path().to_string_lossy().into_owned();
        Self {
            folder,
            mark,
            variables: Vec::new(),
            browser: None,
        }
    }

    /// A world whose runs attach to a browser that is lent, for tests to which it does not matter where the browser
    /// comes from: each start of one takes a processor a second.
    pub(crate) fn attached() -> Self {
        Self {
            browser: LENT.as_deref(),
            ..Self::new()
        }
    }

    /// Sets an environment variable for the runs from now on.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The folder that the command runs in.
    pub(crate) fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    /// Puts a file into that folder.
    pub(crate) fn write(&self, name: &str, content: &str) {
        fs::write(self.work().join(name), content).unwrap();
    }

    /// A program that is not started yet, with the surroundings of this world.
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy().to_ascii_uppercase();
            let steers = ["_KEY", "_PROXY", "_PROJECT", "_REGION"]
                .iter()
                .any(|end| text.ends_with(end));
            if steers || text == "NO_COLOR" || text.starts_with("AUTOMATOR_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.work())
            .env("TMPDIR", self.folder.path().join("temporary"))
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env(MARK, &self.mark)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// The command, not started yet.
    pub(crate) fn automator<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.program(BINARY);
        command.args(arguments);
        let works = arguments
            .first()
            .is_some_and(|name| WORKING.iter().any(|working| name.as_ref() == *working));
        if let Some(address) = self.browser.filter(|_| works) {
            command.args(["--cdp-url", address]);
        }
        command
    }

    /// Runs the command to its end, and checks what holds for every run: no escape codes where there is no
    /// terminal, one line break at the end of a result, nothing left behind.
    pub(crate) async fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome {
        let outcome = self.run_beside(arguments).await;
        self.assert_nothing_left();
        outcome
    }

    /// The same while a browser is open, which is left as it is.
    pub(crate) async fn run_beside<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome {
        Outcome::of(self.automator(arguments).output().await.unwrap())
    }

    /// The file that remembers an open browser.
    pub(crate) fn state_file(&self, name: &str) -> std::path::PathBuf {
        let folder = self.folder.path().join("state").join("automator");
        folder.join(format!("{name}.json"))
    }

    /// Processes of this world that still run.
    pub(crate) fn processes(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
            let is_ours = [read("environ"), read("cmdline")]
                .iter()
                .any(|bytes| String::from_utf8_lossy(bytes).contains(&self.mark));
            if is_ours {
                let name = String::from_utf8_lossy(&read("comm")).trim().to_owned();
                found.push(format!("{} {name}", entry.file_name().to_string_lossy()));
            }
        }
        found
    }

    /// Waits for processes that are already dying.
    pub(crate) async fn wait_until_no_process_is_left(&self) {
        let gone = async {
            while !self.processes().is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(10), gone).await;
        assert!(waited.is_ok(), "processes are left: {:?}", self.processes());
    }

    pub(crate) fn assert_nothing_left(&self) {
        assert_eq!(self.processes(), Vec::<String>::new(), "processes are left");
        let profiles: Vec<String> = fs::read_dir(self.folder.path().join("temporary"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("automator-"))
            .collect();
        assert_eq!(profiles, Vec::<String>::new(), "profiles are left");
        assert!(
            !self.state_file("x").parent().unwrap().exists(),
            "a state file is left"
        );
    }
}

impl Outcome {
    #[track_caller]
    pub(crate) fn of(output: Output) -> Self {
        let outcome = Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!outcome.stdout.contains('\u{1b}'), "{outcome:?}");
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
        assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
        assert!(
            outcome.stderr.is_empty() || outcome.stderr.ends_with('\n'),
            "{outcome:?}"
        );
        if !outcome.stdout.is_empty() {
            assert!(outcome.stdout.ends_with('\n'), "{outcome:?}");
            assert!(!outcome.stdout.ends_with("\n\n"), "{outcome:?}");
        }
        outcome
    }

    /// The result of a run that must have gone well.
    #[track_caller]
    pub(crate) fn result(&self) -> &str {
        assert_eq!(self.code, 0, "{self:?}");
        &self.stdout
    }

    /// The same as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.result()).unwrap()
    }

    /// Checks that a run failed with a code, without a result, and with a message that holds some words.
    #[track_caller]
    pub(crate) fn assert_failed(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(
            self.stderr.lines().any(|line| line.starts_with("error: ")),
            "{self:?}"
        );
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {self:?}");
        }
    }
}

/// A model's choice of the element whose line holds a text.
pub(crate) fn choice(request: &Request, line: &str, method: &str, arguments: &[&str]) -> Value {
    json!({
        "elementId": request.id_of(line), "description": format!("the {line}"), "method": method,
        "arguments": arguments,
    })
}

/// The same as the answer to `act`.
pub(crate) fn action(request: &Request, line: &str, method: &str, arguments: &[&str]) -> Answer {
    Answer::value(json!({ "action": choice(request, line, method, arguments), "twoStep": false }))
}

/// The options that have a scripted model asked.
pub(crate) fn asking(model: &ScriptedModel) -> [String; 2] {
    ["--base-url".to_owned(), model.base_url()]
}

/// A world with a key for the scripted model, which checks none.
pub(crate) fn world_with_key() -> World {
    World::new().set("OPENAI_API_KEY", "sk-scripted-key")
}

/// The same with a browser that is lent.
pub(crate) fn attached_with_key() -> World {
    World::attached().set("OPENAI_API_KEY", "sk-scripted-key")
}

/// Arguments of different kinds as one list.
pub(crate) fn all(parts: &[&[&str]]) -> Vec<String> {
    parts
        .iter()
        .flat_map(|part| part.iter().map(|&text| text.to_owned()))
        .collect()
}

/// The text of a file as an argument.
pub(crate) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
