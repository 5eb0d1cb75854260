//! Automator for Python: the native half of the Python package.
//!
//! It converts, calls the public crate and converts back, and decides nothing: what options mean, which defaults
//! they have and what an error is called is the core's business, so that it is the same in every language. The
//! interface that users see is Python, in `automator/`; no user sees the classes here.
//!
//! A call that takes time is a [`Work`](work::Work), which is waited for in one of two ways: by an event loop, or by
//! the thread that calls. So there is one set of classes under `AsyncAutomator` and `Automator`.
//!
//! Options and values cross as JSON text, page texts and bytes as they are; errors leave as the exceptions of
//! `automator/errors.py` ([`error`]). The core is never called while Python's lock is held: its threads may want the
//! lock, to write a line of the log.
//!
//! Start reading at [`session`].

mod agent;
mod attach;
mod callback;
mod context;
mod error;
mod event;
mod frame;
mod json;
mod locator;
mod messenger;
mod page;
mod response;
mod runtime;
mod session;
mod work;

use pyo3::prelude::*;

#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::agent::{NativeAgent, NativeSignal};
    #[pymodule_export]
    use crate::attach::end;
    #[pymodule_export]
    use crate::callback::NativeAnswer;
    #[pymodule_export]
    use crate::context::NativeContext;
    #[pymodule_export]
    use crate::event::{NativeDownload, NativeEvent};
    #[pymodule_export]
    use crate::frame::NativeFrame;
    #[pymodule_export]
    use crate::locator::{NativeFrameLocator, NativeLocator};
    #[pymodule_export]
    use crate::page::{NativeListening, NativePage};
    #[pymodule_export]
    use crate::response::NativeResponse;
    #[pymodule_export]
    use crate::session::NativeSession;
    #[pymodule_export]
    use crate::work::Work;
}
