//! The platform of browsers behind `env: "REMOTE"`.
//!
//! A server keeps sessions for the owners of API keys: each session is a browser that an [`Engine`](engine::Engine)
//! supplies. What has to outlive the process is in a [`Store`](store::Store), browsers included, so a server that is
//! started again goes on with them.

#![deny(missing_docs)]

mod accept;
pub mod audit;
mod cdp;
pub mod egress;
pub mod engine;
mod files;
pub mod http;
pub mod key;
mod lock;
pub mod metrics;
pub mod operations;
pub mod options;
pub mod parameters;
pub mod platform;
mod rate;
mod sealing;
mod server;
pub mod slots;
pub mod store;
pub mod token;
mod told_address;

pub use lock::LockError;
pub use server::{DATABASE, Server, ServerError, ServerOptions, create_key, make_folder};
