//! Automator for Node.js: the native half of the npm package.
//!
//! It converts, calls the public crate and converts back, and decides nothing: what options mean, which defaults
//! they have and what an error is called is the core's business, so that it is the same in every language. The
//! interface that users see is TypeScript, beside these files; no user sees the classes here.
//!
//! Values cross as JSON text. V8 writes and reads JSON several times quicker than an object can be built member by
//! member from outside, and both sides mean the same by it. Errors cross as JSON, too ([`error`]). Only page texts,
//! which may have megabytes, cross as they are and are copied once ([`session::Reading`]).
//!
//! Start reading at [`session`].

mod agent;
mod callback;
mod context;
mod error;
mod event;
mod frame;
mod json;
mod locator;
mod page;
mod response;
mod session;
