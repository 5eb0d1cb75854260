//! The Chrome DevTools Protocol: transports, one connection actor, flat sessions, typed commands and events.
//!
//! It moves messages. It knows nothing of pages, selectors or models, keeps no state of the browser, never
//! retries, and sets no deadline: whoever waits for a reply drops the future when it has waited enough.
//!
//! Start with [`Connection`], then [`Session::send`] and [`Connection::subscribe`]. Types of the protocol, a
//! generated and lenient subset, are in [`protocol`]; everything else goes through [`Session::send_raw`].
//!
//! ```no_run
//! # async fn example() -> Result<(), automator_cdp::CdpError> {
//! use automator_cdp::protocol::browser::GetVersion;
//! use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
//!
//! let url = "ws://127.0.0.1:9222/devtools/browser/0b1c";
//! let transport = WebSocketTransport::connect(url, &WebSocketOptions::default()).await?;
//! let connection = Connection::new(transport);
//! let version = connection.root().send(&GetVersion {}).await?;
//! println!("{}", version.product);
//! connection.close();
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod connection;
mod duplex_server;
mod error;
mod event;
mod lenient;
mod message;
#[path = "generated/mod.rs"]
pub mod protocol;
mod session;
mod transport;

pub use connection::Connection;
#[doc(hidden)]
pub use duplex_server::{DuplexServer, DuplexTransport, ServerMessage};
pub use error::{CdpError, CloseReason, ConnectProblem};
pub use event::{Event, EventType, Events, Filter};
pub use message::{DecodeError, Envelope, RawReply, decode, well_formed};
pub use session::{Call, Command, RawCall, Session};
pub use transport::pipe::PipeTransport;
pub use transport::websocket::{WebSocketOptions, WebSocketTransport};
pub use transport::{MessageReader, MessageWriter, Transport};
