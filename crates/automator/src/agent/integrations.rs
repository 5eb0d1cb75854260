//! Servers of tools by the Model Context Protocol: connected at the start of a run, gone with it. Their tools are tools
//! of one's own.

use std::collections::HashSet;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{join_all, try_join_all};
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use rmcp::service::{Peer, RoleClient, RunningService, ServiceExt as _};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};
use tokio::process::Command;

use super::own_tool::{AgentTool, AgentToolFuture, AgentToolOutput};
use crate::options::AgentIntegration;
use crate::{Error, ErrorKind, Result};

/// How long a server may take to answer, and to say which tools it has.
const CONNECTING: Duration = Duration::from_secs(30);

/// How long a server may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// The longest name of a tool.
const LONGEST_NAME: usize = 64;

type Connection = RunningService<RoleClient, ()>;

/// The servers of a run. Dropping them ends them, too, but does not wait for it.
#[derive(Default)]
pub(super) struct Integrations {
    connections: Vec<Connection>,
    pub(super) tools: Vec<Arc<dyn AgentTool>>,
}

impl Integrations {
    /// Connects to all of them. Tools get names that none of `taken` has.
    ///
    /// # Errors
    /// [`ErrorKind::McpConnection`] for the first that cannot be connected to.
    pub(super) async fn connect(
        &mut self,
        servers: &[AgentIntegration],
        taken: impl IntoIterator<Item = String>,
    ) -> Result<()> {
        let connecting = servers.iter().map(|server| async move {
            match tokio::time::timeout(CONNECTING, connect(server)).await {
                Ok(connected) => connected.map_err(|why| refused(server, &why)),
                Err(_) => Err(refused(server, "it does not answer")),
            }
        });
        let mut taken: HashSet<String> = taken.into_iter().collect();
        for (connection, tools) in try_join_all(connecting).await? {
            let peer = connection.peer().clone();
            for tool in tools {
                let name = free_name(&tool.name, &mut taken);
                self.tools.push(Arc::new(ServerTool {
                    peer: peer.clone(),
                    name,
                    own_name: tool.name.into_owned(),
                    description: tool.description.unwrap_or_default().into_owned(),
                    parameters: Value::Object((*tool.input_schema).clone()),
                }));
            }
            self.connections.push(connection);
        }
        Ok(())
    }

    /// Ends the servers, and waits for their processes.
    pub(super) async fn end(mut self) {
        self.tools.clear();
        let ending = self
            .connections
            .iter_mut()
            .map(|connection| connection.close_with_timeout(ENDING));
        // One that does not end in time is killed when it is dropped.
        join_all(ending).await;
    }
}

async fn connect(
    server: &AgentIntegration,
) -> std::result::Result<(Connection, Vec<rmcp::model::Tool>), String> {
    let connection = match server {
        AgentIntegration::Url(url) => {
            // The first one wins, and any will do.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            ().serve(transport).await.map_err(|error| error.to_string())?
        }
        AgentIntegration::Command { command, args, env } => {
            let mut process = Command::new(command);
            process.args(args).envs(env).kill_on_drop(true);
            let (transport, _) = TokioChildProcess::builder(process)
                // What it complains about is not the program's own output.
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| error.to_string())?;
            ().serve(transport).await.map_err(|error| error.to_string())?
        }
    };
    let tools = connection
        .list_all_tools()
        .await
        .map_err(|error| error.to_string())?;
    Ok((connection, tools))
}

fn refused(server: &AgentIntegration, why: &str) -> Error {
    // The library tells of its own types first.
    let why = why.rsplit_once("] error: ").map_or(why, |(_, why)| why);
    let (name, why) = match server {
        AgentIntegration::Url(url) => (without_query(url), why.replace(url.as_str(), without_query(url))),
        AgentIntegration::Command { command, .. } => (command.as_str(), why.to_owned()),
    };
    let message = format!("integrations: the MCP server {name} cannot be used: {why}");
    Error::new(ErrorKind::McpConnection, message)
        .hint("start it by hand to see what it says, or leave it out")
}

/// An address without the part that may hold a secret.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// A name that models accept and nobody has: with a number behind it if need be.
fn free_name(wanted: &str, taken: &mut HashSet<String>) -> String {
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let clean: String = wanted
        .chars()
        .map(|character| if fits(character) { character } else { '_' })
        .take(LONGEST_NAME)
        .collect();
    let clean = if clean.is_empty() {
        "tool".to_owned()
    } else {
        clean
    };
    let numbered = (2_u32..).map(|number| {
        let end = format!("_{number}");
        let kept: String = clean.chars().take(LONGEST_NAME - end.len()).collect();
        kept + &end
    });
    let free = std::iter::once(clean.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or(clean);
    taken.insert(free.clone());
    free
}

/// A tool of a server.
struct ServerTool {
    peer: Peer<RoleClient>,
    /// As the model knows it.
    name: String,
    /// As the server knows it.
    own_name: String,
    description: String,
    parameters: Value,
}

impl AgentTool for ServerTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn call(&self, arguments: Value) -> AgentToolFuture<'_> {
        Box::pin(async move {
            let mut params = CallToolRequestParams::new(self.own_name.clone());
            if let Value::Object(arguments) = arguments {
                params = params.with_arguments(arguments);
            }
            let result = self.peer.call_tool(params).await?;
            told(result)
        })
    }
}

/// What a server answered, for the model.
fn told(result: CallToolResult) -> std::result::Result<AgentToolOutput, super::AgentToolError> {
    let mut texts = Vec::new();
    let mut png = None;
    for block in &result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text.clone()),
            ContentBlock::Image(image) if image.mime_type == "image/png" && png.is_none() => {
                png = STANDARD.decode(&image.data).ok();
            }
            other => texts.push(json!(other).to_string()),
        }
    }
    let text = texts.join("\n");
    if result.is_error == Some(true) {
        return Err(text.into());
    }
    let value = match result.structured_content {
        Some(value) => value,
        None => text.into(),
    };
    let output = AgentToolOutput::from(value);
    Ok(match png {
        Some(png) => output.with_png(png),
        None => output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_and_such_as_models_accept() {
        let mut taken = HashSet::from(["act".to_owned()]);
        assert_eq!(free_name("act", &mut taken), "act_2");
        assert_eq!(free_name("act", &mut taken), "act_3");
        assert_eq!(free_name("read file/ü", &mut taken), "read_file__");
        assert_eq!(free_name("", &mut taken), "tool");
        let long = free_name(&"x".repeat(100), &mut taken);
        assert_eq!(long.len(), 64);
        let other = free_name(&"x".repeat(100), &mut taken);
        assert!(other.len() == 64 && other.ends_with("_2"));
    }
}
