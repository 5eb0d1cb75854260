//! The sessions of the core that operations run in, one for each session of the platform.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use automator::{Automator, DialogsElsewhere, Result};
use tokio::sync::OnceCell;

use super::log::logger;
use super::models::ModelAccess;
use super::settings::OperationSettings;
use crate::platform::{Connected, Operating};

/// The folder of a session that has none: nothing can be in it.
const NO_FILES: &str = "/dev/null";

/// What exists so far.
#[derive(Debug, Default)]
pub(super) struct Automators {
    sessions: Mutex<HashMap<String, Arc<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    address: String,
    settings: OperationSettings,
    /// Where files are that actions may give to pages.
    files: Option<PathBuf>,
    connected: Connected,
    automator: OnceCell<Automator>,
}

impl Automators {
    /// That of a session, connected with its browser. Made anew when its settings are others now, or its connection is
    /// gone.
    pub(super) async fn of(
        self: &Arc<Self>,
        session: &str,
        operating: &Operating,
        settings: OperationSettings,
        models: &ModelAccess,
    ) -> Result<Automator> {
        let entry = self.entry(session, operating, settings);
        let automator = entry
            .automator
            .get_or_try_init(|| connect(&entry, models))
            .await?;
        Ok(automator.clone())
    }

    fn entry(
        self: &Arc<Self>,
        session: &str,
        operating: &Operating,
        settings: OperationSettings,
    ) -> Arc<Entry> {
        let mut sessions = self.sessions();
        let usable = sessions.get(session).filter(|entry| {
            let is_lost = entry
                .automator
                .get()
                .is_some_and(|automator| automator.context().is_err());
            !is_lost && entry.settings == settings && entry.address == operating.address
        });
        if let Some(entry) = usable {
            return Arc::clone(entry);
        }
        let entry = Arc::new(Entry {
            address: operating.address.clone(),
            settings,
            files: operating.uploads.clone(),
            connected: operating.connected.clone(),
            automator: OnceCell::new(),
        });
        let before = sessions.insert(session.to_owned(), Arc::clone(&entry));
        if before.is_none() {
            self.drop_at_end(session, operating);
        }
        entry
    }

    /// Lets go of it when the session has ended.
    fn drop_at_end(self: &Arc<Self>, session: &str, operating: &Operating) {
        let (automators, session) = (Arc::downgrade(self), session.to_owned());
        let mut ended = operating.ended.clone();
        tokio::spawn(async move {
            // One whose other half has gone has ended as well.
            let _ = ended.wait_for(Option::is_some).await;
            if let Some(automators) = automators.upgrade() {
                automators.sessions().remove(&session);
            }
        });
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Arc<Entry>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn connect(entry: &Entry, models: &ModelAccess) -> Result<Automator> {
    let mut options = entry.settings.options(&entry.address);
    options.environment = models.environment();
    options.model_connections = Some(models.connections());
    options.logger = Some(logger());
    // Its lines go to the caller; what pages say has no place in the server's own log.
    options.disable_log_backend = true;
    options.keeps_history = false;
    options.file_folder = Some(entry.files.clone().unwrap_or_else(|| PathBuf::from(NO_FILES)));
    if entry.settings.client_answers_dialogs() {
        let connected = entry.connected.clone();
        options.dialogs_elsewhere = Some(DialogsElsewhere::new(move || connected.is_any()));
    }
    let automator = Automator::new(options)?;
    automator.init().await?;
    Ok(automator)
}
