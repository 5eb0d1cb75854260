//! A server in a test.

use std::path::Path;
use std::time::Duration;

use automator_server::{Server, ServerOptions};

use super::Client;

/// Options of a server in a folder, at any free port. It looks after its sessions often, so that nobody waits for it.
pub(crate) fn options(folder: &Path) -> ServerOptions {
    let mut options = ServerOptions::new(folder);
    options.listen = ([127, 0, 0, 1], 0).into();
    options.platform.round = Duration::from_millis(100);
    options
}

/// A server, and a client with its first key.
pub(crate) async fn start(options: ServerOptions) -> (Server, Client) {
    let server = Server::start(options).await.expect("a server");
    let key = server.first_key().await.expect("a key").expect("the first one");
    let client = Client::new(server.address(), key.reveal());
    (server, client)
}
