//! `cargo xtask bench miniwob`: plays tasks, and prints which were solved with which seed.
#![expect(clippy::print_stdout, reason = "this program talks to a person")]

use std::process::ExitCode;

use anyhow::{Result, bail};
use automator_miniwob::{Arena, STEPS, TASKS, Task};
use clap::Parser;

/// How many tasks have to be solved when all are played.
const WANTED: usize = 60;

/// The seed of the first problem.
const FIRST_SEED: u32 = 1;

#[derive(Parser)]
#[command(
    name = "cargo xtask bench miniwob",
    about = "Plays the tasks of MiniWoB++ with scripted policies"
)]
struct CommandLine {
    /// The tasks to play; all, when none is named
    tasks: Vec<String>,
    /// How many problems of each task
    #[arg(long, default_value_t = 2)]
    seeds: u32,
    /// Shows the browser
    #[arg(long)]
    headed: bool,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let line = CommandLine::parse();
    let tasks = chosen(&line.tasks)?;
    let arena = Arena::open(line.headed).await?;
    println!("| task | steps | solved | ms |\n|---|---|---|---|");
    let mut solved = Vec::new();
    let mut problems = Vec::new();
    for task in &tasks {
        let mut marks = String::new();
        let mut times = Vec::new();
        for seed in FIRST_SEED..FIRST_SEED + line.seeds {
            let outcome = arena.play(task, seed).await;
            marks.push(if outcome.is_solved { '✓' } else { '✗' });
            times.push(outcome.time.as_millis().to_string());
            if !outcome.is_solved {
                problems.push(format!("{} with seed {seed}: {}", task.name, outcome.message));
            }
        }
        let steps: Vec<String> = task.steps.iter().map(ToString::to_string).collect();
        println!(
            "| {} | {} | {marks} | {} |",
            task.name,
            steps.join(", "),
            times.join(" ")
        );
        if !marks.contains('✗') {
            solved.push(*task);
        }
    }
    arena.close().await?;
    for problem in &problems {
        println!("\n{problem}");
    }
    Ok(verdict(&tasks, &solved, line.seeds))
}

/// The tasks of these names, or all.
fn chosen(names: &[String]) -> Result<Vec<&'static Task>> {
    if names.is_empty() {
        return Ok(TASKS.iter().collect());
    }
    names
        .iter()
        .map(|name| match TASKS.iter().find(|task| task.name == name) {
            Some(task) => Ok(task),
            None => bail!("there is no policy for a task {name:?}"),
        })
        .collect()
}

/// Prints the sum. All named tasks have to be solved, or enough of all.
fn verdict(tasks: &[&Task], solved: &[&Task], seeds: u32) -> ExitCode {
    println!(
        "\n{} of {} tasks solved on {seeds} seeds",
        solved.len(),
        tasks.len()
    );
    let wanted = WANTED.min(tasks.len());
    let missing: Vec<String> = STEPS
        .iter()
        .filter(|step| !solved.iter().any(|task| task.steps.contains(step)))
        .map(ToString::to_string)
        .collect();
    let is_whole_run = tasks.len() == TASKS.len();
    if is_whole_run && !missing.is_empty() {
        println!("Kinds of steps without a solved task: {}", missing.join(", "));
        return ExitCode::FAILURE;
    }
    if solved.len() < wanted {
        println!("At least {wanted} have to be");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
