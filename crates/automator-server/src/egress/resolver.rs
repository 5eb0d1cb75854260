//! How names become addresses.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// What [`Resolver::resolve`] gives.
pub type ResolverFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Turns names into addresses. It is asked once for each connection, so what it answers later changes nothing.
pub trait Resolver: Send + Sync + std::fmt::Debug {
    /// The addresses of a host, the preferred ones first.
    fn resolve<'a>(&'a self, name: &'a str) -> ResolverFuture<'a>;
}

/// The resolver of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> ResolverFuture<'a> {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}
