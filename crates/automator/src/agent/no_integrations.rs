//! Servers of tools, in a build without the Model Context Protocol: there are none.

use std::sync::Arc;

use super::own_tool::AgentTool;
use crate::options::AgentIntegration;
use crate::{Error, ErrorKind, Result};

/// The servers of a run.
#[derive(Default)]
pub(super) struct Integrations {
    pub(super) tools: Vec<Arc<dyn AgentTool>>,
}

impl Integrations {
    /// Refuses all of them.
    ///
    /// # Errors
    /// [`ErrorKind::McpConnection`], since nothing can be connected to.
    #[expect(clippy::unused_async, reason = "the one that connects is")]
    pub(super) async fn connect(
        &mut self,
        servers: &[AgentIntegration],
        _taken: impl IntoIterator<Item = String>,
    ) -> Result<()> {
        if servers.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::McpConnection,
            "integrations need the feature `mcp` of the crate, which this build does not have",
        ))
    }

    #[expect(clippy::unused_async, reason = "the one that ends servers is")]
    pub(super) async fn end(self) {}
}
