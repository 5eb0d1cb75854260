//! A file that lines are added to, and that is put aside when it is long.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How long a file becomes, in bytes, before it is put aside.
const LONGEST: u64 = 10_000_000;

/// How many files there are, with the one that is written.
const KEPT: u32 = 5;

/// A file that lines are added to; when it is long it gets the name with `.1`, and the earlier ones move on by one.
#[derive(Debug)]
pub(super) struct RotatedFile {
    path: PathBuf,
    longest: u64,
}

impl RotatedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            longest: LONGEST,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line.
    ///
    /// The file is opened each time: another process may have put it aside, or somebody moved it away. A line is one
    /// write in append mode, so lines of several processes do not mix.
    pub(super) fn add(&self, line: &str) -> io::Result<()> {
        let mut file = self.open()?;
        if file.metadata()?.len() >= self.longest {
            self.put_aside();
            file = self.open()?;
        }
        file.write_all(format!("{line}\n").as_bytes())
    }

    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&self.path)
    }

    fn put_aside(&self) {
        for number in (0..KEPT - 1).rev() {
            let moved = std::fs::rename(self.numbered(number), self.numbered(number + 1));
            match moved {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::error!(%error, "the audit log cannot be put aside; it goes on growing");
                }
                _ => {}
            }
        }
    }

    /// The name of a file that was put aside; 0 is the one that is written.
    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = OsString::from(&self.path);
        if number > 0 {
            name.push(format!(".{number}"));
        }
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_five_files_are_kept_and_only_their_owner_reads_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = RotatedFile {
            path: folder.path().join("log"),
            longest: 1,
        };
        for line in 1..=7 {
            file.add(&line.to_string()).expect("written");
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        let found: Vec<_> = ["log", "log.1", "log.2", "log.3", "log.4", "log.5"]
            .into_iter()
            .map(read)
            .collect();
        let expected = ["7\n", "6\n", "5\n", "4\n", "3\n"].map(|text| Some(text.to_owned()));
        assert_eq!(found.get(..5), Some(&expected[..]));
        assert_eq!(found.last(), Some(&None));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(folder.path().join("log"))
                .expect("a file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
