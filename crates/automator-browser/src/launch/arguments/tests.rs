use super::*;
use crate::launch::Proxy;

const FLAGS: LaunchFlags<'static> = LaunchFlags {
    pipe: true,
    profile: "/tmp/p",
    without_sandbox: false,
};

fn with_args(args: &[&str]) -> LaunchOptions {
    LaunchOptions {
        args: args.iter().map(ToString::to_string).collect(),
        ..LaunchOptions::default()
    }
}

fn count(arguments: &[String], name: &str) -> usize {
    arguments
        .iter()
        .filter(|argument| switch(argument) == name)
        .count()
}

#[test]
fn order_is_library_defaults_launcher_defaults_option_flags_user_arguments() {
    let arguments = arguments(&with_args(&["--mine", "--also=1"]), &FLAGS);
    assert_eq!(arguments[..5], LIBRARY);
    assert_eq!(arguments[5..28], LAUNCHER);
    assert!(arguments[28].starts_with("--disable-features="));
    let rest = [
        "--remote-debugging-pipe",
        "--remote-debugging-port=0",
        "--headless=new",
        "--user-data-dir=/tmp/p",
        "--window-size=1288,798",
        "--mine",
        "--also=1",
        "about:blank",
    ];
    assert_eq!(arguments[29..], rest);
}

#[test]
fn ignoring_all_defaults_keeps_the_flags_of_the_options() {
    let options = LaunchOptions {
        ignore_default_args: IgnoreDefaultArgs::All,
        ..with_args(&["--mine"])
    };
    let arguments = arguments(&options, &FLAGS);
    assert_eq!(arguments[0], "--remote-debugging-pipe");
    assert_eq!(arguments.len(), 7);
}

#[test]
fn ignoring_some_defaults_removes_exact_strings_and_only_from_the_defaults() {
    let unwanted = [
        "--site-per-process",
        "--mute-audio",
        "--disable",
        "--headless=new",
        "--mine",
    ];
    let options = LaunchOptions {
        ignore_default_args: IgnoreDefaultArgs::These(unwanted.map(str::to_owned).to_vec()),
        ..with_args(&["--mine"])
    };
    let all = arguments(&options, &FLAGS);
    assert_eq!(all.len(), arguments(&with_args(&["--mine"]), &FLAGS).len() - 2);
    assert!(all.contains(&"--headless=new".to_owned()) && all.contains(&"--mine".to_owned()));
    assert_eq!(count(&all, "--mute-audio") + count(&all, "--site-per-process"), 0);
}

#[test]
fn switches_of_the_user_win_without_a_second_mention() {
    let given = [
        "--headless",
        "--remote-debugging-port=9222",
        "--user-data-dir=/home/me",
        "--remote-debugging-pipe",
        "--window-size=10,10",
        "--mute-audio",
    ];
    let options = with_args(&given);
    let arguments = arguments(&options, &FLAGS);
    for name in given {
        assert_eq!(count(&arguments, switch(name)), 1, "{name}");
    }
    assert!(arguments.contains(&"--headless".to_owned()));
    assert_eq!(given_value(&options, "--remote-debugging-port"), Some("9222"));
    assert_eq!(given_value(&options, "--user-data-dir"), Some("/home/me"));
    assert_eq!(given_value(&options, "--lang"), None);
}

#[test]
fn list_of_disabled_features_is_merged_into_the_users_and_respects_what_they_enable() {
    let arguments = arguments(
        &with_args(&["--enable-features=Translate", "--disable-features=Mine"]),
        &FLAGS,
    );
    assert_eq!(count(&arguments, DISABLE_FEATURES), 1);
    let list = arguments
        .iter()
        .find(|argument| switch(argument) == DISABLE_FEATURES)
        .unwrap();
    assert!(
        list.starts_with("--disable-features=Mine,") && list.contains("HttpsUpgrades"),
        "{list}"
    );
    assert!(!list.contains("Translate"), "{list}");
}

#[test]
fn options_become_flags() {
    let options = LaunchOptions {
        headless: false,
        port: Some(9333),
        viewport: Some(Viewport {
            width: 800,
            height: 600,
        }),
        devtools: true,
        ignore_https_errors: true,
        locale: Some("de-DE".to_owned()),
        proxy: Some(Proxy {
            server: "http://proxy:3128".to_owned(),
            bypass: Some("*.local".to_owned()),
            username: Some("me".to_owned()),
            password: Some("secret".to_owned()),
        }),
        ..LaunchOptions::default()
    };
    let flags = LaunchFlags {
        pipe: false,
        without_sandbox: true,
        ..FLAGS
    };
    let arguments = arguments(&options, &flags);
    let expected = [
        "--remote-debugging-port=9333",
        "--user-data-dir=/tmp/p",
        "--window-size=800,687",
        "--proxy-server=http://proxy:3128",
        "--proxy-bypass-list=*.local",
        "--lang=de-DE",
        "--accept-lang=de-DE",
        "--ignore-certificate-errors",
        "--auto-open-devtools-for-tabs",
        "--no-sandbox",
        "about:blank",
    ];
    assert_eq!(arguments[29..], expected);
    assert!(!arguments.iter().any(|argument| argument.contains("secret")));
}
