//! Files that pages make the browser save.

use std::path::PathBuf;

use automator_cdp::protocol::browser::{
    DownloadProgressEvent, DownloadWillBeginEvent, download_progress_event_state,
};

/// A file that was, or is being, saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Where it comes from.
    pub url: String,
    /// The name that the server or the page gives it.
    pub suggested_filename: String,
    /// Where it is, once it is complete.
    pub path: Option<PathBuf>,
    /// How far it has come.
    pub state: DownloadState,
    guid: String,
}

/// How far a download has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DownloadState {
    /// Bytes are coming in.
    InProgress,
    /// All of it is there.
    Completed,
    /// It failed, or it was refused because downloads are not accepted.
    Canceled,
}

/// The downloads of a browser; pure.
#[derive(Debug, Default)]
pub(crate) struct Downloads {
    list: Vec<Download>,
}

impl Downloads {
    pub(crate) fn all(&self) -> Vec<Download> {
        self.list.clone()
    }

    pub(crate) fn began(&mut self, event: DownloadWillBeginEvent) {
        self.list.push(Download {
            url: event.url,
            suggested_filename: event.suggested_filename,
            path: None,
            state: DownloadState::InProgress,
            guid: event.guid,
        });
    }

    pub(crate) fn progressed(&mut self, event: DownloadProgressEvent) {
        let Some(download) = self.list.iter_mut().find(|download| download.guid == event.guid) else {
            return;
        };
        match event.state.as_str() {
            download_progress_event_state::COMPLETED => {
                download.state = DownloadState::Completed;
                download.path = event.file_path.map(PathBuf::from);
            }
            download_progress_event_state::CANCELED => download.state = DownloadState::Canceled,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn download_is_listed_from_its_beginning_and_has_a_path_at_its_end() {
        let mut downloads = Downloads::default();
        for guid in ["a", "b"] {
            let suggested_filename = format!("{guid}.csv");
            let event = DownloadWillBeginEvent {
                guid: guid.to_owned(),
                suggested_filename,
                ..Default::default()
            };
            downloads.began(event);
        }
        let progress = |guid: &str, state: &str, file_path: Option<&str>| DownloadProgressEvent {
            guid: guid.to_owned(),
            state: state.to_owned(),
            file_path: file_path.map(str::to_owned),
            ..DownloadProgressEvent::default()
        };
        downloads.progressed(progress("a", "completed", Some("/tmp/a.csv")));
        downloads.progressed(progress("b", "canceled", None));
        downloads.progressed(progress("unknown", "completed", None));
        let all = downloads.all();
        assert_eq!(
            (all[0].state, all[0].path.clone()),
            (DownloadState::Completed, Some("/tmp/a.csv".into()))
        );
        assert_eq!(
            (all[1].state, all[1].suggested_filename.as_str()),
            (DownloadState::Canceled, "b.csv")
        );
    }
}
