//! What becomes of purchases, deletions, messages, uploads and downloads: the user is asked, or has said it before.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::thread;

use automator::{AgentConfirm, AgentConfirmError, AgentConfirmKind, AgentConfirmRequest};
use clap::ValueEnum;
use tokio::sync::oneshot;

use super::Mode;
use super::steps::write;
use crate::output::on_one_line;
use crate::progress::Progress;

/// What is answered when an agent is about to do what cannot be taken back.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum Confirm {
    /// The terminal is asked each time; where there is none, the answer is no
    #[default]
    Ask,
    /// No
    Refuse,
    /// Yes
    Allow,
}

impl Confirm {
    /// What the library is told; none when all is allowed.
    pub(super) fn answering(self, progress: &Progress, mode: Option<Mode>) -> Option<AgentConfirm> {
        let asks = match self {
            // Doubts of a provider stop a run unless somebody says yes.
            Self::Allow if mode == Some(Mode::Cua) => return Some(AgentConfirm::new(|_| async { Ok(true) })),
            Self::Allow => return None,
            Self::Refuse => false,
            Self::Ask => io::stdin().is_terminal() && io::stderr().is_terminal(),
        };
        let progress = progress.clone();
        Some(AgentConfirm::new(move |request| {
            let progress = progress.clone();
            async move {
                if asks {
                    return ask(&progress, &request).await;
                }
                write(
                    &progress,
                    &format!("refused: {}; --confirm allow allows it", told(&request)),
                );
                Ok(false)
            }
        }))
    }
}

/// What it is about, in words.
fn told(request: &AgentConfirmRequest) -> String {
    let kind = match request.kind {
        AgentConfirmKind::Purchase => "a purchase",
        AgentConfirmKind::Delete => "a deletion",
        AgentConfirmKind::Send => "a message",
        AgentConfirmKind::Upload => "an upload",
        AgentConfirmKind::Download => "a download",
        AgentConfirmKind::Safety => "a doubt of the model's provider",
        _ => "what cannot be taken back",
    };
    on_one_line(&format!("{}, {kind}, on {}", request.description, request.url))
}

/// Asks on the terminal. Everything but a yes is a no.
async fn ask(progress: &Progress, request: &AgentConfirmRequest) -> Result<bool, AgentConfirmError> {
    progress.pause();
    let question = format!("{}: do it? [y/N] ", told(request));
    let (send, answer) = oneshot::channel();
    // A thread of its own, which nobody waits for: a read from a terminal cannot be cancelled.
    thread::spawn(move || {
        let _ = send.send(read_answer(&question));
    });
    let answer = answer.await??;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn read_answer(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    drop(stderr);
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_told_in_one_line() {
        let request = AgentConfirmRequest {
            kind: AgentConfirmKind::Purchase,
            description: "click \"Place\norder\u{1b}[2J\"".to_owned(),
            selector: "xpath=/html".to_owned(),
            url: "https://a.test/".to_owned(),
        };
        assert_eq!(
            told(&request),
            "click \"Place order[2J\", a purchase, on https://a.test/"
        );
    }
}
