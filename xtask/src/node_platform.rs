//! The computers that the npm package has a native part for, in the words of Node and npm.

use anyhow::{Result, bail};
use serde_json::{Value, json};

/// A kind of computer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Platform {
    /// The operating system as Node calls it.
    system: &'static str,
    /// The processor as Node calls it.
    processor: &'static str,
    /// What the library is linked with, at the end of the platform's name; on a Mac there is no choice.
    ending: Option<&'static str>,
}

/// All that a package is made for, each by `cargo xtask build node --pack` on a computer of its kind.
const ALL: [Platform; 7] = [
    Platform::new("linux", "x64", Some("gnu")),
    Platform::new("linux", "x64", Some("musl")),
    Platform::new("linux", "arm64", Some("gnu")),
    Platform::new("linux", "arm64", Some("musl")),
    Platform::new("darwin", "x64", None),
    Platform::new("darwin", "arm64", None),
    Platform::new("win32", "x64", Some("msvc")),
];

impl Platform {
    const fn new(system: &'static str, processor: &'static str, ending: Option<&'static str>) -> Self {
        Self {
            system,
            processor,
            ending,
        }
    }

    /// That of this computer.
    pub(crate) fn here() -> Self {
        let ending = match std::env::consts::OS {
            "linux" if cfg!(target_env = "musl") => Some("musl"),
            "linux" => Some("gnu"),
            "windows" => Some("msvc"),
            _ => None,
        };
        Self::new(
            system(std::env::consts::OS),
            processor(std::env::consts::ARCH),
            ending,
        )
    }

    /// As `linux-x64-gnu`; `src/platform.ts` makes the same name from what Node says.
    pub(crate) fn name(&self) -> String {
        let words = [Some(self.system), Some(self.processor), self.ending];
        words.into_iter().flatten().collect::<Vec<_>>().join("-")
    }

    /// The name of its library.
    pub(crate) fn library(&self) -> String {
        format!("automator.{}.node", self.name())
    }

    /// The name of its package.
    pub(crate) fn package(&self) -> String {
        format!("automator-browser-{}", self.name())
    }

    /// The package file of its package; `main` is the package file of the package itself.
    ///
    /// `os`, `cpu` and `libc` keep npm from installing it elsewhere.
    pub(crate) fn manifest(&self, main: &Value) -> Result<Value> {
        if !ALL.contains(self) {
            bail!(
                "there is no package for {}, only for {}; add it to xtask/src/node_platform.rs",
                self.name(),
                names().join(", ")
            );
        }
        let mut manifest = json!({
            "name": self.package(),
            "description": format!("The native part of automator-browser for {}", self.name()),
            "main": self.library(),
            "files": [self.library()],
            "os": [self.system],
            "cpu": [self.processor],
        });
        match self.ending {
            Some("gnu") => manifest["libc"] = json!(["glibc"]),
            Some("musl") => manifest["libc"] = json!(["musl"]),
            _ => {}
        }
        for member in ["version", "private", "license", "author", "engines"] {
            manifest[member] = main[member].clone();
        }
        Ok(manifest)
    }
}

/// All platforms.
pub(crate) fn all() -> &'static [Platform] {
    &ALL
}

fn names() -> Vec<String> {
    ALL.iter().map(Platform::name).collect()
}

fn system(name: &'static str) -> &'static str {
    match name {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn processor(name: &'static str) -> &'static str {
    match name {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_named_in_the_words_of_node() {
        assert_eq!(
            names(),
            [
                "linux-x64-gnu",
                "linux-x64-musl",
                "linux-arm64-gnu",
                "linux-arm64-musl",
                "darwin-x64",
                "darwin-arm64",
                "win32-x64-msvc"
            ]
        );
        let here = Platform::here().library();
        assert!(
            here.starts_with("automator.") && here.ends_with(".node"),
            "{here}"
        );
        assert!(!here.contains("x86_64") && !here.contains("macos"), "{here}");
    }

    #[test]
    fn a_package_says_which_computers_it_is_for() {
        let main = json!({"version": "1.2.3", "license": "MIT", "scripts": {"test": "true"}});
        let manifest = ALL[0].manifest(&main).unwrap();
        assert_eq!(manifest["name"], "automator-browser-linux-x64-gnu");
        assert_eq!(manifest["version"], "1.2.3");
        let fits = json!([manifest["os"], manifest["cpu"], manifest["libc"]]);
        assert_eq!(fits, json!([["linux"], ["x64"], ["glibc"]]));
        assert_eq!(manifest.get("scripts"), None);
        assert_eq!(ALL[4].manifest(&main).unwrap().get("libc"), None);
    }

    #[test]
    fn a_computer_without_a_package_is_told_which_have_one() {
        let error = Platform::new("freebsd", "x64", None)
            .manifest(&json!({}))
            .unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("freebsd-x64") && message.contains("linux-x64-gnu, linux-x64-musl"),
            "{message}"
        );
    }
}
