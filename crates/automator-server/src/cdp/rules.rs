//! What the session of a client is held to.

use crate::egress::hosts::HostList;
use crate::files::SessionFiles;

/// What commands of a client are judged by.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientRules {
    /// The only hosts that pages may be brought to.
    pub(crate) allowed_domains: Option<HostList>,
    /// Where the session's files are; none if its browser shares no folder with the server.
    pub(crate) files: Option<SessionFiles>,
}
