//! What sessions are given and held to, with real browsers: proxies, domains, files, contexts.

#[path = "../client/mod.rs"]
mod client;
mod contexts;
mod files;
mod restrictions;
mod setup;
