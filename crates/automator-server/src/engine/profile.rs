//! Copies of profiles, without what browsers make again by themselves.

use std::fs;
use std::io;
use std::path::Path;

/// Caches, and traces of the process that had the profile.
const LEFT_OUT: [&str; 16] = [
    "BrowserMetrics",
    "Cache",
    "Code Cache",
    "Crashpad",
    "DawnCache",
    "DawnGraphiteCache",
    "DawnWebGPUCache",
    "DevToolsActivePort",
    "GPUCache",
    "GrShaderCache",
    "GraphiteDawnCache",
    "ShaderCache",
    "SingletonCookie",
    "SingletonLock",
    "SingletonSocket",
    "component_crx_cache",
];

/// Copies a profile to a folder that is not there yet, and is whole when it is. It blocks.
pub(super) fn save(from: &Path, to: &Path) -> io::Result<()> {
    let parent = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let coming = tempfile::TempDir::new_in(parent)?;
    copy(from, coming.path())?;
    fs::rename(coming.path(), to)?;
    // It has another name now.
    let _ = coming.keep();
    Ok(())
}

/// Copies what is in a folder, but no links: a profile has none that matter, and others would lead out of it. It blocks.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let name = entry.file_name();
            if LEFT_OUT.iter().any(|left_out| name == *left_out) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push((entry.path(), to.join(name)));
            } else if kind.is_file() {
                fs::copy(entry.path(), to.join(name))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_all_but_caches_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("contexts/to"));
        fs::create_dir_all(from.join("Default/Local Storage")).unwrap();
        fs::create_dir_all(from.join("Default/Cache/deep")).unwrap();
        fs::write(from.join("Default/Cookies"), "c").unwrap();
        fs::write(from.join("Default/Local Storage/1"), "l").unwrap();
        fs::write(from.join("Default/Cache/deep/1"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", from.join("link")).unwrap();
        save(&from, &to).unwrap();
        assert_eq!(fs::read(to.join("Default/Cookies")).unwrap(), b"c");
        assert_eq!(fs::read(to.join("Default/Local Storage/1")).unwrap(), b"l");
        assert!(!to.join("Default/Cache").exists() && fs::symlink_metadata(to.join("link")).is_err());
        let left: Vec<_> = fs::read_dir(folder.path().join("contexts")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(save(&folder.path().join("none"), &folder.path().join("contexts/two")).is_err());
        assert!(!folder.path().join("contexts/two").exists());
    }
}
