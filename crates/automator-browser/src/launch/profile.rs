//! The profile folder: temporary ones carry our process id and a lock, and are removed with the browser.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

#[cfg(unix)]
use crate::launch::living::process_lives;

/// Temporary profiles are named so, then our process id, then something random.
const PREFIX: &str = "automator-profile-";

/// Temporary profiles that the user wants to keep; nobody sweeps them away.
const KEPT_PREFIX: &str = "automator-kept-profile-";

/// Held for as long as the profile is in use. The system lets go of it when its owner dies, however that
/// happens, and a process id that is used again cannot be mistaken for the owner. It has content once it is held:
/// an empty one belongs to a profile that is just being made.
const LOCK_NAME: &str = "automator.lock";

/// Pages are not fetched before somebody goes there: no interception sees those requests, so no policy of domains could
/// keep a page from having them made (2 is "never" in the browser's own settings).
const PREFERENCES: &str = r#"{"net":{"network_prediction_options":2}}"#;

/// Where a browser with a temporary profile keeps its own temporary files, so that they go with it: it leaves a
/// folder with a socket behind when it is killed.
const SCRATCH_NAME: &str = "tmp";

/// The longest path of that folder: the socket's path may not be longer than 104 bytes on any system.
const LONGEST_SCRATCH: usize = 55;

/// The link that Chromium keeps in a profile it works with. It names the host and the process: `host-123`.
#[cfg(unix)]
const SINGLETON_NAME: &str = "SingletonLock";

/// Another link of its in a profile: to a socket in a folder of its own among the temporary files of the system.
#[cfg(unix)]
const SOCKET_NAME: &str = "SingletonSocket";

/// Besides the socket the only file in that folder.
#[cfg(unix)]
const COOKIE_NAME: &str = "SingletonCookie";

/// A folder without a lock that was ever held is just being made, or its maker died right then.
const TIME_TO_LOCK: Duration = Duration::from_secs(60);

/// A process that is just ending may still write into its folder, on a busy machine for seconds.
const REMOVAL_ATTEMPTS: u32 = 60;
const REMOVAL_PAUSE: Duration = Duration::from_millis(50);

/// How often it is looked whether the owner of a profile is gone. Nearly always the first look is the last.
const OWNER_ATTEMPTS: u32 = 200;

/// A profile folder in use.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
    /// Only of a folder that goes with the browser.
    lock: Option<File>,
}

impl Profile {
    /// The folder that the user names; made when it is missing, and kept.
    pub(crate) fn given(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self {
            path: std::path::absolute(path)?,
            lock: None,
        })
    }

    /// A new folder below `parent` that goes with the browser, or stays when `keep` is set.
    pub(crate) fn temporary(parent: &Path, keep: bool) -> io::Result<Self> {
        let prefix = format!(
            "{}{}-",
            if keep { KEPT_PREFIX } else { PREFIX },
            std::process::id()
        );
        let path = tempfile::Builder::new()
            .prefix(&prefix)
            .disable_cleanup(true)
            .tempdir_in(parent)?
            .keep();
        // A browser that cannot read them starts with its own.
        let _ = write_preferences(&path);
        if keep {
            return Ok(Self { path, lock: None });
        }
        match hold(&path) {
            Ok(lock) => Ok(Self {
                path,
                lock: Some(lock),
            }),
            Err(error) => {
                let _ = fs::remove_dir_all(&path);
                Err(error)
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_temporary(&self) -> bool {
        self.lock.is_some()
    }

    /// The folder for the browser's own temporary files; none where they would not fit, or the profile stays.
    pub(crate) fn scratch(&self) -> Option<PathBuf> {
        let scratch = self.path.join(SCRATCH_NAME);
        let fits = self.is_temporary() && scratch.as_os_str().len() <= LONGEST_SCRATCH;
        (fits && fs::create_dir_all(&scratch).is_ok()).then_some(scratch)
    }

    /// The lock, for a browser that lives longer than we do: as long as it holds this file open, nobody
    /// takes its profile away.
    pub(crate) fn share_lock(&self) -> io::Result<Option<File>> {
        self.lock.as_ref().map(File::try_clone).transpose()
    }

    /// Leaves a temporary profile to the browser that works with it, and to a later sweep.
    pub(crate) fn leave(&mut self) {
        self.lock = None;
    }
}

/// Removes what browsers that were killed have left outside their profiles, which are in this folder: some keep their
/// socket among the temporary files of the system, and only the profile knows where. For a folder of profiles that is
/// removed as a whole. A browser that still runs keeps what it has. Blocks.
///
/// ```
/// # let folder = std::env::temp_dir().join("no-profiles-here");
/// automator_browser::release_profiles(&folder);
/// # let _ =
/// std::fs::remove_dir_all(&folder);
/// ```
pub fn release_profiles(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        release(&entry.path());
    }
}

/// Removes what a browser that was killed has left outside a profile that stays, and the links in it that say that it
/// works with the profile. Nothing happens when a browser does.
#[cfg(unix)]
pub(crate) fn release(profile: &Path) {
    if has_living_browser(profile) {
        return;
    }
    remove_socket_folder(profile);
    for link in [SOCKET_NAME, COOKIE_NAME, SINGLETON_NAME] {
        let _ = fs::remove_file(profile.join(link));
    }
}

/// Removes the folder with the socket of a browser that was killed: the profile only has a link to it.
#[cfg(unix)]
fn remove_socket_folder(profile: &Path) {
    if let Ok(socket) = fs::read_link(profile.join(SOCKET_NAME))
        && let Some(folder) = socket.parent()
    {
        // Fails when they are gone, which is what is wanted.
        let _ = fs::remove_file(&socket);
        let _ = fs::remove_file(folder.join(COOKIE_NAME));
        // Not when there is anything else in it.
        let _ = fs::remove_dir(folder);
    }
}

/// A browser leaves nothing outside its profile here.
#[cfg(not(unix))]
pub(crate) fn release(_profile: &Path) {}

#[cfg(not(unix))]
fn remove_socket_folder(_profile: &Path) {}

/// Dropping removes a temporary profile, with patience. That blocks, and no process of the browser may be left.
impl Drop for Profile {
    fn drop(&mut self) {
        if self.lock.is_some()
            && let Err(error) = remove_folder(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "a temporary profile could not be removed");
        }
    }
}

/// Removes the temporary profiles below `parent` whose owner is gone. Blocks.
pub(crate) fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_abandoned(&entry.path()) {
            tracing::debug!(path = %entry.path().display(), "removing the profile of a process that is gone");
            if let Err(error) = remove_with_lock_last(&entry.path()) {
                tracing::debug!(path = %entry.path().display(), %error, "left for the next start");
            }
        }
    }
}

/// Removes one temporary profile as soon as its owner lets go of it, or waits until the owner has done so itself.
/// A folder that is no temporary profile is left alone. Blocks, some ten seconds at the very most.
pub(crate) fn remove_abandoned(profile: &Path) {
    let is_ours = profile
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    if !is_ours {
        return;
    }
    for _ in 0..OWNER_ATTEMPTS {
        if !profile.exists() {
            return;
        }
        if is_abandoned(profile) {
            if let Err(error) = remove_folder(profile) {
                tracing::warn!(path = %profile.display(), %error, "a temporary profile could not be removed");
            }
            return;
        }
        std::thread::sleep(REMOVAL_PAUSE);
    }
    tracing::debug!(path = %profile.display(), "left for the next start");
}

/// Says what the browser does of its own accord in a new profile.
fn write_preferences(profile: &Path) -> io::Result<()> {
    let folder = profile.join("Default");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("Preferences"), PREFERENCES)
}

/// Makes the lock of a new profile, and holds it.
fn hold(profile: &Path) -> io::Result<File> {
    let mut lock = File::create(profile.join(LOCK_NAME))?;
    lock.lock()?;
    lock.write_all(std::process::id().to_string().as_bytes())?;
    Ok(lock)
}

/// Whether nobody holds the lock any more, and the browser that worked with the profile has ended, too: one whose
/// owner was killed still writes for a moment.
fn is_abandoned(profile: &Path) -> bool {
    let lock = match File::options().write(true).open(profile.join(LOCK_NAME)) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return is_older_than_making_takes(profile),
        Err(_) => return false,
    };
    match lock.try_lock() {
        // The lock is let go of again right away: whoever comes meanwhile only wants to remove it, too.
        Ok(()) => {
            let was_held = lock.metadata().is_ok_and(|metadata| metadata.len() > 0);
            (was_held || is_older_than_making_takes(profile)) && !has_living_browser(profile)
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

fn is_older_than_making_takes(profile: &Path) -> bool {
    let made = fs::metadata(profile).and_then(|metadata| metadata.modified());
    let age = made
        .ok()
        .and_then(|made| SystemTime::now().duration_since(made).ok());
    age.is_some_and(|age| age > TIME_TO_LOCK)
}

#[cfg(unix)]
fn has_living_browser(profile: &Path) -> bool {
    let Ok(target) = fs::read_link(profile.join(SINGLETON_NAME)) else {
        return false;
    };
    let target = target.to_string_lossy();
    let id = target.rsplit_once('-').and_then(|(_, id)| id.parse().ok());
    id.is_some_and(process_lives)
}

#[cfg(not(unix))]
fn has_living_browser(_profile: &Path) -> bool {
    false
}

/// Removes the lock when all else is gone: if something is in the way, the rest is still known as abandoned.
fn remove_with_lock_last(profile: &Path) -> io::Result<()> {
    remove_socket_folder(profile);
    for entry in fs::read_dir(profile)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK_NAME {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(profile)
}

fn remove_folder(path: &Path) -> io::Result<()> {
    let mut attempt = 0;
    loop {
        match remove_with_lock_last(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if attempt + 1 == REMOVAL_ATTEMPTS => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "removing a profile");
                attempt += 1;
                std::thread::sleep(REMOVAL_PAUSE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweep_removes_only_folders_whose_owner_is_gone() {
        let parent = tempfile::tempdir().unwrap();
        let living = Profile::temporary(parent.path(), false).unwrap();
        let kept = Profile::temporary(parent.path(), true).unwrap();
        let mut dead = Profile::temporary(parent.path(), false).unwrap();
        let mut outlived = Profile::temporary(parent.path(), false).unwrap();
        let browser = outlived.share_lock().unwrap();
        let fresh = parent.path().join(format!("{PREFIX}1-fresh"));
        let foreign = parent.path().join("other");
        fs::create_dir(&fresh).unwrap();
        fs::create_dir(&foreign).unwrap();
        let (dead_path, outlived_path) = (dead.path.clone(), outlived.path.clone());
        fs::write(dead_path.join("Cookies"), "x").unwrap();
        dead.leave();
        outlived.leave();
        sweep(parent.path());
        assert!(!dead_path.exists());
        for path in [living.path(), kept.path(), &outlived_path, &fresh, &foreign] {
            assert!(path.exists(), "{}", path.display());
        }
        drop(browser);
        sweep(parent.path());
        assert!(!outlived_path.exists());
    }

    #[test]
    fn a_profile_that_is_just_being_made_is_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join(format!("{PREFIX}1-new"));
        fs::create_dir(&path).unwrap();
        File::create(path.join(LOCK_NAME)).unwrap();
        sweep(parent.path());
        assert!(path.join(LOCK_NAME).exists());
        drop(hold(&path).unwrap());
        sweep(parent.path());
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_browser_that_is_still_ending_keeps_its_profile() {
        let parent = tempfile::tempdir().unwrap();
        let mut profile = Profile::temporary(parent.path(), false).unwrap();
        let path = profile.path().to_owned();
        profile.leave();
        let name = |id: u32| std::os::unix::fs::symlink(format!("a-host-{id}"), path.join(SINGLETON_NAME));
        name(std::process::id()).unwrap();
        sweep(parent.path());
        assert!(path.exists());
        fs::remove_file(path.join(SINGLETON_NAME)).unwrap();
        // No system gives out numbers as high as this.
        name(0x7fff_fffe).unwrap();
        sweep(parent.path());
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_browser_left_beside_its_profile_goes() {
        use std::os::unix::fs::symlink;
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("profile");
        fs::create_dir(&path).unwrap();
        let folder = parent.path().join("socket-folder");
        fs::create_dir(&folder).unwrap();
        for name in [SOCKET_NAME, COOKIE_NAME] {
            File::create(folder.join(name)).unwrap();
            symlink(folder.join(name), path.join(name)).unwrap();
        }
        fs::write(path.join("Cookies"), "x").unwrap();
        let name = |id: u32| symlink(format!("a-host-{id}"), path.join(SINGLETON_NAME)).unwrap();
        name(std::process::id());
        release(&path);
        assert!(folder.join(SOCKET_NAME).exists(), "another browser works with it");
        fs::remove_file(path.join(SINGLETON_NAME)).unwrap();
        name(0x7fff_fffe);
        release(&path);
        assert!(!folder.exists());
        let left: Vec<_> = fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["Cookies"]);
    }

    #[test]
    fn given_folder_is_made_and_never_removed() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let profile = Profile::given(&path).unwrap();
        assert!(path.is_dir() && !profile.is_temporary());
        drop(profile);
        assert!(path.is_dir());
    }

    #[test]
    fn temporary_folder_is_named_after_our_process_and_goes() {
        let parent = tempfile::tempdir().unwrap();
        let profile = Profile::temporary(parent.path(), false).unwrap();
        let path = profile.path().to_owned();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name.starts_with(&format!("{PREFIX}{}-", std::process::id())),
            "{name}"
        );
        fs::create_dir_all(path.join("Default/Cache")).unwrap();
        drop(profile);
        assert!(!path.exists());
    }
}
