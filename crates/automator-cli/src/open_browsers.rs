//! The browsers that are open between commands: one small file each, by name.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use automator::{Environment, KeptBrowser, ViewportOptions};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::browser_options::InvalidValue;
use crate::exit::Failure;

/// The format of the files.
const VERSION: u32 = 1;

/// The longest name of a browser.
const LONGEST_NAME: usize = 64;

/// Under which name a browser is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Default for Name {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::str::FromStr for Name {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let fits = (1..=LONGEST_NAME).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue::new("a name is up to 64 letters, digits, - and _"))
        }
    }
}

impl Name {
    /// What has to be added to a command that is meant for this browser.
    pub(crate) fn as_option(&self) -> String {
        if *self == Self::default() {
            String::new()
        } else {
            format!(" --name {self}")
        }
    }
}

/// What is known of an open browser.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenBrowser {
    version: u32,
    pub(crate) browser: KeptBrowser,
    /// The size that all commands give its pages.
    pub(crate) viewport: Option<(u32, u32)>,
    /// The page that the last command worked on.
    pub(crate) page: Option<String>,
}

impl OpenBrowser {
    pub(crate) fn new(browser: KeptBrowser, viewport: Option<ViewportOptions>, page: &str) -> Self {
        Self {
            version: VERSION,
            browser,
            viewport: viewport.map(|size| (size.width, size.height)),
            page: Some(page.to_owned()),
        }
    }
}

/// `automator` in the user's folder for state. It need not exist.
pub(crate) fn state_folder(environment: &dyn Environment) -> Option<PathBuf> {
    let path = |name: &str| environment.variable(name).map(PathBuf::from);
    // A relative path there is to be ignored, says the specification.
    let state = path("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let home = || path("HOME").or_else(|| path("USERPROFILE"));
    let state = state.or_else(|| Some(home()?.join(".local").join("state")))?;
    Some(state.join("automator"))
}

/// The folder with the files.
#[derive(Debug)]
pub(crate) struct OpenBrowsers {
    folder: PathBuf,
}

impl OpenBrowsers {
    /// `$XDG_STATE_HOME/automator`, or `~/.local/state/automator`. It need not exist.
    pub(crate) fn of_user(environment: &dyn Environment) -> Result<Self, Failure> {
        let folder = state_folder(environment).ok_or_else(|| {
            Failure::usage(
                "there is no place to remember open browsers: neither XDG_STATE_HOME nor HOME is set",
            )
        })?;
        Ok(Self { folder })
    }

    /// The browser of a name; none when there is none, or only a file that cannot be understood.
    pub(crate) fn find(&self, name: &Name) -> Result<Option<OpenBrowser>, Failure> {
        let path = self.path(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot("read", &path, &error)),
        };
        match serde_json::from_str::<OpenBrowser>(&text) {
            Ok(open) if open.version == VERSION => Ok(Some(open)),
            _ => {
                tracing::warn!("{} is not understood and left out of account", path.display());
                Ok(None)
            }
        }
    }

    /// Remembers a browser that was just started. False when one of that name was started meanwhile.
    pub(crate) fn add(&self, name: &Name, open: &OpenBrowser) -> Result<bool, Failure> {
        let path = self.path(name);
        match self.written(open)?.persist_noclobber(&path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(cannot("write", &path, &error.error)),
        }
    }

    /// Remembers which page was worked on, unless the browser of that name is another one by now.
    pub(crate) fn update(&self, name: &Name, open: &OpenBrowser) -> Result<(), Failure> {
        let known = self.find(name)?;
        if known.is_none_or(|known| known.browser != open.browser) {
            return Ok(());
        }
        let path = self.path(name);
        let written = self.written(open)?.persist(&path);
        written
            .map(|_| ())
            .map_err(|error| cannot("write", &path, &error.error))
    }

    /// Forgets the browser of a name.
    pub(crate) fn forget(&self, name: &Name) -> Result<(), Failure> {
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(cannot("remove", &path, &error)),
            _ => {
                // Only when it is empty, which is what is meant.
                let _ = fs::remove_dir(&self.folder);
                Ok(())
            }
        }
    }

    /// Forgets a browser, unless that of its name is another one by now.
    pub(crate) fn forget_if(&self, name: &Name, browser: &KeptBrowser) -> Result<(), Failure> {
        match self.find(name)? {
            Some(known) if known.browser == *browser => self.forget(name),
            _ => Ok(()),
        }
    }

    /// The names of all that are remembered, sorted.
    pub(crate) fn names(&self) -> Vec<Name> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<Name> = entries
            .filter_map(|entry| {
                let file = entry.file_name().into_string().ok()?;
                file.strip_suffix(".json")?.parse().ok()
            })
            .collect();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        names
    }

    fn path(&self, name: &Name) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// A file beside the others, for its user alone, that only has to be given its name.
    fn written(&self, open: &OpenBrowser) -> Result<NamedTempFile, Failure> {
        let write = || -> io::Result<NamedTempFile> {
            make_folder(&self.folder)?;
            let mut file = tempfile::Builder::new().prefix(".").tempfile_in(&self.folder)?;
            serde_json::to_writer(&mut file, open)?;
            file.write_all(b"\n")?;
            Ok(file)
        };
        write().map_err(|error| cannot("write into", &self.folder, &error))
    }
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot {what} {}: {error}", path.display()))
        .hint("open browsers are remembered there; XDG_STATE_HOME names another folder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use automator::EnvironmentSource;

    fn browser(address: &str) -> KeptBrowser {
        let written = serde_json::json!({
            "address": address, "processId": 1, "mark": "a=b", "profile": "/nowhere", "isTemporary": true,
        });
        serde_json::from_value(written).unwrap()
    }

    fn opened(address: &str) -> OpenBrowser {
        OpenBrowser::new(browser(address), None, "page")
    }

    #[test]
    fn names_are_no_paths() {
        for name in ["shop", "A-1_b", "default"] {
            assert_eq!(name.parse::<Name>().unwrap().to_string(), name);
        }
        for name in ["", ".", "../x", "a/b", "a b", "ü", &"x".repeat(65)] {
            assert!(name.parse::<Name>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_folder_is_that_of_the_users_state() {
        let folder = |variables: &'static [(&str, &str)]| {
            let environment = EnvironmentSource::new(move |name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            });
            OpenBrowsers::of_user(&environment).map(|open| open.folder.to_string_lossy().into_owned())
        };
        assert_eq!(
            folder(&[("XDG_STATE_HOME", "/state"), ("HOME", "/home/me")]).unwrap(),
            "/state/automator"
        );
        for variables in [
            &[("HOME", "/home/me")][..],
            &[("XDG_STATE_HOME", "state"), ("HOME", "/home/me")],
        ] {
            assert_eq!(folder(variables).unwrap(), "/home/me/.local/state/automator");
        }
        assert!(folder(&[]).is_err());
    }

    #[test]
    fn what_is_remembered_is_for_its_user_alone_and_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let open = OpenBrowsers {
            folder: home.path().join("automator"),
        };
        let name = Name::default();
        assert!(open.find(&name).unwrap().is_none() && open.names().is_empty());
        assert!(open.add(&name, &opened("ws://one")).unwrap());
        assert!(
            !open.add(&name, &opened("ws://two")).unwrap(),
            "the first one stays"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&open.path(&name)), 0o600);
            assert_eq!(mode(&open.folder), 0o700);
        }
        let mut known = open.find(&name).unwrap().unwrap();
        assert_eq!(known.browser.address(), "ws://one");
        known.page = Some("other".to_owned());
        open.update(&name, &known).unwrap();
        open.update(&name, &opened("ws://two")).unwrap();
        open.forget_if(&name, &browser("ws://two")).unwrap();
        assert_eq!(open.find(&name).unwrap().unwrap().page.as_deref(), Some("other"));
        assert_eq!(open.names(), std::slice::from_ref(&name));
        open.forget(&name).unwrap();
        open.forget(&name).unwrap();
        assert!(!open.folder.exists());
    }

    #[test]
    fn a_file_of_another_version_or_none_that_can_be_read_counts_as_none() {
        let home = tempfile::tempdir().unwrap();
        let open = OpenBrowsers {
            folder: home.path().to_owned(),
        };
        let mut later = serde_json::to_value(opened("ws://one")).unwrap();
        later["version"] = 2.into();
        for text in ["", "{}", "[1", &later.to_string()] {
            fs::write(home.path().join("default.json"), text).unwrap();
            assert!(open.find(&Name::default()).unwrap().is_none(), "{text}");
        }
    }
}
