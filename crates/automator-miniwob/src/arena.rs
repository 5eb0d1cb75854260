//! Where tasks are played: the pages on a local server, a browser, and one episode after the other.

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use automator::{Automator, Env, GotoOptions, LocalBrowserLaunchOptions, Page, ViewportOptions, WaitUntil};
use automator_testing::{Route, Site};

use crate::player::Player;
use crate::{Task, wheel};

/// Keeps the browser from calling out.
const QUIET: [&str; 4] = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// The pages end an episode after 10 s or a little more; that is measured for people who play on and on.
const EPISODE_LIMIT: Duration = Duration::from_secs(90);

/// How long a page may take to judge after the last action. Some only do when their clock runs out.
const JUDGEMENT: Duration = Duration::from_secs(15);

/// The least reward of a solved task. Most pages know only 1 and -1; those that measure how far off a click, a
/// colour or a line is seldom give the whole.
const SOLVED: f64 = 0.9;

/// A browser and the pages.
pub struct Arena {
    site: Site,
    automator: Automator,
}

/// What came of an episode.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Whether the page gave the reward.
    pub is_solved: bool,
    /// What it says, or what went wrong.
    pub message: String,
    /// How long the policy took.
    pub time: Duration,
}

impl Arena {
    /// Fetches the pages if need be, and starts a browser, with a window or without.
    ///
    /// # Errors
    /// As [`wheel::pages`]; no browser.
    pub async fn open(headed: bool) -> Result<Self> {
        let folder = tokio::task::spawn_blocking(wheel::pages).await??;
        let site = Site::start().await;
        site.fallback(move |hit| file(&folder, &hit.path));
        let automator = Automator::builder(Env::Local)
            .local_browser(LocalBrowserLaunchOptions {
                args: QUIET.map(str::to_owned).to_vec(),
                headless: !headed,
                viewport: Some(ViewportOptions {
                    width: 500,
                    height: 320,
                }),
                ..LocalBrowserLaunchOptions::default()
            })
            .build()?;
        automator.init().await?;
        Ok(Self { site, automator })
    }

    /// Plays a task. The same seed gives the same problem.
    pub async fn play(&self, task: &Task, seed: u32) -> Outcome {
        let begun = Instant::now();
        let mut time = Duration::ZERO;
        let played = tokio::time::timeout(EPISODE_LIMIT, self.episode(task, seed, &mut time)).await;
        let (is_solved, message) = match played {
            Ok(Ok((reward, asked))) => (reward >= SOLVED, format!("{asked:?}: reward {reward}")),
            Ok(Err(error)) => (false, format!("{error:#}")),
            Err(_) => (false, format!("not done after {} s", EPISODE_LIMIT.as_secs())),
        };
        Outcome {
            is_solved,
            message,
            time: if time.is_zero() { begun.elapsed() } else { time },
        }
    }

    /// Ends the browser.
    ///
    /// # Errors
    /// None at present.
    pub async fn close(self) -> Result<()> {
        Ok(self.automator.close().await?)
    }

    async fn episode(&self, task: &Task, seed: u32, time: &mut Duration) -> Result<(f64, String)> {
        let page = self.automator.context()?.active_page()?;
        let options = GotoOptions {
            wait_until: WaitUntil::Load,
            ..GotoOptions::default()
        };
        let url = self.site.url(&format!("/miniwob/{}.html", task.name));
        page.goto_with(&url, options).await?;
        let limit = EPISODE_LIMIT.as_millis();
        let start = format!(
            "core.EPISODE_MAX_TIME = {limit}; Math.seedrandom('{seed}'); core.startEpisodeReal(); \
             core.getUtterance()"
        );
        let instruction = page.evaluate(&start).await?;
        let instruction = instruction.as_str().context("the page says nothing")?.to_owned();
        let player = Player::new(self.automator.clone(), page.clone(), instruction);
        let begun = Instant::now();
        let played = (task.policy)(&player).await;
        *time = begun.elapsed();
        played.with_context(|| format!("{:?}", player.instruction()))?;
        let reward = judgement(&page)
            .await
            .with_context(|| format!("{:?}", player.instruction()))?;
        Ok((reward, player.instruction().to_owned()))
    }
}

/// Waits until the page has judged.
async fn judgement(page: &Page) -> Result<f64> {
    let begun = Instant::now();
    while begun.elapsed() < JUDGEMENT {
        let reward = page
            .evaluate("WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : null")
            .await?;
        if let Some(reward) = reward.as_f64() {
            return Ok(reward);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    bail!("everything was done, and the page gives no reward");
}

/// A file of the pages.
fn file(folder: &Path, path: &str) -> Route {
    let below = PathBuf::from(path.trim_start_matches('/'));
    let is_inside = below
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    let Some(body) = is_inside
        .then(|| std::fs::read(folder.join(&below)).ok())
        .flatten()
    else {
        return Route::status(404);
    };
    let content_type = match below.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    Route::typed(content_type, body)
}
