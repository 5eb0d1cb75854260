//! `cacheDir`: what was found out once, as files that can be committed.
//!
//! One readable JSON file an entry, `<operation>-<16 hex digits>.json`; the digits are the beginning of the SHA-256
//! of what the entry answers. A file that cannot be read, or that another version wrote, is as if it were not
//! there. Files are written beside their place and renamed, so that no reader sees half of one.

mod question;

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) use question::{Question, digits};

use crate::action::Action;
use crate::agent::Plan;
use crate::recipe::Recipe;
use crate::session::Session;

/// The version of the files' form.
const VERSION: u32 = 1;

/// The memory of a session that has one.
#[derive(Clone, Copy)]
pub(crate) struct Cache<'s> {
    session: &'s Session,
    folder: &'s Path,
}

/// An action and what its element was when it worked, which it has to be again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownAction {
    #[serde(flatten)]
    pub(crate) action: Action,
    pub(crate) role: String,
    pub(crate) name: String,
    /// Of an element that is not the only one with its role and name: the hash of what the page says around it and
    /// around none of the others, such as the rest of its row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) surroundings: Option<String>,
}

/// A file: what was asked, and what is known about it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<K> {
    version: u32,
    #[serde(flatten)]
    question: Question,
    #[serde(flatten)]
    known: K,
}

/// The knowledge of `act()` and `observe()`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Actions {
    actions: Vec<KnownAction>,
}

/// The knowledge of `extract()`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extraction {
    recipe: Recipe,
}

impl<'s> Cache<'s> {
    /// None when the session has no `cacheDir`.
    pub(crate) fn of(session: &'s Session) -> Option<Self> {
        let folder = session.options.cache_dir.as_deref()?;
        Some(Self { session, folder })
    }

    /// What was done, or found, the last time.
    pub(crate) async fn actions(&self, question: &Question) -> Option<Vec<KnownAction>> {
        let known: Actions = self.read(question).await?;
        Some(known.actions).filter(|actions| !actions.is_empty())
    }

    /// How the value was taken from the page the last time.
    pub(crate) async fn recipe(&self, question: &Question) -> Option<Recipe> {
        let known: Extraction = self.read(question).await?;
        Some(known.recipe)
    }

    /// What an agent did the last time.
    pub(crate) async fn plan(&self, question: &Question) -> Option<Plan> {
        self.read(question).await
    }

    /// Keeps what an agent did.
    pub(crate) async fn keep_plan(&self, question: &Question, plan: Plan) {
        self.write(question, plan).await;
    }

    /// Keeps actions that have worked.
    pub(crate) async fn keep_actions(&self, question: &Question, actions: Vec<KnownAction>) {
        self.write(question, Actions { actions }).await;
    }

    /// Keeps a recipe.
    pub(crate) async fn keep_recipe(&self, question: &Question, recipe: Recipe) {
        self.write(question, Extraction { recipe }).await;
    }

    async fn read<K: DeserializeOwned>(&self, question: &Question) -> Option<K> {
        let path = self.path(question);
        let text = match tokio::fs::read(&path).await {
            Ok(text) => text,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    self.complain(&path, &error);
                }
                return None;
            }
        };
        let entry: Entry<K> = match serde_json::from_slice(&text) {
            Ok(entry) => entry,
            Err(error) => {
                self.complain(&path, &error);
                return None;
            }
        };
        // The digits are short, so another question might have the same.
        (entry.version == VERSION && entry.question == *question).then_some(entry.known)
    }

    async fn write<K: Serialize>(&self, question: &Question, known: K) {
        let entry = Entry {
            version: VERSION,
            question: question.clone(),
            known,
        };
        let path = self.path(question);
        let written = match serde_json::to_vec_pretty(&entry) {
            Ok(mut text) => {
                text.push(b'\n');
                replace(self.folder.to_owned(), path.clone(), text).await
            }
            Err(error) => Err(error.into()),
        };
        if let Err(error) = written {
            self.complain(&path, &error);
        }
    }

    fn path(&self, question: &Question) -> PathBuf {
        self.folder.join(question.file_name())
    }

    /// A memory that does not work costs time, but must not break an operation.
    fn complain(&self, path: &Path, error: &dyn std::fmt::Display) {
        let details = [("file", path.display().to_string()), ("error", error.to_string())];
        self.session
            .log
            .error("cache", "a file of the cache cannot be used", &details);
    }
}

async fn replace(folder: PathBuf, path: PathBuf, text: Vec<u8>) -> io::Result<()> {
    let replacing = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".writing-")
            .tempfile_in(&folder)?;
        io::Write::write_all(&mut file, &text)?;
        readable_by_others(file.as_file())?;
        file.persist(&path).map(|_| ()).map_err(|error| error.error)
    });
    replacing.await.map_err(io::Error::other)?
}

/// The files are made to be committed; a temporary file is for its owner alone.
#[cfg(unix)]
fn readable_by_others(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn readable_by_others(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}
