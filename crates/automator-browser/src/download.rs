//! Files that pages make the browser save.
//!
//! The browser saves them under a number; once complete, a file gets the name that it was offered under, made safe,
//! and never takes the place of another.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use automator_cdp::Session;
use automator_cdp::protocol::browser::{
    CancelDownload, DownloadProgressEvent, DownloadWillBeginEvent, SetDownloadBehavior,
    download_progress_event_state, set_download_behavior_behavior,
};
use tokio::sync::watch;

use crate::attach::is_local;
use crate::{BrowserError, LaunchOptions};

/// The longest name that is given to a file, in bytes: what all file systems in use take, with room for a number.
const NAME_LENGTH: usize = 200;

/// How many files of one name are looked at before giving up.
const SAME_NAMES: usize = 10_000;

/// Names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A file that was, or is being, saved; a cheap clone that goes on telling how far it has come.
#[derive(Debug, Clone)]
pub struct Download {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guid: String,
    url: String,
    suggested_filename: String,
    page_id: Option<String>,
    root: Session,
    progress: watch::Sender<Progress>,
    /// Whether it is saved in a folder of this machine.
    is_here: bool,
    /// Whether nothing of it is to stay.
    is_discarded: AtomicBool,
}

#[derive(Debug, Clone)]
struct Progress {
    state: DownloadState,
    path: Option<PathBuf>,
    received_bytes: u64,
    total_bytes: Option<u64>,
}

/// How far a download has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DownloadState {
    /// Bytes are coming in.
    InProgress,
    /// All of it is there.
    Completed,
    /// It failed, or was canceled.
    Canceled,
    /// It was refused, because downloads are not accepted.
    Denied,
}

impl Download {
    /// What the browser calls it: tells it from all its other downloads.
    pub fn id(&self) -> &str {
        &self.shared.guid
    }

    /// Where it comes from.
    pub fn url(&self) -> &str {
        &self.shared.url
    }

    /// The name that the server or the page gives it, as it was given: it may hold anything.
    pub fn suggested_filename(&self) -> &str {
        &self.shared.suggested_filename
    }

    /// The id of the page that it began in; none when that is not known.
    pub fn page_id(&self) -> Option<&str> {
        self.shared.page_id.as_deref()
    }

    /// How far it has come.
    pub fn state(&self) -> DownloadState {
        self.shared.progress.borrow().state
    }

    /// Where it is, once it is complete. On a browser that runs on another machine this is a path over there.
    pub fn path(&self) -> Option<PathBuf> {
        self.shared.progress.borrow().path.clone()
    }

    /// How many bytes have come.
    pub fn received_bytes(&self) -> u64 {
        self.shared.progress.borrow().received_bytes
    }

    /// How many bytes it has; none while that is not known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.shared.progress.borrow().total_bytes
    }

    /// Waits until it is complete, and gives its path. Without a limit of its own.
    ///
    /// # Errors
    /// [`BrowserError::Download`] when it fails, is canceled or refused; [`BrowserError::ConnectionClosed`].
    pub async fn finished(&self) -> Result<PathBuf, BrowserError> {
        let mut progress = self.shared.progress.subscribe();
        let ended = progress.wait_for(|progress| progress.state != DownloadState::InProgress);
        let progress = tokio::select! {
            biased;
            // The sender lives in `self`, so the wait cannot fail.
            ended = ended => ended.ok().map(|progress| progress.clone()),
            reason = self.shared.root.connection().closed() => {
                return Err(BrowserError::ConnectionClosed { reason });
            }
        };
        let failed = |problem: &'static str| BrowserError::Download {
            url: self.shared.url.clone(),
            problem,
        };
        match progress {
            Some(Progress {
                state: DownloadState::Completed,
                path: Some(path),
                ..
            }) => Ok(path),
            Some(Progress {
                state: DownloadState::Denied,
                ..
            }) => Err(failed("downloads are not accepted")),
            Some(Progress {
                state: DownloadState::Completed,
                ..
            }) => Err(failed("the browser does not say where it is")),
            _ => Err(failed("it was canceled, or broke off")),
        }
    }

    /// Stops it. One that has ended stays as it is.
    ///
    /// # Errors
    /// [`BrowserError::ConnectionClosed`].
    pub async fn cancel(&self) -> Result<(), BrowserError> {
        if self.state() != DownloadState::InProgress {
            return Ok(());
        }
        let command = CancelDownload {
            guid: self.shared.guid.clone(),
            ..CancelDownload::default()
        };
        match self.shared.root.send(&command).await.map_err(BrowserError::from) {
            // It has ended meanwhile.
            Ok(_) | Err(BrowserError::Protocol(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Stops it, and removes what has been saved of it already. On a browser that runs on another machine what is
    /// complete stays there.
    ///
    /// # Errors
    /// [`BrowserError::ConnectionClosed`].
    pub async fn discard(&self) -> Result<(), BrowserError> {
        self.shared.is_discarded.store(true, Ordering::SeqCst);
        self.cancel().await?;
        remove_discarded(self);
        Ok(())
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) {
        self.shared.progress.send_modify(change);
    }
}

/// Where downloads go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DownloadPolicy {
    /// Into this folder of this machine, under their number at first.
    Folder(PathBuf),
    /// Wherever the browser puts them.
    Browser,
    Deny,
}

impl DownloadPolicy {
    /// Into the folder that the user names, or else one that goes with the profile of a browser of our own. With the
    /// files of a browser that is not on this machine nothing can be done.
    pub(crate) fn new(options: &LaunchOptions, own_profile: Option<&Path>, endpoint: Option<&str>) -> Self {
        if !options.accept_downloads {
            return Self::Deny;
        }
        let is_here = || {
            let endpoint = endpoint.and_then(|endpoint| url::Url::parse(endpoint).ok());
            !options.is_remote && endpoint.is_some_and(|endpoint| is_local(&endpoint))
        };
        let in_profile = || own_profile.map(|profile| profile.join("Downloads"));
        match options.downloads_path.clone().or_else(in_profile) {
            // The browser has a working folder of its own.
            Some(folder) if own_profile.is_some() || is_here() => {
                Self::Folder(std::path::absolute(&folder).unwrap_or(folder))
            }
            _ => Self::Browser,
        }
    }
}

/// The downloads of a browser.
#[derive(Debug)]
pub(crate) struct Downloads {
    list: Vec<Download>,
    policy: DownloadPolicy,
}

impl Downloads {
    pub(crate) fn new(policy: DownloadPolicy) -> Self {
        Self {
            list: Vec::new(),
            policy,
        }
    }

    /// What the browser is told. A browser of somebody else is left as it is, unless the user asks for something.
    pub(crate) fn behavior(&self, options: &LaunchOptions) -> Option<SetDownloadBehavior> {
        let (behavior, folder) = match &self.policy {
            DownloadPolicy::Deny => (set_download_behavior_behavior::DENY, None),
            DownloadPolicy::Folder(folder) => {
                if let Err(error) = std::fs::create_dir_all(folder) {
                    tracing::warn!(%error, folder = %folder.display(), "the folder for downloads cannot be made");
                }
                (set_download_behavior_behavior::ALLOW_AND_NAME, Some(folder))
            }
            DownloadPolicy::Browser => {
                let folder = options.downloads_path.as_ref()?;
                (set_download_behavior_behavior::ALLOW, Some(folder))
            }
        };
        Some(SetDownloadBehavior {
            behavior: behavior.to_owned(),
            download_path: folder.map(|path| path.to_string_lossy().into_owned()),
            events_enabled: Some(true),
            ..SetDownloadBehavior::default()
        })
    }

    pub(crate) fn all(&self) -> Vec<Download> {
        self.list.clone()
    }

    pub(crate) fn began(
        &mut self,
        event: DownloadWillBeginEvent,
        page_id: Option<String>,
        root: &Session,
    ) -> Download {
        let progress = Progress {
            state: if self.policy == DownloadPolicy::Deny {
                DownloadState::Denied
            } else {
                DownloadState::InProgress
            },
            path: None,
            received_bytes: 0,
            total_bytes: None,
        };
        let download = Download {
            shared: Arc::new(Shared {
                guid: event.guid,
                url: event.url,
                suggested_filename: event.suggested_filename,
                page_id,
                root: root.clone(),
                progress: watch::Sender::new(progress),
                is_here: matches!(self.policy, DownloadPolicy::Folder(_)),
                is_discarded: AtomicBool::new(false),
            }),
        };
        self.list.push(download.clone());
        download
    }

    pub(crate) fn progressed(&mut self, event: DownloadProgressEvent) {
        let Some(download) = self
            .list
            .iter()
            .find(|download| download.shared.guid == event.guid)
        else {
            return;
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the protocol writes whole numbers of bytes as floats; anything odd saturates"
        )]
        let (received, total) = (event.received_bytes as u64, event.total_bytes as u64);
        download.change(|progress| {
            progress.received_bytes = received;
            progress.total_bytes = (total > 0).then_some(total);
        });
        let is_under_way = download.state() == DownloadState::InProgress;
        match event.state.as_str() {
            download_progress_event_state::COMPLETED if is_under_way => {
                let path = event.file_path.map(PathBuf::from);
                match &self.policy {
                    DownloadPolicy::Folder(folder) => {
                        let saved = path.unwrap_or_else(|| folder.join(&event.guid));
                        let (download, folder) = (download.clone(), folder.clone());
                        tokio::task::spawn_blocking(move || name(&download, &folder, saved));
                    }
                    DownloadPolicy::Browser | DownloadPolicy::Deny => complete(download, path),
                }
            }
            download_progress_event_state::CANCELED if is_under_way => {
                download.change(|progress| progress.state = DownloadState::Canceled);
            }
            _ => {}
        }
    }
}

/// Gives a complete file its name. Where that does not work, as when the file is on another machine after all, it
/// stays where it is.
fn name(download: &Download, folder: &Path, saved: PathBuf) {
    let path = match move_under_name(&saved, folder, download.suggested_filename()) {
        Ok(path) => path,
        Err(error) => {
            tracing::warn!(%error, path = %saved.display(), "a download keeps its number for a name");
            saved
        }
    };
    complete(download, Some(path));
}

fn complete(download: &Download, path: Option<PathBuf>) {
    download.change(|progress| {
        progress.state = DownloadState::Completed;
        progress.path = path;
    });
    remove_discarded(download);
}

/// Removes the file of a download that is complete and that nobody wants.
fn remove_discarded(download: &Download) {
    let shared = &download.shared;
    if !shared.is_here || !shared.is_discarded.load(Ordering::SeqCst) {
        return;
    }
    download.change(|progress| {
        if let Some(path) = progress.path.take() {
            progress.state = DownloadState::Canceled;
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::warn!(%error, path = %path.display(), "a download that nobody wants cannot be removed");
            }
        }
    });
}

/// Moves a complete file into a folder under the name that it was offered under, made safe. One of that name that is there
/// already stays, and the new one gets a number.
///
/// # Errors
/// When there is no such file, or the folder cannot be written to.
pub fn move_under_name(from: &Path, folder: &Path, suggested: &str) -> io::Result<PathBuf> {
    move_to_free_name(from, folder, &safe_name(suggested))
}

/// Moves a file to `name`, or else to `name (1)`, `name (2)`, … with the extension kept at the end.
fn move_to_free_name(from: &Path, folder: &Path, name: &str) -> io::Result<PathBuf> {
    if !from.try_exists()? {
        return Err(io::ErrorKind::NotFound.into());
    }
    let (stem, extension) = split_extension(name);
    for number in 0..SAME_NAMES {
        let name = if number == 0 {
            name.to_owned()
        } else {
            format!("{stem} ({number}){extension}")
        };
        let to = folder.join(name);
        // Takes the name before the file moves there, so that nobody else can.
        match std::fs::File::create_new(&to) {
            Ok(_) => {
                return std::fs::rename(from, &to).map(|()| to);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A name that stays inside its folder and works on every system.
fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let replaced: String = last
        .chars()
        .map(|character| match character {
            '<' | '>' | ':' | '"' | '|' | '?' | '*' => '_',
            character if character.is_control() => '_',
            character => character,
        })
        .collect();
    // Neither hidden, nor `.` or `..`; Windows drops dots and blanks at the end.
    let trimmed = replaced
        .trim_start_matches('.')
        .trim()
        .trim_end_matches(['.', ' ']);
    let (stem, extension) = split_extension(trimmed);
    let device = stem
        .trim_end_matches(|character: char| character.is_ascii_digit())
        .to_ascii_lowercase();
    let stem = if DEVICES.contains(&device.as_str()) {
        format!("_{stem}")
    } else {
        stem.to_owned()
    };
    if stem.is_empty() {
        return format!("download{extension}");
    }
    let mut length = NAME_LENGTH.saturating_sub(extension.len());
    while length > 0 && !stem.is_char_boundary(length.min(stem.len())) {
        length -= 1;
    }
    format!("{}{extension}", &stem[..length.min(stem.len())])
}

/// The name before the last dot, and the rest. A very long rest is no extension.
fn split_extension(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at <= 32 => name.split_at(at),
        _ => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder_and_work_everywhere() {
        let cases = [
            ("report.csv", "report.csv"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("..", "download"),
            ("", "download"),
            ("/", "download"),
            (".bashrc", "bashrc"),
            ("a<b>:c?.txt", "a_b__c_.txt"),
            ("a\nb.txt", "a_b.txt"),
            ("nul.txt", "_nul.txt"),
            ("COM1", "_COM1"),
            ("résumé 1.tar.gz", "résumé 1.tar.gz"),
            ("ends. . ", "ends"),
        ];
        for (suggested, expected) in cases {
            assert_eq!(safe_name(suggested), expected, "{suggested:?}");
        }
        let long = safe_name(&format!("{}.pdf", "é".repeat(300)));
        assert!(long.len() <= NAME_LENGTH && long.ends_with("é.pdf"), "{long}");
    }

    #[test]
    fn file_never_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for content in ["one", "two", "three"] {
            let from = folder.path().join("number");
            std::fs::write(&from, content).unwrap();
            paths.push(move_to_free_name(&from, folder.path(), "a.tar.gz").unwrap());
            assert!(!from.exists());
        }
        let read: Vec<(String, String)> = paths
            .iter()
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, std::fs::read_to_string(path).unwrap())
            })
            .collect();
        let expected = [
            ("a.tar.gz", "one"),
            ("a.tar (1).gz", "two"),
            ("a.tar (2).gz", "three"),
        ];
        assert_eq!(
            read,
            expected.map(|(name, content)| (name.to_owned(), content.to_owned()))
        );
    }
}
