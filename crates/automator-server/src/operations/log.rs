//! Log lines of an operation, to whoever called it.

use automator::{LogLine, Logger};
use tokio::sync::mpsc::UnboundedSender;

tokio::task_local! {
    /// Where the lines of the operation go that runs in this task.
    static LISTENER: Option<UnboundedSender<LogLine>>;
}

/// The logger of a session: each line goes to the caller of the operation that says it, and lines that belong to no
/// operation go nowhere.
pub(super) fn logger() -> Logger {
    Logger::new(|line| {
        let _ = LISTENER.try_with(|listener| {
            if let Some(listener) = listener {
                // Who has gone hears nothing more.
                let _ = listener.send(line.clone());
            }
        });
    })
}

/// Runs an operation whose lines go to a listener.
pub(super) async fn heard_by<T>(
    listener: Option<UnboundedSender<LogLine>>,
    operation: impl Future<Output = T>,
) -> T {
    LISTENER.scope(listener, operation).await
}
