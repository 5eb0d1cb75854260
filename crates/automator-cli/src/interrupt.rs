//! Ctrl-C, and the other ways in which a command is asked to end.

use crate::exit::Exit;

/// Waits until the command is asked to end. From the first call on, the signals no longer end it by themselves.
#[cfg(unix)]
pub(crate) async fn requested() -> Exit {
    use tokio::signal::unix::{SignalKind, signal};

    let waiting = [
        (SignalKind::interrupt(), Exit::Interrupted),
        (SignalKind::terminate(), Exit::Terminated),
        (SignalKind::hangup(), Exit::HungUp),
    ]
    .map(|(kind, exit)| (signal(kind), exit));
    let [interrupt, terminate, hangup] = waiting.map(|(stream, exit)| async move {
        match stream {
            Ok(mut stream) => {
                stream.recv().await;
                exit
            }
            // The signal cannot be caught, so it ends the process as it would without us.
            Err(_) => std::future::pending().await,
        }
    });
    tokio::select! {
        exit = interrupt => exit,
        exit = terminate => exit,
        exit = hangup => exit,
    }
}

/// Waits until the command is asked to end.
#[cfg(not(unix))]
pub(crate) async fn requested() -> Exit {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Exit::Interrupted,
        Err(_) => std::future::pending().await,
    }
}
