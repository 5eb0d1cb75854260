//! Starting browsers: what each option does, and what a start that fails says.

use std::path::PathBuf;

use automator_browser::{
    Browser, BrowserError, DownloadState, IgnoreDefaultArgs, LaunchOptions, Proxy, Viewport,
};
use automator_testing::{ProxyServer, Route, Site};
use serde_json::json;

use crate::{eventually, first_page, load, own_browser};

#[tokio::test]
async fn every_page_has_the_default_size_also_later_ones_and_popups() {
    let site = Site::start().await;
    let at = site.put("<title>x</title>");
    let browser = own_browser().await;
    let size = "[innerWidth, innerHeight]";
    let expected = json!([1288, 711]);
    let page = first_page(&browser);
    assert_eq!(page.evaluate_in_page(size).await.unwrap(), expected);
    let second = browser.context().new_page("about:blank").await.unwrap();
    assert_eq!(second.evaluate_in_page(size).await.unwrap(), expected);
    page.goto(&at.url, load()).await.unwrap();
    let open = format!("void open('{}', '_blank', 'width=300,height=200')", at.url);
    page.evaluate_in_page(&open).await.unwrap();
    let popup = eventually("the popup", async || browser.context().pages().get(2).cloned()).await;
    assert_eq!(popup.evaluate_in_page(size).await.unwrap(), expected);
    browser.close().await;
}

#[tokio::test]
async fn options_change_what_pages_see() {
    let site = Site::start().await;
    site.handler("/language", |hit| {
        Route::html(hit.header("accept-language").unwrap_or_default().to_owned())
    });
    let mut options = LaunchOptions::default();
    options.viewport = Some(Viewport {
        width: 640,
        height: 480,
    });
    options.device_scale_factor = Some(2.0);
    options.has_touch = true;
    options.locale = Some("de-DE".to_owned());
    options.args = vec!["--user-agent=mine".to_owned()];
    let browser = Browser::start(&options).await.unwrap();
    let page = first_page(&browser);
    page.goto(&site.url("/language"), load()).await.unwrap();
    let seen = page
        .evaluate_in_page(
            "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0, navigator.language, \
             Intl.NumberFormat().format(1.5), navigator.userAgent, document.body.innerText.slice(0, 5)]",
        )
        .await
        .unwrap();
    assert_eq!(seen, json!([640, 480, 2, true, "de-DE", "1,5", "mine", "de-DE"]));
    let png = page.viewport_png().await.unwrap();
    assert_eq!(
        png.get(16..24),
        Some([0, 0, 5, 0, 0, 0, 3, 192].as_slice()),
        "1280×960 device pixels"
    );
    browser.close().await;
}

#[tokio::test]
async fn command_line_has_the_defaults_then_the_flags_then_the_users_arguments() {
    let mut options = LaunchOptions::default();
    options.ignore_default_args = IgnoreDefaultArgs::These(vec!["--mute-audio".to_owned()]);
    options.args = vec!["--window-size=900,800".to_owned(), "--mine".to_owned()];
    let browser = Browser::start(&options).await.unwrap();
    let id = browser.process_id().unwrap();
    let command = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap();
    let at = |argument: &str| command.split('\0').position(|given| given.starts_with(argument));
    let order = [
        "--remote-allow-origins=*",
        "--disable-sync",
        "--remote-debugging-pipe",
        "--user-data-dir=",
        "--mine",
    ];
    let positions: Vec<usize> = order.iter().map(|argument| at(argument).unwrap()).collect();
    assert!(positions.is_sorted(), "{command}");
    assert_eq!(at("--mute-audio"), None);
    assert_eq!(command.matches("--window-size").count(), 1);
    browser.close().await;
}

#[tokio::test]
async fn given_profile_is_made_kept_and_used_again() {
    let site = Site::start().await;
    let at = site.put("");
    let folder = tempfile::tempdir().unwrap();
    let mut options = LaunchOptions::default();
    options.user_data_dir = Some(folder.path().join("new/profile"));
    let remember = "localStorage.setItem('kept', 'yes')";
    let read = "localStorage.getItem('kept')";
    for (expression, expected) in [(remember, json!(null)), (read, json!("yes"))] {
        let browser = Browser::start(&options).await.unwrap();
        assert_eq!(browser.profile_path(), options.user_data_dir);
        let page = first_page(&browser);
        page.goto(&at.url, load()).await.unwrap();
        assert_eq!(page.evaluate_in_page(expression).await.unwrap(), expected);
        browser.close().await;
    }
    assert!(folder.path().join("new/profile/Default").is_dir());
}

#[tokio::test]
async fn temporary_profile_goes_unless_it_is_to_be_preserved() {
    for preserve in [false, true] {
        let mut options = LaunchOptions::default();
        options.preserve_user_data_dir = preserve;
        let browser = Browser::start(&options).await.unwrap();
        let profile = browser.profile_path().unwrap();
        assert!(profile.is_dir());
        browser.close().await;
        assert_eq!(profile.exists(), preserve);
        if preserve {
            std::fs::remove_dir_all(profile).unwrap();
        }
    }
}

#[tokio::test]
async fn root_starts_without_a_hint_and_is_told_once() {
    let browser = own_browser().await;
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0;
    let about_sandbox = browser
        .notices()
        .iter()
        .filter(|notice| notice.contains("sandbox"))
        .count();
    assert_eq!(about_sandbox, usize::from(is_root), "{:?}", browser.notices());
    browser.close().await;
}

fn script(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("browser");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    (folder, path)
}

async fn failure(executable: PathBuf) -> BrowserError {
    let mut options = LaunchOptions::default();
    options.executable_path = Some(executable);
    options.connect_timeout = Some(std::time::Duration::from_secs(5));
    Browser::start(&options).await.unwrap_err()
}

#[tokio::test]
async fn browser_that_does_not_start_is_quoted() {
    let (_folder, path) =
        script("#!/bin/sh\necho 'libnss3.so: error while loading shared libraries' >&2\nexit 127\n");
    let error = failure(path.clone()).await;
    let text = error.to_string();
    let BrowserError::Launch {
        last_words,
        hint,
        problem,
        ..
    } = error
    else {
        panic!("{text}")
    };
    assert!(
        last_words.contains("libnss3.so") && hint.contains("apt-get install chromium"),
        "{text}"
    );
    assert!(
        problem.contains("127") && text.contains(&path.display().to_string()),
        "{text}"
    );
}

#[tokio::test]
async fn browser_that_is_to_stay_and_exits_is_told_at_once() {
    let (folder, path) = script("#!/bin/sh\necho 'no such thing' >&2\nexit 3\n");
    let mut options = LaunchOptions::default();
    options.executable_path = Some(path);
    options.keep_alive = true;
    options.temporary_folder = folder.path().to_owned();
    let begun = std::time::Instant::now();
    let error = Browser::start(&options).await.unwrap_err();
    let took = begun.elapsed();
    assert!(took < std::time::Duration::from_secs(8), "{took:?}");
    assert!(
        matches!(&error, BrowserError::Launch { problem, last_words, .. }
            if problem.contains("exited") && last_words.contains("no such thing")),
        "{error}"
    );
}

#[tokio::test]
async fn browser_that_says_nothing_runs_into_the_limit() {
    let (_folder, path) = script("#!/bin/sh\nexec sleep 600\n");
    let mut options = LaunchOptions::default();
    options.executable_path = Some(path);
    options.connect_timeout = Some(std::time::Duration::from_millis(300));
    let error = Browser::start(&options).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::Launch { problem, .. } if problem.contains("300ms")),
        "{error}"
    );
}

#[tokio::test]
async fn missing_or_broken_executable_is_named() {
    let error = failure("/nowhere/chromium".into()).await;
    assert!(
        matches!(error, BrowserError::ExecutableNotFound { .. })
            && error.to_string().contains("/nowhere/chromium")
    );
    let (_folder, path) = script("\u{1}\u{2} not a program");
    let error = failure(path).await;
    assert!(matches!(error, BrowserError::Launch { .. }), "{error}");
}

#[tokio::test]
async fn sandbox_that_the_system_cannot_provide_is_left_out_at_the_second_try() {
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0;
    let (folder, path) = script(
        "#!/bin/sh\ncase \" $* \" in *' --no-sandbox '*) echo again >> \"$0.log\"; exit 3;; esac\n\
         echo 'FATAL: No usable sandbox! Update your kernel' >&2\necho first >> \"$0.log\"\nexit 1\n",
    );
    let error = failure(path).await;
    let log = std::fs::read_to_string(folder.path().join("browser.log")).unwrap();
    assert_eq!(log, if is_root { "again\n" } else { "first\nagain\n" });
    assert!(matches!(error, BrowserError::Launch { problem, .. } if problem.contains('3')));
}

#[tokio::test]
async fn proxy_gets_user_name_and_password_for_pages_and_frames() {
    let site = Site::start().await;
    site.put_at("/inner", "<p>inside</p>");
    site.put_at(
        "/outer",
        "<title>through</title><iframe src='http://two.test/inner'></iframe>",
    );
    let proxy = ProxyServer::start("porter", "lantern").await;
    proxy.map_host("one.test", site.port());
    proxy.map_host("two.test", site.port());
    let mut options = LaunchOptions::default();
    options.proxy = Some(Proxy {
        server: proxy.url(),
        username: Some("porter".to_owned()),
        password: Some("lantern".to_owned()),
        ..Proxy::default()
    });
    let browser = Browser::start(&options).await.unwrap();
    let page = first_page(&browser);
    page.goto("http://one.test/outer", load()).await.unwrap();
    assert_eq!(page.title().await.unwrap(), "through");
    crate::frame_at(&page, "two.test/inner").await;
    // The browser has the login by now, and interception ends.
    tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
    let second = browser.context().new_page("about:blank").await.unwrap();
    second.goto("http://two.test/outer", load()).await.unwrap();
    assert_eq!(second.title().await.unwrap(), "through");
    browser.close().await;
}

#[tokio::test]
async fn wrong_proxy_password_is_an_error_that_says_so() {
    let proxy = ProxyServer::start("porter", "lantern").await;
    let mut options = LaunchOptions::default();
    options.proxy = Some(Proxy {
        server: proxy.url(),
        username: Some("porter".to_owned()),
        password: Some("wrong-password".to_owned()),
        ..Proxy::default()
    });
    let browser = Browser::start(&options).await.unwrap();
    for _ in 0..2 {
        let error = first_page(&browser)
            .goto("http://one.test/", load())
            .await
            .unwrap_err();
        let text = error.to_string();
        assert!(
            matches!(error, BrowserError::ProxyAuthentication { .. }),
            "{text}"
        );
        assert!(text.contains("proxy") && !text.contains("wrong-password"));
    }
    browser.close().await;
}

#[tokio::test]
async fn downloads_are_saved_and_listed_or_refused() {
    let site = Site::start().await;
    let at = site.route("/report", Route::download("report.csv", "a,b\n"));
    for accept in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut options = LaunchOptions::default();
        options.accept_downloads = accept;
        options.downloads_path = Some(folder.path().to_owned());
        let browser = Browser::start(&options).await.unwrap();
        let error = first_page(&browser).goto(&at.url, load()).await.unwrap_err();
        assert!(
            matches!(error, BrowserError::NotAPage { download: true, .. }),
            "{error}"
        );
        let download = eventually("the download to end", async || {
            let download = browser.context().downloads().into_iter().next()?;
            (download.state() != DownloadState::InProgress).then_some(download)
        })
        .await;
        assert_eq!(
            (download.suggested_filename(), download.url()),
            ("report.csv", at.url.as_str())
        );
        if accept {
            assert_eq!(download.state(), DownloadState::Completed);
            assert_eq!(std::fs::read(download.path().unwrap()).unwrap(), b"a,b\n");
        } else {
            assert_eq!((download.state(), download.path()), (DownloadState::Denied, None));
        }
        browser.close().await;
    }
}

#[tokio::test]
async fn exported_address_is_that_of_the_given_port() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut options = LaunchOptions::default();
    options.port = Some(port);
    let browser = Browser::start(&options).await.unwrap();
    let url = browser.connect_url().await.unwrap();
    assert!(
        url.starts_with(&format!("ws://127.0.0.1:{port}/devtools/browser/")),
        "{url}"
    );
    browser.close().await;
}

#[tokio::test]
async fn devtools_that_open_with_each_tab_are_no_pages_of_ours() {
    let mut options = LaunchOptions::default();
    options.devtools = true;
    let browser = Browser::start(&options).await.unwrap();
    let second = browser.context().new_page("about:blank").await.unwrap();
    assert_eq!(second.evaluate_in_page("1 + 1").await.unwrap(), 2);
    assert_eq!(browser.context().pages().len(), 2);
    browser.close().await;
}
