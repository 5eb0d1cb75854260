//! The DevTools protocol between clients and browsers.

mod address;
mod filter;
mod relay;
mod rules;
mod sessions;

pub(crate) use address::{address_problem, is_of_the_browser};
pub(crate) use filter::{Judgement, judge};
pub(crate) use relay::relay;
pub(crate) use rules::ClientRules;
