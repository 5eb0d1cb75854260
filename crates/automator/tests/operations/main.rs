//! Operations against a real browser, local pages and a scripted model.

mod extracting;
mod faults;
mod long_pages;
mod odd_pages;
mod provenance;
mod reading;
mod records;
mod rig;
mod sessions;
