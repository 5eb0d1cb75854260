//! Operations beside the browser: `act`, `extract`, `observe`, `navigate` and tasks of agents, run by the core crate in this process.
//!
//! A session's [`Automator`](automator::Automator) is made when it is first needed and goes with the session; it holds
//! nothing that another process could not make anew. Keys of models are in requests alone: the client of a model is
//! made for one call and dropped with it.

mod answers;
mod automators;
mod call;
mod counting;
mod log;
mod models;
mod run;
mod settings;

pub use answers::CacheStatus;
pub use call::{Call, CallError, Kind};
pub use models::{ModelAccess, ModelRefused};
pub(crate) use run::usage_of;
pub use run::{Caller, Done, OperationError, Operations};
pub use settings::{OperationSettings, SettingError};
