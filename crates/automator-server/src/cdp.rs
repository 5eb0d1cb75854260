//! The DevTools protocol between clients and browsers.

mod filter;
mod relay;
mod rules;

pub(crate) use filter::{Judgement, address_problem, judge};
pub(crate) use relay::relay;
pub(crate) use rules::ClientRules;
