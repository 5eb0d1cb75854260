//! `bench read`: our page text beside the floors.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use automator_browser::{Page, SnapshotOptions};
use automator_testing::Route;
use serde_json::json;

use crate::Selection;
use crate::corpus::{Corpus, CorpusPage, Half};
use crate::figures::{Limit, Target, geometric_mean, mean, median};
use crate::floors::{Contender, Cost, Timing};
use crate::footprint::{Footprint, measure_apart};
use crate::score::{PageScore, Scorer, word_recall};
use crate::stage::Stage;
use crate::tables;

/// Rows of the generated tables. The last is left out of a quick run.
const TABLE_ROWS: [usize; 3] = [1_000, 5_000, 20_000];

/// How often each contender loads and reads a table: the time of one loading scatters.
const TABLE_ROUNDS: usize = 3;

/// Groups of pages of similar size.
const SIZES: usize = 5;

/// One million bytes.
const MEGABYTE: f64 = 1e6;

/// A page of the corpus, read by all contenders.
struct PageReading<'a> {
    page: &'a CorpusPage,
    timings: Timings,
    text: String,
    score: PageScore,
    /// The word recall of what `innerText` gives.
    inner_text_recall: f64,
}

/// A generated table, read by all contenders.
struct TableReading {
    rows: usize,
    timings: Timings,
    tokens: usize,
    footprint: Footprint,
}

/// In the order of [`Contender::ALL`].
struct Timings([Timing; 3]);

impl Timings {
    /// For each contender the middle of several.
    fn middle(rounds: &[Timings]) -> Self {
        Self(Contender::ALL.map(|contender| {
            let timings: Vec<Timing> = rounds.iter().map(|round| *round.of(contender)).collect();
            Timing::middle(&timings)
        }))
    }

    fn of(&self, contender: Contender) -> &Timing {
        let [ours, dom_and_ax, s4o] = &self.0;
        match contender {
            Contender::Ours => ours,
            Contender::DomAndAx => dom_and_ax,
            Contender::S4o => s4o,
        }
    }

    fn ratio_to(&self, floor: Contender, moment: Moment) -> f64 {
        let wall = |contender| moment.of(self.of(contender)).wall;
        wall(Contender::Ours) / wall(floor)
    }
}

/// Which reading of a page.
#[derive(Clone, Copy)]
enum Moment {
    Cold,
    Warm,
}

impl Moment {
    const ALL: [Moment; 2] = [Moment::Cold, Moment::Warm];

    fn of(self, timing: &Timing) -> Cost {
        match self {
            Moment::Cold => timing.cold,
            Moment::Warm => timing.warm,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Moment::Cold => "cold",
            Moment::Warm => "warm",
        }
    }
}

/// Reads everything and prints the figures.
pub(crate) async fn run(browser: Option<PathBuf>, selection: &Selection) -> Result<()> {
    let scorer = Scorer::new()?;
    let stage = Stage::start(browser.clone()).await?;
    let mut targets = Vec::new();
    if let Some(corpus) = selection.corpus()? {
        let readings = read_corpus(&stage, &corpus, &scorer).await?;
        write_results(&selection.out, &readings)?;
        print_timings(&readings);
        print_by_size(&readings);
        print_scores(&readings);
        print_outliers(&readings);
        let footprint = corpus_footprint(&stage, browser.as_deref(), &corpus).await?;
        println!(
            "\nMemory of a process that read all these pages: {}",
            in_words(footprint)
        );
        targets.extend(timing_targets(&readings));
        targets.extend(score_targets(&readings));
    }
    let tables = if selection.quick {
        &TABLE_ROWS[..2]
    } else {
        &TABLE_ROWS
    };
    print_table_heading();
    for (position, &rows) in tables.iter().enumerate() {
        let reading = read_table(&stage, browser.as_deref(), &scorer, position, rows).await?;
        print_table(&reading);
        targets.extend(table_targets(&reading));
    }
    stage.close().await;
    println!("\nTargets");
    for target in &targets {
        println!("  {target}");
    }
    Ok(())
}

async fn read_corpus<'a>(stage: &Stage, corpus: &'a Corpus, scorer: &Scorer) -> Result<Vec<PageReading<'a>>> {
    let mut readings = Vec::new();
    for (position, page) in corpus.pages.iter().enumerate() {
        stage.site.route(&page.path(), page.route()?);
        let mut shown = None;
        let path = page.path();
        let timings = time_all(stage, &path, position, async |tab| {
            shown = Some(texts_of(tab).await?);
            Ok(())
        });
        let timings = timings.await.with_context(|| page.id.clone())?;
        let (text, inner_text) = shown.with_context(|| format!("{} was not read", page.id))?;
        eprintln!("{}/{} {}", position + 1, corpus.pages.len(), page.id);
        readings.push(PageReading {
            page,
            timings,
            score: scorer.score(&text, &page.truth),
            inner_text_recall: word_recall(&inner_text, &page.truth),
            text,
        });
    }
    Ok(readings)
}

async fn read_table(
    stage: &Stage,
    browser: Option<&Path>,
    scorer: &Scorer,
    position: usize,
    rows: usize,
) -> Result<TableReading> {
    let path = tables::path(rows);
    stage.site.route(&path, Route::html(tables::table(rows)));
    let mut tokens = 0;
    let mut rounds = Vec::new();
    for round in 0..TABLE_ROUNDS {
        let timings = time_all(stage, &path, position + round, async |tab| {
            let snapshot = tab.snapshot(&SnapshotOptions::default()).await?;
            tokens = scorer.tokens(snapshot.text());
            Ok(())
        });
        rounds.push(timings.await.with_context(|| format!("{rows} rows"))?);
    }
    let timings = Timings::middle(&rounds);
    let footprint = measure_apart(browser, &[stage.site.url(&path)]).await?;
    Ok(TableReading {
        rows,
        timings,
        tokens,
        footprint,
    })
}

/// Each contender reads the page in a tab of its own; `after_ours` then gets the tab of ours.
async fn time_all(
    stage: &Stage,
    path: &str,
    position: usize,
    mut after_ours: impl AsyncFnMut(&Page) -> Result<()>,
) -> Result<Timings> {
    let mut timings = [const { None }; 3];
    for contender in Contender::in_turn(position) {
        let tab = stage.open(path).await?;
        let timing = contender.time(&tab).await?;
        if contender == Contender::Ours {
            after_ours(&tab).await?;
        }
        tab.close().await?;
        timings[contender as usize] = Some(timing);
    }
    let [Some(ours), Some(dom_and_ax), Some(s4o)] = timings else {
        anyhow::bail!("a contender had no turn");
    };
    Ok(Timings([ours, dom_and_ax, s4o]))
}

/// Our text and the browser's own `innerText`.
async fn texts_of(tab: &Page) -> Result<(String, String)> {
    let snapshot = tab.snapshot(&SnapshotOptions::default()).await?;
    let inner_text = tab.evaluate_in_page("document.body.innerText").await?;
    let inner_text = inner_text.as_str().context("the page has no innerText")?;
    Ok((snapshot.text().to_owned(), inner_text.to_owned()))
}

async fn corpus_footprint(stage: &Stage, browser: Option<&Path>, corpus: &Corpus) -> Result<Footprint> {
    let urls: Vec<String> = corpus
        .pages
        .iter()
        .map(|page| stage.site.url(&page.path()))
        .collect();
    measure_apart(browser, &urls).await
}

/// `reading.jsonl` in the form that the corpus' own script scores, and all times in `timings.jsonl`.
fn write_results(folder: &Path, readings: &[PageReading<'_>]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let create = |name: &str| -> Result<BufWriter<File>> {
        let path = folder.join(name);
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(BufWriter::new(file))
    };
    let (mut texts, mut times) = (create("reading.jsonl")?, create("timings.jsonl")?);
    for reading in readings {
        let id = &reading.page.id;
        writeln!(texts, "{}", json!({ "id": id, "text": reading.text }))?;
        for contender in Contender::ALL {
            let Timing { cold, warm, bytes } = reading.timings.of(contender);
            let line = json!({
                "id": id, "contender": contender.name(), "bytes": bytes,
                "coldMs": cold.wall, "warmMs": warm.wall,
                "coldProcessorMs": cold.processor, "warmProcessorMs": warm.processor,
            });
            writeln!(times, "{line}")?;
        }
    }
    texts.flush()?;
    times.flush()?;
    Ok(())
}

fn print_timings(readings: &[PageReading<'_>]) {
    println!("\nReading {} pages of the corpus, medians", readings.len());
    println!(
        "  {:<8}{:>10}{:>10}{:>14}{:>14}{:>10}",
        "", "cold ms", "warm ms", "own CPU cold", "own CPU warm", "KB"
    );
    for contender in Contender::ALL {
        let of = |figure: &dyn Fn(&Timing) -> f64| {
            shown(
                median(
                    readings
                        .iter()
                        .map(|reading| figure(reading.timings.of(contender))),
                ),
                1,
            )
        };
        println!(
            "  {:<8}{:>10}{:>10}{:>14}{:>14}{:>10}",
            contender.name(),
            of(&|timing| timing.cold.wall),
            of(&|timing| timing.warm.wall),
            of(&|timing| timing.cold.processor),
            of(&|timing| timing.warm.processor),
            of(&|timing| timing.bytes as f64 / 1e3),
        );
    }
    println!("\nOurs / floor{:>33}{:>10}", "cold", "warm");
    for floor in [Contender::DomAndAx, Contender::S4o] {
        let line = |name: &str, figure: fn(&[PageReading<'_>], Contender, Moment) -> Option<f64>| {
            let [cold, warm] = Moment::ALL.map(|moment| shown(figure(readings, floor, moment), 3));
            println!("  {:<8}{name:<28}{cold:>9}{warm:>10}", floor.name());
        };
        line("median of the pages' ratios", median_ratio);
        line("ratio of the median times", ratio_of_medians);
        line("geometric mean of the ratios", |readings, floor, moment| {
            geometric_mean(ratios(readings, floor, moment))
        });
    }
}

/// Small pages cost what every page costs, large ones what their content costs; so they are told apart.
fn print_by_size(readings: &[PageReading<'_>]) {
    let size = |reading: &&PageReading<'_>| reading.timings.of(Contender::DomAndAx).bytes;
    let mut by_size: Vec<&PageReading<'_>> = readings.iter().collect();
    by_size.sort_by_key(size);
    println!("\nMedians by size{:>37}{:>30}", "cold ms", "warm ms");
    println!(
        "  {:<22}{:>8}{:>10}{:>8}{:>12}{:>10}{:>8}",
        "DOM+AX, KB", "ours", "DOM+AX", "S4o", "ours", "DOM+AX", "S4o"
    );
    for part in by_size.chunks(readings.len().div_ceil(SIZES).max(1)) {
        let [least, most] = [part.first(), part.last()].map(|reading| reading.map_or(0, size) / 1_000);
        let [cold, warm] = Moment::ALL.map(|moment| {
            Contender::ALL.map(|contender| {
                let times = part
                    .iter()
                    .map(|reading| moment.of(reading.timings.of(contender)).wall);
                shown(median(times), 1)
            })
        });
        let sizes = format!("{least} to {most}");
        println!(
            "  {sizes:<22}{:>8}{:>10}{:>8}{:>12}{:>10}{:>8}",
            cold[0], cold[1], cold[2], warm[0], warm[1], warm[2]
        );
    }
}

fn ratios<'a>(
    readings: &'a [PageReading<'_>],
    floor: Contender,
    moment: Moment,
) -> impl Iterator<Item = f64> + 'a {
    readings
        .iter()
        .map(move |reading| reading.timings.ratio_to(floor, moment))
}

fn median_ratio(readings: &[PageReading<'_>], floor: Contender, moment: Moment) -> Option<f64> {
    median(ratios(readings, floor, moment))
}

fn ratio_of_medians(readings: &[PageReading<'_>], floor: Contender, moment: Moment) -> Option<f64> {
    let time = |contender| {
        median(
            readings
                .iter()
                .map(|reading| moment.of(reading.timings.of(contender)).wall),
        )
    };
    Some(time(Contender::Ours)? / time(floor)?)
}

fn print_scores(readings: &[PageReading<'_>]) {
    println!(
        "\nText      {:>8}{:>15}{:>12}{:>14}{:>15}{:>12}",
        "pages", "tokens median", "tokens sum", "word recall", "4-gram recall", "must-have"
    );
    for half in Half::ALL {
        let scores = HalfScores::of(readings, half);
        println!(
            "  {:<8}{:>8}{:>15}{:>12}{:>14}{:>15}{:>12}",
            half.name(),
            scores.pages,
            shown(scores.tokens_median, 0),
            scores.tokens_sum,
            shown(scores.word_recall, 4),
            shown(scores.gram_recall, 4),
            shown(scores.must_have, 4),
        );
    }
}

/// The figures of one half of the corpus.
struct HalfScores {
    pages: usize,
    tokens_median: Option<f64>,
    tokens_sum: usize,
    word_recall: Option<f64>,
    gram_recall: Option<f64>,
    must_have: Option<f64>,
}

impl HalfScores {
    fn of(readings: &[PageReading<'_>], half: Half) -> Self {
        let scores = || {
            readings
                .iter()
                .filter(move |reading| reading.page.half == half)
                .map(|reading| &reading.score)
        };
        let counted = || scores().filter(|score| score.counted);
        Self {
            pages: scores().count(),
            tokens_median: median(scores().map(|score| score.tokens as f64)),
            tokens_sum: scores().map(|score| score.tokens).sum(),
            word_recall: mean(counted().map(|score| score.word_recall)),
            gram_recall: mean(counted().map(|score| score.gram_recall)),
            must_have: mean(counted().filter_map(|score| score.must_have)),
        }
    }
}

/// The pages that are furthest on the wrong side.
fn print_outliers(readings: &[PageReading<'_>]) {
    let worst = |title: &str, figure: &dyn Fn(&PageReading<'_>) -> f64| {
        let mut pages: Vec<_> = readings
            .iter()
            .map(|reading| (figure(reading), reading.page.id.as_str()))
            .collect();
        pages.sort_by(|one, other| other.0.total_cmp(&one.0));
        let pages = pages
            .iter()
            .take(5)
            .map(|(figure, id)| format!("{figure:.3} {id}"));
        println!("  {title:<40}{}", pages.collect::<Vec<_>>().join(", "));
    };
    println!("\nWorst pages");
    for moment in Moment::ALL {
        worst(&format!("ours / DOM+AX, {}", moment.name()), &|reading| {
            reading.timings.ratio_to(Contender::DomAndAx, moment)
        });
    }
    worst("own processor time, warm, ms", &|reading| {
        reading.timings.of(Contender::Ours).warm.processor
    });
    worst("word recall below innerText by", &below_inner_text);
}

fn below_inner_text(reading: &PageReading<'_>) -> f64 {
    reading.inner_text_recall - reading.score.word_recall
}

fn print_table_heading() {
    println!(
        "\nTables, ms cold/warm{:>16}{:>16}{:>14}{:>20}{:>10}",
        "ours", "DOM+AX", "S4o", "ours / DOM+AX", "tokens"
    );
}

fn print_table(reading: &TableReading) {
    let times = |contender| {
        let timing = reading.timings.of(contender);
        format!("{:.0}/{:.0}", timing.cold.wall, timing.warm.wall)
    };
    let [cold, warm] = Moment::ALL.map(|moment| reading.timings.ratio_to(Contender::DomAndAx, moment));
    let ours = reading.timings.of(Contender::Ours);
    println!(
        "  {:>6} rows{:>25}{:>16}{:>14}{:>20}{:>10}",
        reading.rows,
        times(Contender::Ours),
        times(Contender::DomAndAx),
        times(Contender::S4o),
        format!("{cold:.3}/{warm:.3}"),
        reading.tokens,
    );
    println!(
        "              own CPU {:.0}/{:.0} ms; memory of a process that only read it: {}",
        ours.cold.processor,
        ours.warm.processor,
        in_words(reading.footprint)
    );
}

fn in_words(Footprint { before, after }: Footprint) -> String {
    let megabytes = |bytes: u64| bytes as f64 / MEGABYTE;
    format!(
        "{:.0} MB at most, {:.0} MB at the end ({:.0} MB before it read)",
        megabytes(after.peak),
        megabytes(after.resident),
        megabytes(before.resident)
    )
}

fn timing_targets(readings: &[PageReading<'_>]) -> Vec<Target> {
    let mut targets = Vec::new();
    for moment in Moment::ALL {
        let name = moment.name();
        let limit = Limit::AtMost(0.45);
        let floor = Contender::DomAndAx;
        targets.push(Target::new(
            format!("ours / DOM+AX, {name}, median of the ratios"),
            median_ratio(readings, floor, moment),
            limit,
            3,
        ));
        targets.push(Target::new(
            format!("ours / DOM+AX, {name}, ratio of the medians"),
            ratio_of_medians(readings, floor, moment),
            limit,
            3,
        ));
        let processor = readings
            .iter()
            .map(|reading| moment.of(reading.timings.of(Contender::Ours)).processor);
        let name = format!("own processor time, {name}, median, ms");
        targets.push(Target::new(name, median(processor), Limit::AtMost(4.0), 2));
    }
    targets
}

fn score_targets(readings: &[PageReading<'_>]) -> Vec<Target> {
    let mut targets = Vec::new();
    for half in Half::ALL {
        let scores = HalfScores::of(readings, half);
        let (tokens, words, grams) = match half {
            Half::Readability => (3_200.0, 0.994, 0.97),
            Half::Mixed => (5_900.0, 0.984, 0.89),
        };
        let mut add = |name: &str, figure, limit, digits| {
            targets.push(Target::new(
                format!("{name}, {}", half.name()),
                figure,
                limit,
                digits,
            ));
        };
        add("tokens, median", scores.tokens_median, Limit::AtMost(tokens), 0);
        add("word recall", scores.word_recall, Limit::AtLeast(words), 4);
        add("4-gram recall", scores.gram_recall, Limit::AtLeast(grams), 4);
        if half == Half::Mixed {
            add("must-have snippets", scores.must_have, Limit::AtLeast(0.89), 4);
        }
    }
    let lowest = readings.iter().map(below_inner_text).max_by(f64::total_cmp);
    targets.push(Target::new(
        "word recall below innerText, worst page",
        lowest,
        Limit::AtMost(0.005),
        4,
    ));
    targets
}

fn table_targets(reading: &TableReading) -> Vec<Target> {
    let most = match reading.rows {
        5_000 => 0.25,
        20_000 => 0.3,
        _ => return Vec::new(),
    };
    let rows = reading.rows;
    let mut targets = Moment::ALL
        .map(|moment| {
            let ratio = reading.timings.ratio_to(Contender::DomAndAx, moment);
            let name = format!("ours / DOM+AX, {rows} rows, {}", moment.name());
            Target::new(name, Some(ratio), Limit::AtMost(most), 3)
        })
        .to_vec();
    if rows == 20_000 {
        let peak = reading.footprint.after.peak as f64 / MEGABYTE;
        targets.push(Target::new(
            "memory at most, 20000 rows, MB",
            Some(peak),
            Limit::AtMost(300.0),
            0,
        ));
    }
    targets
}

fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
}
