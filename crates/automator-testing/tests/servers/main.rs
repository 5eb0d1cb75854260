//! The servers of this crate, asked over real sockets.

mod client;
mod model;
mod proxy;
mod shop;
mod site;
