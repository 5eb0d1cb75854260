//! Servers of tools, in a build without the Model Context Protocol: there are none.

use std::sync::Arc;

use super::own_tool::AgentTool;
use crate::options::AgentIntegration;
use crate::{Error, Result};

/// The servers of a run.
#[derive(Default)]
pub(super) struct Integrations {
    pub(super) tools: Vec<Arc<dyn AgentTool>>,
}

impl Integrations {
    /// Refuses all of them.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
    #[expect(clippy::unused_async, reason = "the one that connects is")]
    pub(super) async fn connect(
        servers: &[AgentIntegration],
        _taken: impl IntoIterator<Item = String>,
    ) -> Result<Self> {
        if servers.is_empty() {
            return Ok(Self::default());
        }
        Err(Error::invalid_argument(
            "integrations need the feature `mcp` of the crate, which this build does not have",
        ))
    }

    #[expect(clippy::unused_async, reason = "the one that ends servers is")]
    pub(super) async fn end(self) {}
}
