//! Recorded browser replies of small pages: what the tests of `automator-snapshot` read instead of a browser.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use automator_browser::SnapshotOptions;
use automator_snapshot::{CapturedTarget, DocumentFacts};
use serde_json::{Value, json};

use crate::stage::Stage;

/// In a page, stands for the origin of another site.
const CROSS_SITE: &str = "CROSS-SITE";

/// Loads each `pages/*.html` of `folder` and writes what the browser answers to `fixtures/*.json` beside it.
///
/// A page whose name begins with `part-` is only served, for the frames of others. Ids of frames and nodes change
/// with each recording, so a recording is made anew only when its page changes.
pub(crate) async fn run(browser: Option<PathBuf>, folder: &Path, only: &[String]) -> Result<()> {
    let stage = Stage::start(browser).await?;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.join("pages")).context("cannot list the pages")? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let html =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let origin = stage.site.cross_url("");
        stage
            .site
            .put_at(&format!("/{name}"), html.replace(CROSS_SITE, &origin));
        names.push(name);
    }
    names.retain(|name| !name.starts_with("part-") && (only.is_empty() || only.contains(name)));
    names.sort();
    let fixtures = folder.join("fixtures");
    std::fs::create_dir_all(&fixtures)?;
    for name in names {
        let page = stage.open(&format!("/{name}")).await?;
        let snapshot = page.snapshot(&SnapshotOptions::default()).await?;
        let targets: Result<Vec<Value>> = snapshot.captured().iter().map(recorded).collect();
        let path = fixtures.join(format!("{name}.json"));
        std::fs::write(&path, serde_json::to_string(&targets?)? + "\n")?;
        println!("{}", path.display());
        page.close().await?;
    }
    stage.close().await;
    Ok(())
}

/// One target, as `tests/pages.rs` of `automator-snapshot` reads it.
fn recorded(target: &CapturedTarget) -> Result<Value> {
    let reply = target.reply.as_ref().context("a target did not answer")?;
    Ok(json!({
        "reply": serde_json::from_str::<Value>(reply.as_str())?,
        "facts": target.facts.iter().map(facts).collect::<Vec<_>>(),
        "owner": target.owner.as_ref().map(|owner| json!({
            "target": owner.target,
            "backendNodeId": owner.backend_node_id,
            "frameId": owner.frame_id,
        })),
    }))
}

fn facts(facts: &DocumentFacts) -> Value {
    json!({
        "frameId": facts.frame_id,
        "documentId": facts.document_id,
        "focused": facts.focused,
        "modal": facts.modal,
        "indeterminate": facts.indeterminate,
        "invalid": facts.invalid,
        "concealed": facts.concealed,
    })
}
