//! Elements: waiting for them, acting on them, and looking what came of it.
//!
//! [`reach`] is the way to an element: one call into its document that waits for it, waits until it can be used,
//! and does what can be done by script. The other modules are one kind of action each.

pub(crate) mod afterwards;
pub(crate) mod check;
pub(crate) mod drag;
pub(crate) mod files;
pub(crate) mod fill;
pub(crate) mod highlight;
pub(crate) mod keys;
pub(crate) mod press;
pub(crate) mod reach;
pub(crate) mod scroll;
pub(crate) mod select;
