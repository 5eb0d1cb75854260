//! The proxy that a session's browser reaches everything through.
//!
//! It goes with the process, and the browser does not: so its port is stored with the session, and a server that is
//! started again listens there again.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Platform;
use crate::egress::proxy::{EgressOptions, EgressProxy};
use crate::egress::upstream::UpstreamProxy;
use crate::parameters::CreateParameters;
use crate::store::SessionRecord;

/// Where the port is in a session's settings.
const MEMBER: &str = "egress";

/// Where the bytes are that the proxies of a session have carried.
const CARRIED: &str = "carriedBytes";

impl Platform {
    /// Starts the proxy of a browser; on the port that an earlier one had, if there was one.
    pub(super) async fn start_proxy(
        &self,
        port: Option<u16>,
        parameters: &CreateParameters,
    ) -> io::Result<EgressProxy> {
        let block_list = &self.inner.block_list;
        let upstreams = parameters.proxies.iter().map(UpstreamProxy::new);
        EgressProxy::start_with(EgressOptions {
            upstreams: upstreams.collect::<Result<_, _>>().map_err(io::Error::other)?,
            blocked: parameters.block_ads.then(|| Arc::clone(block_list)),
            listen: SocketAddr::from(([127, 0, 0, 1], port.unwrap_or(0))),
            ..EgressOptions::new(self.inner.options.egress.clone())
        })
        .await
    }

    /// How many bytes a session's browser has exchanged with the network through its proxy, both ways. What was
    /// carried since the record was last written is forgotten when the process dies.
    #[must_use]
    pub fn bytes_carried(&self, session: &SessionRecord) -> u64 {
        let running = self.inner.running();
        running.get(&session.id).map_or_else(
            || noted_carried(&session.settings),
            |running| {
                let traffic = running.proxy.bytes();
                running.carried_before + traffic.sent + traffic.received
            },
        )
    }
}

/// Notes in a session's settings what its proxies have carried, in bytes.
pub(super) fn note_carried(settings: &mut Map<String, Value>, bytes: u64) {
    settings.insert(CARRIED.to_owned(), bytes.into());
}

/// What the proxies of a session have carried, by its settings.
pub(super) fn noted_carried(settings: &Map<String, Value>) -> u64 {
    settings.get(CARRIED).and_then(Value::as_u64).unwrap_or(0)
}

/// Notes in a session's settings where its proxy listens.
pub(super) fn note_port(settings: &mut Map<String, Value>, port: u16) {
    settings.insert(MEMBER.to_owned(), json!({ "port": port }));
}

/// Where the proxy of a session listens, by its settings.
pub(super) fn noted_port(settings: &Map<String, Value>) -> Option<u16> {
    let port = settings.get(MEMBER)?.get("port")?.as_u64()?;
    u16::try_from(port).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_read_as_it_was_noted() {
        let mut settings = Map::new();
        assert_eq!(noted_port(&settings), None);
        note_port(&mut settings, 4321);
        assert_eq!(noted_port(&settings), Some(4321));
        assert_eq!(noted_carried(&settings), 0);
        note_carried(&mut settings, 99);
        assert_eq!(
            (noted_carried(&settings), noted_port(&settings)),
            (99, Some(4321))
        );
    }
}
