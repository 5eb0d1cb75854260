//! Carries messages between a client and a browser until one of them goes.
//!
//! Messages are handed on one by one, as they are: who does not read, is not sent more, so no buffer grows. Silence says
//! nothing, so the client is pinged; the browser is watched by the platform, which tells when its session ends.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::sessions::Sessions;
use super::{Judgement, judge};
use crate::platform::{Attached, Platform};

/// How often a client is pinged that says nothing, and how long it may be silent.
const PING: Duration = Duration::from_secs(15);
const SILENCE: Duration = Duration::from_secs(45);

/// Why a relay ends: the close code that the client gets, and the reason.
struct Ending {
    code: u16,
    reason: String,
}

/// The session has ended.
const SESSION_ENDED: u16 = 4000;
/// The server ends, and the session does not.
const SERVER_ENDS: u16 = 1001;
/// The client does not read, or does not answer.
const TOO_SLOW: u16 = 4008;
/// What the protocol does not know.
const UNSUPPORTED: u16 = 1003;
/// The browser has hung up.
const BROWSER_GONE: u16 = 1011;

type Browser = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Carries messages until the client or the browser goes, or the session ends; then tells the client why.
pub(crate) async fn relay(platform: Platform, attached: Attached, client: WebSocket, browser: Browser) {
    let (mut to_client, mut from_client) = client.split();
    let (mut to_browser, mut from_browser) = browser.split();
    // Answers that are not the browser's, and pings. The client waits for them as for the browser's own.
    let (answers, mut answered) = mpsc::channel(1);
    let mut ended = attached.ended.clone();
    let sessions = Sessions::default();
    let ending = tokio::select! {
        ending = up(&platform, &attached, &sessions, &mut from_client, &mut to_browser, &answers) => ending,
        ending = down(&platform, &sessions, &mut from_browser, &mut answered, &mut to_client) => Some(ending),
        told = ended.wait_for(Option::is_some) => Some(match told {
            Ok(reason) => Ending {
                code: SESSION_ENDED,
                reason: reason.clone().unwrap_or_default(),
            },
            // Nobody is there any more who could tell.
            Err(_) => Ending {
                code: SERVER_ENDS,
                reason: "the server is ending, and the session goes on".to_owned(),
            },
        }),
    };
    if let Some(Ending { code, reason }) = ending {
        let frame = CloseFrame {
            code,
            reason: shortened(&reason).into(),
        };
        // One that has gone needs no reason.
        let _ = timeout(PING, to_client.send(Message::Close(Some(frame)))).await;
    }
    let _ = timeout(PING, to_browser.close()).await;
}

/// From the client to the browser. Gives nothing when the client has gone.
async fn up(
    platform: &Platform,
    attached: &Attached,
    sessions: &Sessions,
    from_client: &mut SplitStream<WebSocket>,
    to_browser: &mut SplitSink<Browser, tungstenite::Message>,
    answers: &mpsc::Sender<Message>,
) -> Option<Ending> {
    let mut silent = Duration::ZERO;
    loop {
        let Ok(message) = timeout(PING, from_client.next()).await else {
            silent += PING;
            if silent >= SILENCE {
                return Some(Ending {
                    code: TOO_SLOW,
                    reason: "the client does not answer".to_owned(),
                });
            }
            // One is on its way if there is no room for it.
            let _ = answers.try_send(Message::Ping(Bytes::new()));
            continue;
        };
        silent = Duration::ZERO;
        let message = match message {
            Some(Ok(Message::Text(text))) => match judge(&text, &attached.rules, sessions) {
                Judgement::Forward => tungstenite::Message::Text(text_for_browser(text)?),
                Judgement::Rewrite(text) => tungstenite::Message::Text(text.into()),
                Judgement::Answer(answer) => {
                    answers.send(Message::Text(answer.into())).await.ok()?;
                    continue;
                }
                Judgement::Close(answer) => {
                    answers.send(Message::Text(answer.into())).await.ok()?;
                    if let Err(error) = platform.end_by_browser(attached.session()).await {
                        tracing::warn!(%error, "a session could not be ended");
                    }
                    continue;
                }
            },
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Binary(_))) => {
                return Some(Ending {
                    code: UNSUPPORTED,
                    reason: "the DevTools protocol has text messages only".to_owned(),
                });
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
        };
        platform.metrics().sent_to_browser(message.len());
        if to_browser.send(message).await.is_err() {
            return Some(gone());
        }
    }
}

/// From the browser to the client, with the answers that are not the browser's in between.
async fn down(
    platform: &Platform,
    sessions: &Sessions,
    from_browser: &mut SplitStream<Browser>,
    answered: &mut mpsc::Receiver<Message>,
    to_client: &mut SplitSink<WebSocket, Message>,
) -> Ending {
    loop {
        let message = tokio::select! {
            Some(answer) = answered.recv() => answer,
            message = from_browser.next() => match message {
                Some(Ok(tungstenite::Message::Text(text))) if !sessions.hear(&text) => continue,
                Some(Ok(tungstenite::Message::Text(text))) => match Utf8Bytes::try_from(Bytes::from(text)) {
                    Ok(text) => Message::Text(text),
                    Err(_) => continue,
                },
                Some(Ok(tungstenite::Message::Close(_)) | Err(_)) | None => return gone(),
                Some(Ok(_)) => continue,
            },
        };
        if let Message::Text(text) = &message {
            platform.metrics().sent_to_client(text.len());
        }
        match timeout(platform.options().reading, to_client.send(message)).await {
            Ok(Ok(())) => {}
            // It has gone; whatever is told now is told to nobody.
            Ok(Err(_)) => return gone(),
            Err(_) => {
                return Ending {
                    code: TOO_SLOW,
                    reason: "the client does not read".to_owned(),
                };
            }
        }
    }
}

fn gone() -> Ending {
    Ending {
        code: BROWSER_GONE,
        reason: "the browser has hung up".to_owned(),
    }
}

/// The same text in the type of the other side, without a copy. Both hold UTF-8, so it is always one.
fn text_for_browser(text: Utf8Bytes) -> Option<tungstenite::Utf8Bytes> {
    tungstenite::Utf8Bytes::try_from(Bytes::from(text)).ok()
}

/// A reason as long as a close frame may hold, at the end of a character.
fn shortened(reason: &str) -> String {
    const LONGEST: usize = 123;
    let mut end = reason.len().min(LONGEST);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    reason.get(..end).unwrap_or_default().to_owned()
}
