//! A Chromium browser over DevTools.
//!
//! It starts a browser or attaches to one, keeps track of its pages and their frames in whatever process they
//! live, navigates, runs JavaScript, resolves selectors to elements, takes pictures, and leaves nothing behind.
//! It knows nothing of language models and prompts, and reads neither the environment nor any configuration:
//! what it should know is passed in.
//!
//! Start with [`Browser::start`], then [`Context`], [`Page`] and [`Frame`].
//!
//! ```no_run
//! # async fn example() -> Result<(), automator_browser::BrowserError> {
//! use automator_browser::{Browser, GotoOptions, LaunchOptions};
//!
//! let browser = Browser::start(&LaunchOptions::default()).await?;
//! let page = browser.context().active_page().expect("there is a page after the start");
//! page.goto("https://example.com", GotoOptions::default()).await?;
//! println!("{}", page.title().await?);
//! browser.close().await;
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod attach;
mod browser;
mod capture;
mod clipboard;
mod closed_roots;
mod console;
mod context;
mod cookies;
mod dialog;
mod dialogs_elsewhere;
mod domain_policy;
mod download;
mod element;
mod error;
mod event;
mod extra_headers;
mod file_chooser;
mod frame;
mod frame_table;
mod history;
mod init_script;
mod input;
mod interception;
mod kept;
mod launch;
mod library;
mod locator;
mod navigation;
mod network;
mod open_dialog;
mod opening_order;
mod page;
mod page_setup;
mod page_state;
mod page_table;
mod proxy_login;
mod resolve;
mod response;
mod router;
mod screenshot;
mod script;
mod selector;
mod settle;
mod viewport;
mod world;

pub use browser::Browser;
pub use capture::SnapshotOptions;
pub use clipboard::Clipboard;
pub use closed_roots::ClosedRoots;
pub use console::{ConsoleArgument, ConsoleMessage, PageError, ScriptLocation};
pub use context::Context;
pub use cookies::{Cookie, CookieFilter, NewCookie, SameSite, TextFilter};
pub use dialog::{AnsweredDialog, Dialog, DialogAnswer, DialogListener};
pub use dialogs_elsewhere::DialogsElsewhere;
pub use domain_policy::DomainPolicy;
pub use download::{Download, DownloadState, move_under_name};
pub use element::scroll::percentage;
pub use error::{BrowserError, Obstacle, ObstacleKind};
pub use event::{BrowserNews, EventKind, PageEvent, PageEvents, PageNews};
pub use file_chooser::FileChooser;
pub use frame::Frame;
pub use history::ReloadOptions;
pub use init_script::InitScript;
pub use input::InputTurn;
pub use input::drag::DragOptions;
pub use input::keys::Modifiers;
pub use input::mouse::{ClickOptions, HoverOptions, MouseButton};
pub use input::touch::TapOptions;
pub use input::watch::{InputPart, InputWatch, PressingKey, Stopping, Watch};
pub use input::wheel::ScrollOptions;
pub use kept::KeptBrowser;
pub use launch::profile::release_profiles;
pub use launch::{IgnoreDefaultArgs, LaunchOptions, Proxy, Viewport};
pub use locator::{
    BoundingBox, ElementClickOptions, ElementDragOptions, ElementPosition, ElementState, FilePayload, Files,
    FrameLocator, Locator, OptionChoice, Performed, PointerOptions, Purpose, SelectorWaitOptions,
    SendClickOptions, TypeOptions,
};
pub use navigation::{GotoOptions, WaitUntil, address_problem};
pub use open_dialog::OpenDialog;
pub use page::{FrameGroup, Page};
pub use resolve::{ElementRef, Matches};
pub use response::{Response, SecurityDetails, ServerAddress};
pub use screenshot::{Animations, Caret, Clip, ImageFormat, Scale, ScreenshotOptions};
pub use script::{Argument, Handle, Place};
pub use selector::Selector;
pub use settle::{Settled, SettledBy};
pub use viewport::ViewportOptions;
