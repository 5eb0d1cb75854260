//! What goes over the wire and what comes back, for every form of HTTP interface, against a server on this
//! computer.

mod computer;
mod faults;
mod forms;
mod others;
mod requests;
mod server;
