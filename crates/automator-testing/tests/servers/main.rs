//! The servers of this crate, asked over real sockets.

mod client;
mod proxy;
mod site;
