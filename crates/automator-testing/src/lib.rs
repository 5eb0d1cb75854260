//! Web sites and a model server for tests, all on this computer.
//!
//! - [`Site`] is a web server for fixture pages. It answers as `127.0.0.1` and as `localhost`, so
//!   one server gives two sites (and with that out-of-process frames), and it can be slow, silent
//!   or broken on request.
//! - [`Shop`] is a whole small web shop on top of it, for demos, examples and tests.
//! - [`ProxyServer`] is an HTTP proxy that asks for a user name and a password.
//! - [`ScriptedModel`] is a model server in four wire forms whose answers a test writes, faults included.
//! - [`lent_browser`] is a browser that runs already, where `cargo xtask test` lends some.
//! - [`ProfileFolder`] is a folder for the profile of a browser that a test starts by itself.
//!
//! The crate knows nothing of the other crates of this workspace, never opens a connection beyond
//! the loopback interface, and is never published. Servers stop when their handle is dropped.
//! Because it serves tests, it panics with a clear message where a library would return an error
//! (no free port, a path that does not begin with `/`).
//!
//! Start reading at [`Site`] and [`ScriptedModel`].
#![deny(missing_docs)]

mod hit;
mod lent;
mod model;
mod profile_folder;
mod proxy;
mod route;
mod server;
mod shop;
mod site;

pub use hit::Hit;
pub use lent::lent_browser;
pub use model::ScriptedModel;
pub use model::answer::{Answer, ToolCall, Usage};
pub use model::fault::Fault;
pub use model::request::{Kind, Message, Request, Tool};
pub use model::wire::Wire;
pub use profile_folder::ProfileFolder;
pub use proxy::ProxyServer;
pub use route::{Body, Ending, Route};
pub use shop::{Order, SHOP_EMAIL, SHOP_PASSWORD, Shop};
pub use site::{PageAt, Site};
