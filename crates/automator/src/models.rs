//! Which client answers a call: the user's own, or one built from model options and kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use automator_llm::{
    ComputerClient, LlmClient, ModelConnections, ModelOptions, connect, connect_computer, connect_through,
};

use crate::options::{AutomatorOptions, DEFAULT_MODEL};
use crate::{Error, Result};

/// The clients of a session.
pub(crate) struct Models {
    own: Option<Arc<dyn LlmClient>>,
    session: ModelOptions,
    connections: Option<ModelConnections>,
    environment: crate::options::EnvironmentSource,
    built: Mutex<HashMap<String, Arc<dyn LlmClient>>>,
}

impl Models {
    /// The name of the model that answers a call.
    pub(crate) fn name(&self, call: Option<&ModelOptions>) -> String {
        match (call, &self.own) {
            (None, Some(own)) => own.model_name().to_owned(),
            (None, None) => self.session.model_name.clone(),
            (Some(call), _) => call.model_name.clone(),
        }
    }

    pub(crate) fn new(options: &AutomatorOptions) -> Self {
        Self {
            own: options.llm_client.clone(),
            session: options
                .model
                .clone()
                .unwrap_or_else(|| ModelOptions::new(DEFAULT_MODEL)),
            connections: options.model_connections.clone(),
            environment: options.environment.clone(),
            built: Mutex::default(),
        }
    }

    /// The model object of a call with its key, for whoever asks in our place; none for a client of the user's own.
    pub(crate) fn revealed(&self, call: Option<&ModelOptions>) -> Option<serde_json::Value> {
        let options = match (call, &self.own) {
            (None, Some(_)) => return None,
            (None, None) => self.session.clone(),
            (Some(call), _) => call.clone().inheriting(&self.session),
        };
        Some(options.revealed(&self.environment))
    }

    /// The client of a call that uses a computer; none for a model that does not, and for a client of the user's own.
    pub(crate) fn computer(&self, call: Option<&ModelOptions>) -> Result<Option<Arc<dyn ComputerClient>>> {
        let options = match (call, &self.own) {
            (None, Some(_)) => return Ok(None),
            (None, None) => self.session.clone(),
            (Some(call), _) => call.clone().inheriting(&self.session),
        };
        connect_computer(&options, &self.environment, self.connections.as_ref()).map_err(Error::from)
    }

    /// The client of a call. The user's own client answers unless the call names a model.
    pub(crate) fn client(&self, call: Option<&ModelOptions>) -> Result<Arc<dyn LlmClient>> {
        let options = match (call, &self.own) {
            (None, Some(own)) => return Ok(Arc::clone(own)),
            (None, None) => self.session.clone(),
            (Some(call), _) => call.clone().inheriting(&self.session),
        };
        if let Some(connections) = &self.connections {
            return connect_through(&options, &self.environment, connections).map_err(Error::from);
        }
        let key = format!(
            "{options:?} {:?}",
            options.api_key.as_ref().map(automator_llm::Secret::expose)
        );
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = built.get(&key) {
            return Ok(Arc::clone(client));
        }
        let client = connect(&options, &self.environment).map_err(Error::from)?;
        built.insert(key, Arc::clone(&client));
        Ok(client)
    }
}
