//! `extract` beside the browser and from afar, and from the server's memory.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use automator::{Automator, Env, LocalBrowserLaunchOptions, ModelOptions};
use automator_testing::{Answer, Fault, ScriptedModel, Site};
use serde_json::{Value, json};

use super::apart::Apart;
use super::delay::DelayingProxy;
use super::requests::{Reply, Requests};
use super::{Selection, Session, Times, release, start_session};
use crate::act::pages;

const MODEL: &str = "openai/gpt-4.1-mini";
const INSTRUCTION: &str = "the heading";

/// The slow model's time.
pub(super) const SLOW: Duration = Duration::from_millis(500);

/// The same question to the server twice: the model answers the first time, the server's memory the second.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    pub(super) miss: Times,
    pub(super) hit: Times,
}

impl Remembered {
    /// The median of the second answers over that of the first.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(self.hit.median()? / self.miss.median()?)
    }
}

#[derive(Debug, Default)]
pub(super) struct Operations {
    /// With a model that answers at once.
    pub(super) quick: Remembered,
    /// With a model that takes [`SLOW`].
    pub(super) slow: Remembered,
    /// The operation in the server; the client is near, or far away.
    pub(super) beside_near: Times,
    pub(super) beside_far: Times,
    /// The operation in the client, over the DevTools socket; the client is near, or far away.
    pub(super) socket_near: Times,
    pub(super) socket_far: Times,
}

/// A session on the form, with a model.
struct Rig<'a> {
    near: &'a Requests,
    far: Requests,
    session: Session,
    model: ScriptedModel,
}

pub(super) async fn measure(
    server: &Apart,
    near: &Requests,
    delaying: &DelayingProxy,
    selection: &Selection,
) -> Result<Operations> {
    let site = Site::start().await;
    pages::serve(&site);
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "extraction": pages::HEADING })));
    let rig = Rig {
        near,
        far: server.requests(delaying.address()),
        session: start_session(near, &json!({})).await?,
        model,
    };
    let to_form = json!({ "url": site.url(pages::FORM), "options": { "waitUntil": "load" } });
    rig.near.post(&rig.path("navigate"), &to_form, &[]).await?;
    let mut measured = Operations::default();
    let extracts = selection.extracts;
    rig.remember("at once", extracts, &mut measured.quick).await?;
    rig.model.fault_always(Some(Fault::Slow(SLOW)));
    rig.remember("slowly", extracts.div_ceil(3), &mut measured.slow)
        .await?;
    rig.model.fault_always(None);

    let clients = Clients {
        near: rig.attach(&rig.session.connect_url_at(server.address())?).await?,
        far: rig
            .attach(&rig.session.connect_url_at(delaying.address())?)
            .await?,
    };
    // The first round makes everything warm.
    for round in 0..=extracts {
        let took = [
            rig.beside(rig.near).await?,
            rig.beside(&rig.far).await?,
            over_socket(&clients.near).await?,
            over_socket(&clients.far).await?,
        ];
        if round > 0 {
            let Operations {
                beside_near,
                beside_far,
                socket_near,
                socket_far,
                ..
            } = &mut measured;
            for (times, took) in [beside_near, beside_far, socket_near, socket_far]
                .into_iter()
                .zip(took)
            {
                times.push(took);
            }
        }
    }
    clients.near.close().await?;
    clients.far.close().await?;
    release(rig.near, &rig.session.id).await?;
    Ok(measured)
}

/// Those that do operations over a socket of the session's browser.
struct Clients {
    near: Automator,
    far: Automator,
}

impl Rig<'_> {
    fn path(&self, operation: &str) -> String {
        format!("/v1/sessions/{}/{operation}", self.session.id)
    }

    async fn extract(
        &self,
        requests: &Requests,
        instruction: &str,
        headers: &[(&str, &str)],
    ) -> Result<(Duration, String)> {
        let model = json!({ "modelName": MODEL, "apiKey": "none", "baseURL": self.model.base_url() });
        let body = json!({ "instruction": instruction, "options": { "model": model } });
        let Reply { took, body } = requests.post(&self.path("extract"), &body, headers).await?;
        let extracted = body.pointer("/data/result/extraction").and_then(Value::as_str);
        ensure!(extracted == Some(pages::HEADING), "not the heading: {body}");
        let status = body.pointer("/data/cacheStatus").and_then(Value::as_str);
        Ok((took, status.unwrap_or("none").to_owned()))
    }

    /// Asks each question twice.
    async fn remember(&self, how: &str, questions: usize, remembered: &mut Remembered) -> Result<()> {
        for question in 0..=questions {
            let instruction = format!("{INSTRUCTION}, asked {how} for the {question}th time");
            let (missed, status) = self.extract(self.near, &instruction, &[]).await?;
            ensure!(status == "MISS", "the first answer was a {status}");
            let (hit, status) = self.extract(self.near, &instruction, &[]).await?;
            ensure!(status == "HIT", "the second answer was a {status}");
            if question > 0 {
                remembered.miss.push(missed);
                remembered.hit.push(hit);
            }
        }
        Ok(())
    }

    /// The operation in the server, which asks the model each time.
    async fn beside(&self, requests: &Requests) -> Result<Duration> {
        let bypass = [("x-automator-cache", "bypass")];
        Ok(self.extract(requests, INSTRUCTION, &bypass).await?.0)
    }

    /// A client whose operations run here, with the same model.
    async fn attach(&self, address: &str) -> Result<Automator> {
        let mut model = ModelOptions::new(MODEL);
        model.api_key = Some("none".into());
        model.base_url = Some(self.model.base_url());
        let launch = LocalBrowserLaunchOptions {
            cdp_url: Some(address.to_owned()),
            ..LocalBrowserLaunchOptions::default()
        };
        let automator = Automator::builder(Env::Local)
            .model(model)
            .local_browser(launch)
            .build()?;
        automator.init().await?;
        Ok(automator)
    }
}

async fn over_socket(automator: &Automator) -> Result<Duration> {
    let begun = Instant::now();
    let extracted = automator
        .extract(INSTRUCTION)
        .await
        .context("extract over the socket")?;
    let took = begun.elapsed();
    ensure!(
        extracted.extraction == pages::HEADING,
        "not the heading: {extracted:?}"
    );
    Ok(took)
}
