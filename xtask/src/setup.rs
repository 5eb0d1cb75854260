//! Makes sure that a browser and Python are there, and installs them through the system's package manager when not.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::program;

/// The names under which Chromium and its relatives are installed, best first.
const BROWSER_NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge",
];

/// Places off the search path.
const BROWSER_PATHS: [&str; 4] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/snap/bin/chromium",
];

const PYTHON_HELP: &str = "Install Python 3.10 or newer with its module venv by hand.";

const HELP: &str = "Install Chromium or Chrome by hand, or name one in the environment variable CHROME_PATH.";

/// Finds a browser, or installs Chromium.
pub(crate) fn browser() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("CHROME_PATH").map(PathBuf::from) {
        if program::is_executable(&path) {
            return Ok(path);
        }
        bail!("CHROME_PATH names {}, which is no program", path.display());
    }
    if let Some(path) = find_browser() {
        return Ok(path);
    }
    install_because("No browser was found", &["chromium"], &System::read(), HELP)?;
    match find_browser() {
        Some(path) => Ok(path),
        None => bail!(
            "Chromium was installed, but none of {} is on the search path. {HELP}",
            BROWSER_NAMES.join(", ")
        ),
    }
}

fn find_browser() -> Option<PathBuf> {
    let named = BROWSER_NAMES.iter().find_map(|name| program::find(name));
    named.or_else(|| {
        BROWSER_PATHS
            .iter()
            .map(PathBuf::from)
            .find(|path| program::is_executable(path))
    })
}

/// What an installation depends on.
#[derive(Debug, Clone, Copy)]
struct System {
    manager: Option<Manager>,
    is_ubuntu: bool,
    is_root: bool,
    has_sudo: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Manager {
    Apt,
    Dnf,
    Pacman,
    Apk,
    Zypper,
    Brew,
}

impl System {
    fn read() -> Self {
        let managers = [
            ("apt-get", Manager::Apt),
            ("dnf", Manager::Dnf),
            ("pacman", Manager::Pacman),
            ("apk", Manager::Apk),
            ("zypper", Manager::Zypper),
            ("brew", Manager::Brew),
        ];
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        Self {
            manager: managers
                .into_iter()
                .find(|(name, _)| program::find(name).is_some())
                .map(|(_, manager)| manager),
            is_ubuntu: release.lines().any(|line| line.trim() == "ID=ubuntu"),
            is_root: program::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0"),
            has_sudo: program::find("sudo").is_some(),
        }
    }
}

fn install_because(reason: &str, packages: &[&str], system: &System, help: &str) -> Result<()> {
    let commands = install_commands(reason, packages, system, help)?;
    eprintln!("{reason}. Installing it through the system's package manager:");
    for words in &commands {
        eprintln!("  {}", words.join(" "));
    }
    for words in &commands {
        let Some((name, arguments)) = words.split_first() else {
            continue;
        };
        let mut command = Command::new(name);
        // Debian's packages otherwise ask questions where nobody answers.
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        if !program::succeeds(&mut command)? {
            bail!("`{}` failed. {help}", words.join(" "));
        }
    }
    Ok(())
}

/// The commands that install packages, named as most systems name them.
fn install_commands(
    reason: &str,
    packages: &[&str],
    system: &System,
    help: &str,
) -> Result<Vec<Vec<String>>> {
    let Some(manager) = system.manager else {
        bail!("{reason}, and no package manager that could install it. {help}");
    };
    // Ubuntu's chromium package only points to the snap.
    let commands = if manager == Manager::Apt && system.is_ubuntu && packages.contains(&"chromium") {
        vec!["snap install chromium".to_owned()]
    } else {
        let names = package_names(manager, packages).join(" ");
        match manager {
            Manager::Apt => {
                vec![
                    "apt-get update".to_owned(),
                    format!("apt-get install -y --no-install-recommends {names}"),
                ]
            }
            Manager::Dnf => vec![format!("dnf install -y {names}")],
            Manager::Pacman => vec![format!("pacman -Sy --noconfirm --needed {names}")],
            Manager::Apk => vec![format!("apk add {names}")],
            Manager::Zypper => vec![format!("zypper --non-interactive install {names}")],
            Manager::Brew => vec![format!("brew install --cask {names}")],
        }
    };
    // Homebrew refuses to run as root.
    let needs_sudo = manager != Manager::Brew && !system.is_root;
    if needs_sudo && !system.has_sudo {
        bail!("{reason}. As root, run: {}", commands.join(" && "));
    }
    let prefix = if needs_sudo { "sudo " } else { "" };
    Ok(commands
        .into_iter()
        .map(|command| {
            format!("{prefix}{command}")
                .split(' ')
                .map(str::to_owned)
                .collect()
        })
        .collect())
}

/// The packages under this manager's names. A browser comes with a font: without one, text has no size.
fn package_names(manager: Manager, packages: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for package in packages {
        names.push((*package).to_owned());
        let fonts = match (manager, *package) {
            (Manager::Apt, "chromium") => ["chromium-sandbox", "fonts-liberation"].as_slice(),
            (Manager::Dnf | Manager::Zypper, "chromium") => &["liberation-fonts"],
            (Manager::Pacman, "chromium") => &["ttf-liberation"],
            (Manager::Apk, "chromium") => &["font-liberation"],
            _ => &[],
        };
        names.extend(fonts.iter().map(|name| (*name).to_owned()));
    }
    names
}

/// Node, when it is there and new enough for its own test runner.
pub(crate) fn node() -> Result<PathBuf, &'static str> {
    let path = program::find("node").ok_or("node was not found")?;
    let version = program::output(Command::new(&path).arg("--version")).unwrap_or_default();
    if node_major(&version).is_some_and(|major| major >= 18) {
        Ok(path)
    } else {
        Err("node is older than version 18")
    }
}

/// `20` of `v20.1.0`.
fn node_major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Python with what makes virtual environments, which some systems pack apart. Installs what is missing through the
/// system's package manager.
pub(crate) fn python() -> Result<PathBuf> {
    if let Some(python) = find_python() {
        return Ok(python);
    }
    let system = System::read();
    let Some(packages) = system.manager.and_then(python_packages) else {
        bail!("Python 3.10 or newer was not found; {PYTHON_HELP}");
    };
    install_because(
        "Python with virtual environments was not found",
        packages,
        &system,
        PYTHON_HELP,
    )?;
    match find_python() {
        Some(python) => Ok(python),
        None => bail!(
            "{} was installed, and Python is still not as needed; {PYTHON_HELP}",
            packages.join(", ")
        ),
    }
}

/// Python, when it is there, new enough, and can make virtual environments.
fn find_python() -> Option<PathBuf> {
    let python = program::find("python3")?;
    let question = "import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))";
    program::output(Command::new(&python).args(["-c", question]))?;
    Some(python)
}

/// What has Python and virtual environments, under this manager's names.
fn python_packages(manager: Manager) -> Option<&'static [&'static str]> {
    match manager {
        Manager::Apt => Some(&["python3", "python3-venv"]),
        Manager::Dnf | Manager::Zypper => Some(&["python3", "python3-pip"]),
        Manager::Pacman => Some(&["python"]),
        Manager::Apk => Some(&["python3", "py3-pip"]),
        // A formula, where browsers are casks.
        Manager::Brew => None,
    }
}

/// Makes sure that Cargo has a component such as `clippy`; small installations of Rust lack them.
pub(crate) fn cargo_component(root: &Path, subcommand: &str, component: &str) -> Result<()> {
    if program::output(program::cargo(root).args([subcommand, "--version"])).is_some() {
        return Ok(());
    }
    let Some(rustup) = program::find("rustup") else {
        bail!("`cargo {subcommand}` is missing; install the {component} component of Rust");
    };
    eprintln!("Installing {component}");
    if !program::succeeds(Command::new(rustup).args(["component", "add", component]))? {
        bail!("`rustup component add {component}` failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(system: System) -> Vec<String> {
        install_commands("No browser was found", &["chromium"], &system, HELP)
            .unwrap()
            .into_iter()
            .map(|words| words.join(" "))
            .collect()
    }

    const ROOT: System = System {
        manager: None,
        is_ubuntu: false,
        is_root: true,
        has_sudo: false,
    };

    #[test]
    fn each_package_manager_gets_its_own_words() {
        let with = |manager| {
            commands(System {
                manager: Some(manager),
                ..ROOT
            })
        };
        assert_eq!(
            with(Manager::Apt),
            [
                "apt-get update",
                "apt-get install -y --no-install-recommends chromium chromium-sandbox fonts-liberation"
            ]
        );
        assert_eq!(with(Manager::Dnf), ["dnf install -y chromium liberation-fonts"]);
        assert_eq!(
            with(Manager::Pacman),
            ["pacman -Sy --noconfirm --needed chromium ttf-liberation"]
        );
        assert_eq!(with(Manager::Apk), ["apk add chromium font-liberation"]);
        assert_eq!(
            with(Manager::Zypper),
            ["zypper --non-interactive install chromium liberation-fonts"]
        );
        assert_eq!(with(Manager::Brew), ["brew install --cask chromium"]);
    }

    #[test]
    fn ubuntu_has_chromium_as_a_snap_only() {
        let system = System {
            manager: Some(Manager::Apt),
            is_ubuntu: true,
            ..ROOT
        };
        assert_eq!(commands(system), ["snap install chromium"]);
    }

    #[test]
    fn who_is_not_root_uses_sudo_or_is_told_what_to_run() {
        let system = System {
            manager: Some(Manager::Dnf),
            is_root: false,
            has_sudo: true,
            ..ROOT
        };
        assert_eq!(
            commands(system),
            ["sudo dnf install -y chromium liberation-fonts"]
        );
        let without = install_commands(
            "No browser was found",
            &["chromium"],
            &System {
                has_sudo: false,
                ..system
            },
            HELP,
        )
        .unwrap_err();
        assert!(
            without
                .to_string()
                .ends_with("run: dnf install -y chromium liberation-fonts"),
            "{without}"
        );
    }

    #[test]
    fn without_a_package_manager_the_error_says_what_to_do() {
        let error = install_commands("No browser was found", &["chromium"], &ROOT, HELP).unwrap_err();
        assert!(error.to_string().contains("CHROME_PATH"), "{error}");
    }

    #[test]
    fn python_comes_with_what_makes_virtual_environments() {
        let system = System {
            manager: Some(Manager::Apt),
            is_ubuntu: true,
            ..ROOT
        };
        let packages = python_packages(Manager::Apt).unwrap();
        let commands = install_commands("Python was not found", packages, &system, PYTHON_HELP).unwrap();
        assert_eq!(
            commands.last().unwrap().join(" "),
            "apt-get install -y --no-install-recommends python3 python3-venv"
        );
        let error = install_commands("Python was not found", packages, &ROOT, PYTHON_HELP).unwrap_err();
        assert!(error.to_string().contains("Install Python 3.10"), "{error}");
    }

    #[test]
    fn the_version_of_node_is_read() {
        assert_eq!(node_major("v20.20.2\n"), Some(20));
        assert_eq!(node_major("20.1"), None);
    }
}
