//! The built `automator` command, run as a user runs it: against sites and models on this computer.

mod acting;
mod attaching;
mod command;
mod doctor;
mod doing_tasks;
mod extracting;
mod guide;
mod interrupting;
mod observing;
mod opening;
mod output;
mod secrets;
mod serving;
mod snapshots;
mod wrong_use;
