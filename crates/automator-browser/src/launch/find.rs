//! Where the browser's executable is.

use std::path::{Path, PathBuf};

use crate::BrowserError;

/// What each Unix calls it, in the order of preference.
const NAMES: [&str; 8] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
];

/// The executable to start: the one that the user names, else that of `CHROME_PATH` (whose value is passed in),
/// else the first known name on the search path, else the first well-known place.
pub(crate) fn executable(named: Option<&Path>, chrome_path: Option<&Path>) -> Result<PathBuf, BrowserError> {
    if let Some(path) = named.or(chrome_path) {
        // A bare name is looked up on the search path, as a shell would.
        return which::which(path).map_err(|_| BrowserError::ExecutableNotFound {
            tried: vec![path.display().to_string()],
            hint: "the path does not lead to an executable file".to_owned(),
        });
    }
    let on_search_path = NAMES.iter().find_map(|name| which::which(name).ok());
    let places = well_known_places();
    on_search_path
        .or_else(|| places.iter().find(|path| path.is_file()).cloned())
        .ok_or_else(|| {
            let names = NAMES.iter().map(ToString::to_string);
            BrowserError::ExecutableNotFound {
                tried: names
                    .chain(places.iter().map(|path| path.display().to_string()))
                    .collect(),
                hint: install_hint().to_owned(),
            }
        })
}

/// How to get a browser on this system.
pub(crate) fn install_hint() -> &'static str {
    if cfg!(target_os = "macos") {
        "install one with `brew install --cask chromium`, or name it with executablePath or CHROME_PATH"
    } else if cfg!(windows) {
        "install one with `winget install Google.Chrome`, or name it with executablePath or CHROME_PATH"
    } else {
        "install one with `apt-get install chromium` (Debian, Ubuntu), `dnf install chromium` (Fedora) or \
         `apk add chromium` (Alpine), or name it with executablePath or CHROME_PATH"
    }
}

fn well_known_places() -> Vec<PathBuf> {
    let places: &[&str] = if cfg!(target_os = "macos") {
        &[
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            "/Applications/Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
            "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
            "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
        ]
    } else if cfg!(windows) {
        &[
            r"C:\Program Files\Google\Chrome\Application\chrome.exe",
            r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
            r"C:\Program Files\Chromium\Application\chrome.exe",
            r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
            r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
        ]
    } else {
        &[
            "/usr/bin/chromium",
            "/usr/lib/chromium/chromium",
            "/snap/bin/chromium",
            "/opt/google/chrome/chrome",
            "/opt/microsoft/msedge/msedge",
            "/opt/brave.com/brave/brave-browser",
            "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
        ]
    };
    places.iter().map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_path_wins_and_a_wrong_one_is_an_error_that_names_it() {
        let shell = Path::new("/bin/sh");
        assert_eq!(
            executable(Some(shell), Some(Path::new("/nowhere"))).unwrap(),
            shell
        );
        assert_eq!(executable(None, Some(shell)).unwrap(), shell);
        let error = executable(Some(Path::new("/nowhere/chrome")), Some(shell)).unwrap_err();
        assert!(error.to_string().contains("/nowhere/chrome"), "{error}");
    }
}
