//! The browser's processes: start, watch, end, and leave nothing behind.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use process_wrap::std::CommandWrap;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::launch::child::Child;
use crate::launch::living::any_lives;
#[cfg(unix)]
use crate::launch::living::carries;
use crate::launch::profile::{Profile, release};

/// How often an ending process is looked at.
const POLL: Duration = Duration::from_millis(5);

/// How long the processes may take to go after they were killed.
const DEATH: Duration = Duration::from_secs(2);

/// How many lines of standard error are kept for error messages.
const LAST_LINES: usize = 20;

/// A line is cut here: it is for people to read.
const LINE_LENGTH: usize = 500;

/// The environment variable that marks every process of one browser. The crash handler's two move to sessions of
/// their own, so the process group does not hold them.
const MARK: &str = "AUTOMATOR_BROWSER";

/// What the browser says once its port is open.
const LISTENING: &str = "DevTools listening on ";

/// The descriptors that the browser's pipe goes through, and ours at the other ends.
#[cfg(unix)]
pub(crate) type Pipe =
    automator_cdp::PipeTransport<tokio::net::unix::pipe::Receiver, tokio::net::unix::pipe::Sender>;

/// A running browser with its profile. Dropping it without [`end`](Self::end) kills the browser right away and
/// cleans up on a thread of its own, unless the browser is meant to stay.
#[derive(Debug)]
pub(crate) struct BrowserProcess {
    parts: Option<Parts>,
    id: u32,
    /// The process that started it.
    owner: u32,
    stderr: Arc<Stderr>,
    /// Keeps the standard error of a browser that stays read, as long as somebody has its process.
    follower: Option<Arc<()>>,
    keep_alive: bool,
}

#[derive(Debug)]
struct Parts {
    child: Child,
    profile: Profile,
}

/// What the browser wrote to standard error.
#[derive(Debug)]
pub(crate) struct Stderr {
    lines: Mutex<Vec<String>>,
    endpoint: watch::Sender<Option<String>>,
    ended: watch::Sender<bool>,
}

impl BrowserProcess {
    /// Starts a browser that speaks through a pipe. It leaves by itself when the pipe closes, also when
    /// nobody is left to close it properly: that is what ends it when our process is killed.
    ///
    /// Chromium wants the pipe at descriptors 3 and 4. Putting them there takes code between fork and exec,
    /// which is `unsafe` in Rust; a shell does it with two redirections, is on every Unix, and costs a
    /// millisecond. The pipe travels as the shell's standard streams, which end at `/dev/null` after that.
    #[cfg(unix)]
    pub(crate) fn with_pipe(
        executable: &Path,
        arguments: &[String],
        profile: Profile,
    ) -> io::Result<(Self, Pipe)> {
        const MOVE_PIPE: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
        let (browser_reads, we_write) = io::pipe()?;
        let (we_read, browser_writes) = io::pipe()?;
        let reader = tokio::net::unix::pipe::Receiver::from_owned_fd(we_read.into())?;
        let writer = tokio::net::unix::pipe::Sender::from_owned_fd(we_write.into())?;
        let (stderr_reader, stderr_writer) = io::pipe()?;
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", MOVE_PIPE, "sh"])
            .arg(executable)
            .args(arguments);
        command
            .stdin(browser_reads)
            .stdout(browser_writes)
            .stderr(stderr_writer);
        let process = Self::spawn(command, profile, stderr_reader, false)?;
        Ok((process, automator_cdp::PipeTransport::new(reader, writer)))
    }

    /// Starts a browser that only has a port. With `keep_alive` it holds the lock of its profile as standard
    /// input, so that the folder is its own for as long as it runs.
    pub(crate) fn with_port(
        executable: &Path,
        arguments: &[String],
        profile: Profile,
        keep_alive: bool,
    ) -> io::Result<Self> {
        let mut command = Command::new(executable);
        let lock = if keep_alive { profile.share_lock()? } else { None };
        command
            .args(arguments)
            .stdin(lock.map_or_else(Stdio::null, Stdio::from))
            .stdout(Stdio::null());
        if keep_alive {
            // A file, because a browser that stays must not write into a pipe that nobody reads any more.
            let (writer, reader) = shared_file()?;
            command.stderr(writer);
            let follower = Arc::new(());
            let follow = Follow {
                file: reader,
                stop: Instant::now() + FOLLOW,
                wanted: Arc::downgrade(&follower),
            };
            let mut process = Self::spawn(command, profile, follow, keep_alive)?;
            process.follower = Some(follower);
            Ok(process)
        } else {
            let (reader, writer) = io::pipe()?;
            command.stderr(writer);
            Self::spawn(command, profile, reader, keep_alive)
        }
    }

    fn spawn(
        mut command: Command,
        profile: Profile,
        stderr: impl Read + Send + 'static,
        #[cfg_attr(
            unix,
            expect(unused_variables, reason = "a group of processes is not bound to ours")
        )]
        stays: bool,
    ) -> io::Result<Self> {
        if let Some(scratch) = profile.scratch() {
            command.env("TMPDIR", scratch);
        }
        let mark = mark();
        command.env(MARK, &mark);
        let mut wrap = CommandWrap::from(command);
        #[cfg(unix)]
        wrap.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        if !stays {
            wrap.wrap(process_wrap::std::JobObject);
        }
        let child = Child::new(wrap.spawn()?, format!("{MARK}={mark}"));
        // Our copies of the browser's ends of the pipes must go, or neither side would ever see an end.
        drop(wrap);
        let id = child.id();
        let stderr_lines = Arc::new(Stderr {
            lines: Mutex::default(),
            endpoint: watch::Sender::new(None),
            ended: watch::Sender::new(false),
        });
        let process = Self {
            parts: Some(Parts { child, profile }),
            id,
            owner: std::process::id(),
            stderr: Arc::clone(&stderr_lines),
            follower: None,
            keep_alive: false,
        };
        std::thread::Builder::new()
            .name("browser-stderr".to_owned())
            .spawn(move || stderr_lines.follow(stderr))?;
        Ok(process)
    }

    /// The id of the main process, which is that of the process group, too.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn stderr(&self) -> &Arc<Stderr> {
        &self.stderr
    }

    pub(crate) fn profile_path(&self) -> Option<&Path> {
        self.parts.as_ref().map(|parts| parts.profile.path())
    }

    pub(crate) fn has_temporary_profile(&self) -> bool {
        self.parts
            .as_ref()
            .is_some_and(|parts| parts.profile.is_temporary())
    }

    /// Notes which of its processes are to be asked for their status; a browser that has answered has all of these.
    pub(crate) fn look_around(&mut self) {
        if let Some(parts) = &mut self.parts {
            parts.child.look_around();
        }
    }

    /// By what another program finds it.
    pub(crate) fn trace(&self) -> Option<Trace> {
        self.parts.as_ref().map(|parts| Trace {
            process_id: self.id,
            mark: parts.child.mark().to_owned(),
        })
    }

    /// Waits until the browser has exited by itself, at most `limit`.
    pub(crate) async fn exited(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            let parts = self.parts.as_mut()?;
            if let Ok(Some(status)) = parts.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Kills what is left of the browser, waits for it, and removes a temporary profile.
    pub(crate) async fn end(mut self) {
        if let Some(mut parts) = self.parts.take() {
            parts.kill();
            let finished = tokio::task::spawn_blocking(move || parts.finish()).await;
            if let Err(error) = finished {
                tracing::warn!(%error, "cleaning up after the browser");
            }
        }
    }

    /// From now on the browser lives on when this is dropped.
    pub(crate) fn keep_alive(&mut self) {
        self.keep_alive = true;
    }

    /// Lets the browser live on.
    pub(crate) fn leave(mut self) {
        self.keep_alive();
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        let Some(mut parts) = self.parts.take() else {
            return;
        };
        if self.owner != std::process::id() {
            // A fork of the program that started it: the browser, and its profile, are that program's.
            std::mem::forget(parts);
            return;
        }
        if self.keep_alive {
            parts.profile.leave();
            return;
        }
        parts.kill();
        // No runtime may be left to wait in; and when this process ends before the thread is done, the next
        // start removes the profile.
        let thread = std::thread::Builder::new().name("browser-cleanup".to_owned());
        if let Err(error) = thread.spawn(move || parts.finish()) {
            tracing::warn!(%error, "cleaning up after the browser");
        }
    }
}

impl Parts {
    fn kill(&mut self) {
        // Fails when the browser has already gone.
        if let Err(error) = self.child.kill() {
            tracing::debug!(%error, "killing the browser");
        }
    }

    /// Waits for the killed processes, then removes the profile. Blocks.
    fn finish(mut self) {
        let deadline = Instant::now() + DEATH;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
        tracing::debug!("the browser has exited");
        while any_lives(self.child.id(), self.child.mark()) && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
        tracing::debug!("its other processes have exited");
        if !self.profile.is_temporary() {
            release(self.profile.path());
        }
        drop(self.profile);
        tracing::debug!("its profile is released");
    }
}

/// A value that no other browser's processes carry, now or after our process id is used again.
fn mark() -> String {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{number}-{:x}", std::process::id(), now.as_micros())
}

/// By what the processes of a browser are found by another program than the one that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trace {
    /// The main process, which leads the group of all.
    process_id: u32,
    /// `name=value` in their environment.
    mark: String,
}

#[cfg(unix)]
impl Trace {
    /// Whether any of them runs. Blocks.
    pub(crate) fn lives(&self) -> bool {
        self.has_its_number() && any_lives(self.process_id, &self.mark)
    }

    /// Kills them, and waits until they are gone. Blocks.
    pub(crate) fn end(&self) {
        let deadline = Instant::now() + DEATH;
        while self.lives() && Instant::now() < deadline {
            let id = i32::try_from(self.process_id).ok();
            if let Some(group) = id.and_then(rustix::process::Pid::from_raw)
                && let Err(error) = rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
            {
                tracing::debug!(%error, "killing the browser");
            }
            std::thread::sleep(POLL);
        }
    }

    /// Whether the number of the main process is still the browser's: a process that has it bears the mark. When
    /// there is none, a group of that number can only be what is left of the browser's.
    fn has_its_number(&self) -> bool {
        match std::fs::read(format!("/proc/{}/environ", self.process_id)) {
            Ok(variables) => variables.is_empty() || carries(&variables, &self.mark),
            // One that has ended and waits for its parent has none to read, which different systems tell differently.
            Err(error) => error.kind() != io::ErrorKind::PermissionDenied,
        }
    }
}

#[cfg(not(unix))]
impl Trace {
    pub(crate) fn lives(&self) -> bool {
        false
    }

    pub(crate) fn end(&self) {}
}

/// How long the standard error of a browser that stays is read; only its start is of interest.
const FOLLOW: Duration = Duration::from_secs(60);

/// Reads a file that another process is still writing.
struct Follow {
    file: File,
    stop: Instant,
    /// Nobody wants to know any more when this has gone.
    wanted: Weak<()>,
}

impl Read for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.file.read(buffer)?;
            let is_over = self.wanted.strong_count() == 0 || Instant::now() >= self.stop;
            if count > 0 || is_over {
                return Ok(count);
            }
            std::thread::sleep(POLL);
        }
    }
}

/// A file without a name, open twice: for writing and, from its beginning, for reading.
fn shared_file() -> io::Result<(File, File)> {
    let file = tempfile::NamedTempFile::new()?;
    let reader = file.reopen()?;
    Ok((file.into_file(), reader))
}

impl Stderr {
    /// The last lines, for an error message.
    pub(crate) fn last_words(&self) -> String {
        self.lock().join("\n")
    }

    /// Waits until all that a browser said which has exited is read; a process of its that lives on holds this up
    /// for `limit` at the most.
    pub(crate) async fn ended(&self, limit: Duration) {
        let mut ended = self.ended.subscribe();
        // The sender lives in `self`, so only the limit can end this early.
        let _ = tokio::time::timeout(limit, ended.wait_for(|ended| *ended)).await;
    }

    /// The address of the browser's port, once it has said it; `None` when it ended without.
    pub(crate) async fn endpoint(&self) -> Option<String> {
        let mut endpoint = self.endpoint.subscribe();
        let said = endpoint.wait_for(Option::is_some).await;
        said.ok()
            .and_then(|endpoint| endpoint.clone())
            .filter(|url| !url.is_empty())
    }

    fn follow(&self, stderr: impl Read) {
        let mut reader = BufReader::new(stderr);
        let mut line = Vec::new();
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => self.take(String::from_utf8_lossy(&line).trim_end()),
            }
        }
        self.ended.send_replace(true);
        // Whoever still waits for the port waits for nothing.
        self.endpoint
            .send_if_modified(|endpoint| endpoint.get_or_insert_default().is_empty());
    }

    fn take(&self, line: &str) {
        if let Some(url) = line.strip_prefix(LISTENING) {
            self.endpoint.send_replace(Some(url.to_owned()));
        } else if !line.is_empty() {
            tracing::trace!(line, "browser");
            let mut lines = self.lock();
            if lines.len() == LAST_LINES {
                lines.remove(0);
            }
            lines.push(line.chars().take(LINE_LENGTH).collect());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_error_gives_the_address_and_the_last_lines() {
        let stderr = Stderr {
            lines: Mutex::default(),
            endpoint: watch::Sender::new(None),
            ended: watch::Sender::new(false),
        };
        let mut text: Vec<u8> = (0..100)
            .flat_map(|line| format!("line {line}\n").into_bytes())
            .collect();
        text.extend(b"DevTools listening on ws://127.0.0.1:1/devtools/browser/x\nbad \xff byte\n\n");
        stderr.follow(text.as_slice());
        let words = stderr.last_words();
        assert_eq!(words.lines().count(), LAST_LINES);
        assert!(words.ends_with("line 99\nbad \u{fffd} byte"), "{words}");
        assert_eq!(
            stderr.endpoint.borrow().as_deref(),
            Some("ws://127.0.0.1:1/devtools/browser/x")
        );
    }

    #[tokio::test]
    async fn nobody_waits_for_the_address_of_a_browser_that_has_ended() {
        let stderr = Stderr {
            lines: Mutex::default(),
            endpoint: watch::Sender::new(None),
            ended: watch::Sender::new(false),
        };
        stderr.follow(b"no address\n".as_slice());
        assert_eq!(stderr.endpoint().await, None);
    }
}
