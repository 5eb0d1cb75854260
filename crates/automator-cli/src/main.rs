//! The `automator` command: reads web pages, asks a model about them, and acts on them, from a shell.
//!
//! One file per command: `act.rs`, `agent.rs`, `observe.rs`, `extract.rs`, `snapshot.rs`, `open.rs`, `close.rs`, `doctor.rs`,
//! `serve.rs`, `keys.rs`. What
//! they share: `address.rs` reads what was typed as an address, `place.rs` decides between a browser of the command's
//! own and one that `open_browsers.rs` remembers, `session.rs` runs work on a page in either, `output.rs` writes
//! results, `exit.rs` says how failures end, `whole_number.rs` reads numbers. The result goes to standard output and
//! nothing else does.

mod act;
mod address;
mod agent;
mod browser_options;
mod close;
mod doctor;
mod exit;
mod extract;
mod flags;
mod interrupt;
mod keys;
mod logging;
mod model_options;
mod observe;
mod open;
mod open_browsers;
mod output;
mod page_options;
mod place;
mod progress;
mod schema;
mod serve;
mod server_folder;
mod session;
mod snapshot;
mod variables;
mod whole_number;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use exit::{Exit, Failure};
use logging::LogOptions;
use progress::Progress;
use serve::LogFormat;

/// How long work that the runtime still does may take after the result is out.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);

/// Reads web pages as text, extracts checked values from them and acts on them with a language model.
#[derive(Debug, Parser)]
#[command(
    name = "automator",
    version,
    arg_required_else_help = true,
    after_help = exit::CODES,
    disable_help_subcommand = true,
    propagate_version = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    log: LogOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Act(act::ActArguments),
    Agent(agent::AgentArguments),
    Observe(observe::ObserveArguments),
    Extract(extract::ExtractArguments),
    Snapshot(snapshot::SnapshotArguments),
    Open(open::OpenArguments),
    Close(close::CloseArguments),
    Serve(serve::ServeArguments),
    Keys(keys::KeysArguments),
    Doctor(doctor::DoctorArguments),
}

fn main() -> ExitCode {
    exit::report_panics();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help for a reader that has gone, or a message for nobody: there is nothing left to do about it.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            }
            .into();
        }
    };
    catch_unwind(AssertUnwindSafe(|| run(arguments)))
        .unwrap_or(Exit::Failed)
        .into()
}

fn run(mut arguments: Arguments) -> Exit {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::System(error).report(),
    };
    let progress = Progress::new(&arguments.log);
    let format = match &mut arguments.command {
        Command::Serve(serve) => match serve.read_config() {
            Ok(()) => serve.log_format(),
            Err(failure) => return failure.report(),
        },
        _ => LogFormat::Text,
    };
    logging::start(&arguments.log, format, &progress);
    let outcome = runtime.block_on(async {
        match arguments.command {
            Command::Act(arguments) => act::run(arguments, &progress).await,
            Command::Agent(arguments) => agent::run(arguments, &progress).await,
            Command::Observe(arguments) => observe::run(arguments, &progress).await,
            Command::Extract(arguments) => extract::run(arguments, &progress).await,
            Command::Snapshot(arguments) => snapshot::run(arguments, &progress).await,
            Command::Open(arguments) => open::run(arguments, &progress).await,
            Command::Close(arguments) => close::run(arguments, &progress).await,
            Command::Serve(arguments) => serve::run(arguments, &progress).await,
            Command::Keys(arguments) => keys::run(arguments).await,
            Command::Doctor(arguments) => doctor::run(arguments, &progress).await,
        }
    });
    progress.finish();
    runtime.shutdown_timeout(SHUTDOWN_LIMIT);
    match outcome {
        Ok(exit) => exit,
        Err(failure) => failure.report(),
    }
}
