//! `bench remote`: what the server costs beside a browser of one's own, and what it saves from afar.
//!
//! The server is a process of its own. Whatever is compared takes turns, so that what the machine does besides falls on
//! both.

mod apart;
mod delay;
mod memory;
mod operations;
mod relay;
mod report;
mod requests;
mod sessions;
mod socket;
mod times;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::workspace;
use apart::Apart;
pub(crate) use apart::{COMMAND, Place, serve, start};
use delay::DelayingProxy;
use requests::Requests;
use times::Times;

/// How the server is measured.
#[derive(Args)]
pub(crate) struct Selection {
    /// How many small evaluations go each way, one after the other
    #[arg(long, default_value_t = 2_000)]
    evaluates: usize,
    /// How many connections are made each way
    #[arg(long, default_value_t = 30)]
    handshakes: usize,
    /// How many large replies come each way, and how many bulks of small ones
    #[arg(long, default_value_t = 11)]
    bulks: usize,
    /// How many sessions are made one after the other; four times as many four at once
    #[arg(long, default_value_t = 10)]
    sessions: usize,
    /// How many times something is extracted in each way
    #[arg(long, default_value_t = 15)]
    extracts: usize,
    /// How far away the client is, in milliseconds one way
    #[arg(long, default_value_t = 50)]
    delay: u64,
    /// The folder for results
    #[arg(long, default_value_os_t = workspace().join("target/bench"))]
    out: PathBuf,
}

/// All figures.
struct Measured {
    relayed: relay::Relayed,
    rates: sessions::Rates,
    footprint: Option<sessions::Footprint>,
    operations: operations::Operations,
    delay_ms: u64,
    /// How many programs wanted a processor, before and after: averages of a minute.
    load: [Option<f64>; 2],
}

/// Measures, prints the figures and writes `remote.json`.
pub(crate) async fn run(browser: Option<PathBuf>, selection: &Selection) -> Result<()> {
    let delaying = DelayingProxy::start(Duration::from_millis(selection.delay)).await?;
    // The server is to be called by the address at which those from afar reach it.
    let server = Apart::start(browser.as_deref(), delaying.address()).await?;
    delaying.lead_to(server.address());
    let measured = measure(&server, &delaying, selection).await;
    server.stop().await?;
    let measured = measured?;
    let [before, after] = measured
        .load
        .map(|load| load.map_or("-".to_owned(), |load| load.to_string()));
    println!("Load before {before}, after {after}.");
    report::print(&measured);
    report::write(&selection.out, &measured)
}

async fn measure(server: &Apart, delaying: &DelayingProxy, selection: &Selection) -> Result<Measured> {
    let requests = server.requests(server.address());
    let before = load();
    let footprint = if memory::of_process(server.process()?).is_some() {
        Some(sessions::footprint(server, &requests).await?)
    } else {
        None
    };
    eprintln!("the relay …");
    let relayed = relay::measure(server, &requests, selection).await?;
    eprintln!("operations …");
    let operations = operations::measure(server, &requests, delaying, selection).await?;
    eprintln!("sessions …");
    let rates = sessions::rates(&requests, selection).await?;
    Ok(Measured {
        relayed,
        rates,
        footprint,
        operations,
        delay_ms: selection.delay,
        load: [before, load()],
    })
}

/// A session of the server.
struct Session {
    id: String,
    connect_url: String,
}

impl Session {
    /// Its DevTools address where the server is reached at another one.
    fn connect_url_at(&self, address: SocketAddr) -> Result<String> {
        let rest = self
            .connect_url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'));
        let (_, path) = rest.with_context(|| format!("{} is no address", self.connect_url))?;
        Ok(format!("ws://{address}/{path}"))
    }
}

async fn start_session(requests: &Requests, parameters: &Value) -> Result<Session> {
    let session = requests.post("/v1/sessions", parameters, &[]).await?.body;
    let text = |name: &str| {
        let text = session.get(name).and_then(Value::as_str);
        Ok::<_, anyhow::Error>(
            text.with_context(|| format!("no {name} in {session}"))?
                .to_owned(),
        )
    };
    Ok(Session {
        id: text("id")?,
        connect_url: text("connectUrl")?,
    })
}

async fn release(requests: &Requests, session: &str) -> Result<()> {
    let body = json!({ "status": "REQUEST_RELEASE" });
    requests
        .post(&format!("/v1/sessions/{session}"), &body, &[])
        .await?;
    Ok(())
}

/// How many programs have wanted a processor in the last minute, on average.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}
