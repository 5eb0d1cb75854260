//! The command line of the browser; pure.
//!
//! The order: what the library promises, the launcher's own defaults, the flags that carry an option's value,
//! the user's own. Where the user gives a switch that we would give too, only the user's goes out.

use crate::launch::{IgnoreDefaultArgs, LaunchOptions, Viewport};

/// The defaults that the library documents, in this order.
const LIBRARY: [&str; 5] = [
    "--remote-allow-origins=*",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-dev-shm-usage",
    "--site-per-process",
];

/// The launcher's defaults: no network traffic of the browser's own, nothing that pops up or waits for an
/// answer, no slowing down of pages that are not in front, the same look on every machine.
const LAUNCHER: [&str; 23] = [
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
];

const PIPE: &str = "--remote-debugging-pipe";
const DISABLE_FEATURES: &str = "--disable-features";

/// Features that talk to the network by themselves, change addresses behind the user's back, swap a page's target
/// under a session (prerendering), keep a page's tasks back after input until a frame is drawn, or load pages of the
/// browser's own for an address bar that nobody uses (the last two: half of the processor time of a start).
const DISABLED_FEATURES: [&str; 12] = [
    "AutofillServerCommunication",
    "DeferRendererTasksAfterInput",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "InterestFeedContentSuggestions",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "Prerender2",
    "Translate",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
];

/// The browser's own bar above the page, which a window needs besides the viewport's height.
const TOOLBAR_HEIGHT: u32 = 87;

/// What only the launcher knows.
#[derive(Debug, Clone)]
pub(crate) struct LaunchFlags<'a> {
    /// Whether the browser speaks over a pipe besides its port.
    pub(crate) pipe: bool,
    /// The profile folder, unless the user's arguments name one.
    pub(crate) profile: &'a str,
    /// Whether `--no-sandbox` is needed.
    pub(crate) without_sandbox: bool,
}

/// All arguments, in their order.
pub(crate) fn arguments(options: &LaunchOptions, flags: &LaunchFlags<'_>) -> Vec<String> {
    let mut defaults: Vec<String> = LIBRARY.iter().chain(&LAUNCHER).map(ToString::to_string).collect();
    let features = features_to_disable(options);
    defaults.push(format!("{DISABLE_FEATURES}={}", features.join(",")));
    match &options.ignore_default_args {
        IgnoreDefaultArgs::None => {}
        IgnoreDefaultArgs::All => defaults.clear(),
        IgnoreDefaultArgs::These(unwanted) => defaults.retain(|argument| !unwanted.contains(argument)),
    }
    let merge = defaults
        .iter()
        .any(|argument| switch(argument) == DISABLE_FEATURES);
    let ours = defaults.into_iter().chain(option_flags(options, flags));
    let is_ours = |argument: &str| argument == PIPE || given_value(options, switch(argument)).is_none();
    let mut all: Vec<String> = ours.filter(|argument| is_ours(argument)).collect();
    for argument in &options.args {
        if argument == PIPE {
            // The pipe is always ours: nobody else could speak through it.
            continue;
        }
        // Of two lists of features the browser reads only the last, so the user's list carries ours as well.
        let is_list = switch(argument) == DISABLE_FEATURES && merge;
        all.push(if is_list {
            format!("{argument},{}", features.join(","))
        } else {
            argument.clone()
        });
    }
    all.push("about:blank".to_owned());
    all
}

/// The value that the user's own arguments give a switch; the last one counts, as for the browser.
pub(crate) fn given_value<'a>(options: &'a LaunchOptions, name: &str) -> Option<&'a str> {
    options.args.iter().rev().find_map(|argument| {
        (switch(argument) == name).then(|| argument.split_once('=').map_or("", |(_, value)| value))
    })
}

fn switch(argument: &str) -> &str {
    argument.split('=').next().unwrap_or(argument)
}

fn features_to_disable(options: &LaunchOptions) -> Vec<&'static str> {
    let enabled: Vec<&str> = given_value(options, "--enable-features")
        .unwrap_or("")
        .split(',')
        .collect();
    DISABLED_FEATURES
        .into_iter()
        .filter(|name| !enabled.contains(name))
        .collect()
}

/// Flags that `ignoreDefaultArgs` never removes, because they carry what the other options say.
fn option_flags(options: &LaunchOptions, flags: &LaunchFlags<'_>) -> Vec<String> {
    let mut result = Vec::new();
    if flags.pipe {
        result.push(PIPE.to_owned());
    }
    result.push(format!("--remote-debugging-port={}", options.port.unwrap_or(0)));
    if options.headless {
        result.push("--headless=new".to_owned());
    }
    result.push(format!("--user-data-dir={}", flags.profile));
    let Viewport { width, height } = options.viewport.unwrap_or_default();
    result.push(format!(
        "--window-size={width},{}",
        height.saturating_add(TOOLBAR_HEIGHT)
    ));
    if let Some(proxy) = &options.proxy {
        result.push(format!("--proxy-server={}", proxy.server));
        if let Some(bypass) = &proxy.bypass {
            result.push(format!("--proxy-bypass-list={bypass}"));
        }
    }
    if let Some(locale) = &options.locale {
        result.push(format!("--lang={locale}"));
        result.push(format!("--accept-lang={locale}"));
    }
    if options.ignore_https_errors {
        result.push("--ignore-certificate-errors".to_owned());
    }
    if options.devtools {
        result.push("--auto-open-devtools-for-tabs".to_owned());
    }
    if flags.without_sandbox {
        result.push("--no-sandbox".to_owned());
    }
    result
}

#[cfg(test)]
mod tests;
