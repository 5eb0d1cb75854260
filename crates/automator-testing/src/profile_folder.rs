//! The folder of a browser that a test starts by itself.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

/// How often the folder is tried to be removed, and the wait between.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// A temporary folder for the profile of a browser. The last processes of a browser that was killed still write to it
/// for a moment, so dropping it removes it with patience. That blocks, 5 s at the very most.
///
/// ```
/// let profile = automator_testing::ProfileFolder::new();
/// let flag = format!("--user-data-dir={}", profile.path().display());
/// # assert!(profile.path().is_dir() && flag.len() > 20);
/// ```
#[derive(Debug)]
pub struct ProfileFolder(TempDir);

impl ProfileFolder {
    /// A new one.
    ///
    /// # Panics
    /// When there can be no temporary folder.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default would not make a folder")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for ProfileFolder {
    fn drop(&mut self) {
        for _ in 0..ATTEMPTS {
            if std::fs::remove_dir_all(self.path()).is_ok() {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_also_while_somebody_still_writes_to_it() {
        let folder = ProfileFolder::new();
        let path = folder.path().to_owned();
        let inner = path.join("inner");
        std::fs::create_dir(&inner).unwrap();
        let (begun, has_begun) = std::sync::mpsc::channel();
        let writing = std::thread::spawn(move || {
            for number in 0..2_000 {
                let _ = std::fs::write(inner.join(number.to_string()), "x");
                let _ = begun.send(());
            }
        });
        has_begun.recv().unwrap();
        drop(folder);
        writing.join().unwrap();
        assert!(!path.exists());
    }
}
