//! Operations against a real browser, local pages and a scripted model.

mod acting;
mod contexts;
mod enduring;
mod events;
mod extracting;
mod faults;
mod field_acting;
mod field_reading;
mod field_sessions;
mod following;
mod long_pages;
mod observing;
mod odd_pages;
mod on_pages;
mod pages;
mod place;
mod provenance;
mod reading;
mod recipes;
mod records;
mod remembering;
mod rig;
mod secrets;
mod sessions;
mod tricky_pages;
