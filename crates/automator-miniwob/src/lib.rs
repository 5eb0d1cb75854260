//! Plays the tasks of MiniWoB++, small web pages that each ask for one thing and judge it themselves.
//!
//! Every task has a policy of ours: a function that reads the instruction and the page and then acts through the
//! public interface of `automator` only: `act(Action)`, locators, and the mouse and keyboard of the page. A
//! policy may read the document. It changes nothing from script, and looks neither into variables nor at data
//! attributes in which the page keeps the solution. A task that fails is therefore a fault of the policy or of the
//! library, or cannot be solved.
//!
//! The pages are those of the Python package `miniwob` (MIT licence). They are no part of this repository: the
//! [`wheel`] is fetched when it is needed. `cargo xtask bench miniwob` plays all tasks, the tests of this crate
//! some of each kind. Start reading at [`Task`].
#![deny(missing_docs)]

mod arena;
mod player;
mod policies;
mod task;
pub mod wheel;

pub use arena::{Arena, Outcome};
pub use task::{STEPS, Step, TASKS, Task};
