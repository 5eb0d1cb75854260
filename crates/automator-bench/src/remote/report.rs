//! The figures of `bench remote`: printed, held against their limits, and written to a file.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::Measured;
use super::memory::Share;
use super::operations::{Remembered, SLOW};
use super::relay::Pair;
use super::sessions::AT_ONCE;
use crate::figures::{Limit, Target};

/// The most that the way through the server may cost.
const RELAY_LIMIT: f64 = 1.3;

pub(super) fn print(measured: &Measured) {
    print_relay(measured);
    print_sessions(measured);
    print_operations(measured);
    println!();
    for target in targets(measured) {
        println!("{target}");
    }
}

fn print_relay(measured: &Measured) {
    println!("\nThe DevTools protocol through the server and beside it, ms");
    println!(
        "  {:<24}{:>10}{:>10}{:>8}{:>10}{:>10}",
        "", "direct", "through", "ratio", "p95", "p95"
    );
    for (name, pair) in pairs(measured) {
        println!(
            "  {name:<24}{:>10}{:>10}{:>8}{:>10}{:>10}",
            shown(pair.direct.median(), 3),
            shown(pair.through.median(), 3),
            shown(pair.ratio(), 2),
            shown(pair.direct.percentile(95), 3),
            shown(pair.through.percentile(95), 3),
        );
    }
}

fn print_sessions(measured: &Measured) {
    println!("\nSessions made and released, a minute");
    println!("  {:<24}{:>10.1}", "one at a time", measured.rates.one);
    println!(
        "  {:<24}{:>10.1}",
        format!("{AT_ONCE} at once"),
        measured.rates.four
    );
    println!("\nMemory, MB");
    let Some(footprint) = &measured.footprint else {
        println!("  The system does not tell it.");
        return;
    };
    println!("  {:<24}{:>10}{:>10}", "", "PSS", "RSS");
    for (name, share) in [
        ("server, no session", footprint.server),
        ("server, more a session", footprint.more),
        ("browser of a session", footprint.browser),
    ] {
        let Share {
            proportional,
            resident,
        } = share;
        println!(
            "  {name:<24}{:>10.1}{:>10.1}",
            megabytes(proportional),
            megabytes(resident)
        );
    }
}

fn print_operations(measured: &Measured) {
    let operations = &measured.operations;
    println!("\nextract() from the server's memory, median ms");
    println!(
        "  {:<24}{:>10}{:>10}{:>8}",
        "the model answers", "MISS", "HIT", "ratio"
    );
    let slowly = format!("after {} ms", SLOW.as_millis());
    for (name, remembered) in [("at once", &operations.quick), (&slowly, &operations.slow)] {
        let Remembered { miss, hit } = remembered;
        println!(
            "  {name:<24}{:>10}{:>10}{:>8}",
            shown(miss.median(), 1),
            shown(hit.median(), 1),
            shown(remembered.ratio(), 3)
        );
    }
    println!("\nextract() with a model that answers at once, median ms");
    let off = format!("{} ms off", measured.delay_ms);
    println!("  {:<24}{:>10}{off:>10}", "the client is", "near");
    for (name, near, far) in [
        (
            "beside the browser",
            &operations.beside_near,
            &operations.beside_far,
        ),
        ("over the socket", &operations.socket_near, &operations.socket_far),
    ] {
        println!(
            "  {name:<24}{:>10}{:>10}",
            shown(near.median(), 1),
            shown(far.median(), 1)
        );
    }
}

fn targets(measured: &Measured) -> [Target; 3] {
    let relay = &measured.relayed;
    let operations = &measured.operations;
    let limit = Limit::AtMost(RELAY_LIMIT);
    [
        Target::new(
            "Runtime.evaluate through the server / direct, p50",
            relay.evaluate.ratio(),
            limit,
            2,
        ),
        Target::new(
            "a reply of 20 MB through the server / direct, p50",
            relay.large.ratio(),
            limit,
            2,
        ),
        Target::new(
            "a HIT / a MISS with a model that answers at once",
            operations.quick.ratio(),
            Limit::AtMost(1.0),
            2,
        ),
    ]
}

fn pairs(measured: &Measured) -> [(&'static str, &Pair); 4] {
    let relay = &measured.relayed;
    [
        ("handshake", &relay.handshake),
        ("Runtime.evaluate", &relay.evaluate),
        ("2,000 of them at once", &relay.at_once),
        ("a reply of 20 MB", &relay.large),
    ]
}

/// Writes every single time, and the other figures.
pub(super) fn write(folder: &Path, measured: &Measured) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("remote.json");
    let relay: Vec<Value> = pairs(measured)
        .into_iter()
        .map(|(name, pair)| {
            json!({ "name": name, "directMs": pair.direct.all(), "throughMs": pair.through.all() })
        })
        .collect();
    let operations = &measured.operations;
    let remembered =
        |remembered: &Remembered| json!({ "missMs": remembered.miss.all(), "hitMs": remembered.hit.all() });
    let share = |share: Share| json!({ "pss": share.proportional, "rss": share.resident });
    let all = json!({
        "load": measured.load,
        "relay": relay,
        "sessionsAMinute": { "one": measured.rates.one, "four": measured.rates.four },
        "memory": measured.footprint.as_ref().map(|footprint| json!({
            "server": share(footprint.server),
            "moreASession": share(footprint.more),
            "browser": share(footprint.browser),
        })),
        "cache": { "quick": remembered(&operations.quick), "slow": remembered(&operations.slow) },
        "extract": {
            "besideNearMs": operations.beside_near.all(),
            "besideFarMs": operations.beside_far.all(),
            "socketNearMs": operations.socket_near.all(),
            "socketFarMs": operations.socket_far.all(),
        },
    });
    std::fs::write(&path, serde_json::to_string_pretty(&all)? + "\n")
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("\nEvery time is in {}.", path.display());
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
}
