//! Agents against a real browser, local pages and a scripted model.

mod acting;
mod circling;
mod confirming;
mod cua;
mod ending;
mod enduring;
mod going_on;
mod hostile;
mod integrations;
mod limits;
mod pointing;
mod pressing;
mod providers;
mod remembering;
mod script;
mod secrets;
mod sparing;
mod streaming;
mod tabs;
mod tools;
mod uploading;
mod vouching;

#[path = "../operations/place.rs"]
mod place;
#[path = "../operations/rig.rs"]
#[expect(dead_code, reason = "the tests of operations need more of it")]
mod rig;
