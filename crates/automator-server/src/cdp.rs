//! The DevTools protocol between clients and browsers.

mod filter;
mod relay;

pub(crate) use filter::{Judgement, judge};
pub(crate) use relay::relay;
