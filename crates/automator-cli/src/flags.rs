//! What the library calls its options, as the flags of this command: one table for all messages.

/// Names of members in messages of the library, and what is typed here; longer names come before those that they
/// begin with.
const FLAGS: [(&str, &str); 18] = [
    ("localBrowserLaunchOptions.proxy.server", "--proxy"),
    ("localBrowserLaunchOptions.cdpUrl", "--cdp-url"),
    ("localBrowserLaunchOptions.viewport", "--viewport"),
    ("localBrowserLaunchOptions.args", "--arg"),
    ("localBrowserLaunchOptions.executablePath", "--executable-path"),
    ("localBrowserLaunchOptions.userDataDir", "--user-data-dir"),
    ("model.baseURL", "--base-url"),
    ("model.modelName", "--model"),
    ("model.price", "--price"),
    ("maxSteps", "--max-steps"),
    ("maxTokens", "--max-tokens"),
    ("maxCost", "--max-cost"),
    ("chromiumSandbox: false", "--arg=--no-sandbox"),
    ("executablePath", "--executable-path"),
    ("userDataDir", "--user-data-dir"),
    ("cacheDir", "--cache-dir"),
    ("cdpUrl", "--cdp-url"),
    ("baseURL", "--base-url"),
];

/// A message of the library with its names in the words of the command line.
pub(crate) fn in_words_of_the_command(text: &str) -> String {
    let mut text = text.to_owned();
    for (member, flag) in FLAGS {
        if text.contains(member) {
            text = text.replace(member, flag);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use automator::{Automator, Env, LocalBrowserLaunchOptions, ModelOptions, ViewportOptions};

    use super::*;

    #[test]
    fn what_the_library_refuses_is_named_as_it_is_typed() {
        let launch = |launch| Automator::builder(Env::Local).local_browser(launch).build();
        let cdp_url = launch(LocalBrowserLaunchOptions {
            cdp_url: Some("x".to_owned()),
            ..LocalBrowserLaunchOptions::default()
        });
        let viewport = launch(LocalBrowserLaunchOptions {
            viewport: Some(ViewportOptions { width: 0, height: 1 }),
            ..LocalBrowserLaunchOptions::default()
        });
        let mut model = ModelOptions::new(automator::DEFAULT_MODEL);
        model.base_url = Some("::".to_owned());
        let base_url = Automator::builder(Env::Local).model(model).build();
        for (refused, flag) in [
            (cdp_url, "--cdp-url must be"),
            (viewport, "--viewport must be"),
            (base_url, "--base-url must be"),
        ] {
            let error = refused.unwrap_err();
            let text = in_words_of_the_command(error.message());
            assert!(text.starts_with(flag), "{text}");
        }
    }

    #[test]
    fn no_name_hides_a_longer_one() {
        for (place, (short, _)) in FLAGS.iter().enumerate() {
            let later = FLAGS.iter().skip(place + 1);
            assert!(later.clone().all(|(long, _)| !long.contains(short)), "{short}");
        }
    }
}
