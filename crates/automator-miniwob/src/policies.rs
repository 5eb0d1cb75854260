//! How the tasks are done: one function each, grouped by what is mostly done in them.

pub(crate) mod click;
pub(crate) mod drag;
pub(crate) mod email;
pub(crate) mod form;
pub(crate) mod menu;
pub(crate) mod moving;
pub(crate) mod picker;
pub(crate) mod puzzle;
pub(crate) mod read;
pub(crate) mod shape;
pub(crate) mod social;
pub(crate) mod text;
