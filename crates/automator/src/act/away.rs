//! An action that runs on the platform of a remote session.

use serde_json::{Map, Value, json};

use super::{ActInput, ActRequest, Run};
use crate::Result;
use crate::action::ActResult;
use crate::remote::{Accounts, Away, Common};
use crate::replay;

impl Run<'_> {
    /// Runs the call on the platform. None when this machine remembers what was done the last time.
    pub(super) async fn away(
        &self,
        away: &Away<'_>,
        request: &ActRequest,
        accounts: Accounts<'_>,
    ) -> Result<Option<ActResult>> {
        let memory = match &request.input {
            ActInput::Instruction(instruction) if !instruction.trim().is_empty() => {
                self.cache().map(|cache| (cache, instruction.trim()))
            }
            _ => None,
        };
        let mut learning = None;
        if let Some((cache, instruction)) = memory {
            self.page.settle().await?;
            let question = self.question(instruction);
            if cache.actions(&question).await.is_some() {
                return Ok(None);
            }
            // The page as it is before, which the elements of the actions are found in.
            let snapshot = self.read().await?;
            let paths = self.page.xpaths(&snapshot).await?;
            learning = Some((cache, question, snapshot, paths));
        }
        self.session.remember_typed(self.variables);
        let mut options = Map::new();
        if !self.variables.is_empty() {
            options.insert("variables".to_owned(), self.variables.revealed());
        }
        let common = Common {
            model: request.options.model.as_ref(),
            timeout: request.options.timeout,
            server_cache: request.options.server_cache,
        };
        let calling = away.call(
            "act",
            &self.page,
            input(&request.input),
            options,
            common,
            accounts,
        );
        let (mut result, cache_status): (ActResult, _) = away.acting(&self.page, None, calling).await?;
        result.cache_status = cache_status;
        if let Some((cache, question, snapshot, paths)) = learning
            && result.success
        {
            // The page before does not have what an earlier step opened, which only the platform can tell of then.
            let known = accounts
                .told
                .steps()
                .filter(|steps| !steps.is_empty())
                .or_else(|| replay::known_at(&paths, &snapshot, &result.actions, &|text| self.mask(text)));
            if let Some(known) = known {
                cache.keep_actions(&question, known).await;
            }
        }
        Ok(Some(result))
    }
}

fn input(input: &ActInput) -> Map<String, Value> {
    let input = match input {
        ActInput::Instruction(instruction) => json!(instruction),
        ActInput::Action(action) => json!(action),
    };
    Map::from_iter([("input".to_owned(), input)])
}
