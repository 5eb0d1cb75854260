//! The address of any browser as a platform without sessions.

use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::fs::File;

use super::platform::{Found, Opened, Platform, Wanted};
use crate::{Error, ErrorKind, Result};

/// A browser that somebody else runs.
pub(crate) struct AnyBrowser {
    address: String,
}

impl AnyBrowser {
    pub(crate) fn new(address: String) -> Self {
        Self { address }
    }

    fn found(&self) -> Found {
        Found {
            id: None,
            connect_url: Some(self.address.clone()),
            state: "RUNNING".to_owned(),
            is_kept: true,
            session_url: None,
            debug_url: None,
        }
    }
}

impl Platform for AnyBrowser {
    fn open<'a>(&'a self, _: &'a Wanted) -> BoxFuture<'a, Result<Opened>> {
        let opened = Opened {
            found: self.found(),
            operations: None,
        };
        async { Ok(opened) }.boxed()
    }

    fn get<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Found>> {
        async { Ok(self.found()) }.boxed()
    }

    fn release<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<()>> {
        async { Ok(()) }.boxed()
    }

    fn debug<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }

    fn download<'a>(&'a self, _: &'a str, name: &'a str, _: &'a mut File) -> BoxFuture<'a, Result<()>> {
        let message = format!("`{name}` is on the machine of the browser, and nobody hands it over");
        async move { Err(Error::new(ErrorKind::Download, message)) }.boxed()
    }
}
