//! Pages as text: recorded browser replies in; page text, element ids, addresses and XPaths out.
//!
//! Everything here is a pure function of what the browser answered to `DOMSnapshot.captureSnapshot` and of a
//! few facts beside it. No sockets, no clocks, no files, no `async`; whatever is fed in, nothing panics and
//! nothing recurses on the depth of a page.
//!
//! Start with [`Snapshot::read`]: [`capture`] parses, `tree` links the documents, `shown` decides what people
//! see, [`role`] and `name` say what it is, `outline` chooses what is told, `render` writes it.

#![deny(missing_docs)]

mod address;
mod attribute;
pub mod capture;
mod diff;
mod ids;
pub mod inspect;
mod locate;
mod name;
mod outline;
mod render;
pub mod role;
mod shown;
mod snapshot;
mod split;
mod state;
mod structure;
mod text;
mod tree;
mod usable;
mod xpath;

pub use diff::Difference;
pub use ids::{ElementId, IdTable, InvalidElementId, NodeKey};
pub use locate::{Place, Sought};
pub use snapshot::{
    CapturedTarget, Element, LateElement, Line, NodeRef, Reply, Scope, Snapshot, SnapshotError,
};
pub use structure::{Structure, StructureNode};
pub use tree::{DocumentFacts, FrameOwner};
pub use xpath::{PathPiece, XPath};
