//! Where browsers may connect to, and the proxy that sees to it.
//!
//! Start at [`policy`], which decides, and [`proxy`], which all traffic of a browser goes through. All in between is
//! one way: a [`Resolver`](resolver::Resolver) turns a name into addresses, the policy judges them, and one that it
//! allows is dialled, directly or through the proxy that the session asked for ([`upstream`]).

pub mod address;
mod chain;
mod connection;
mod dial;
pub mod failures;
pub(crate) mod headers;
pub mod hosts;
mod pattern;
pub mod policy;
pub mod proxy;
pub mod resolver;
mod rule;
mod target;
mod traffic;
mod tunnel;
pub mod upstream;
