//! Doing one action to one element: from the action's words to the locator's methods, and from their outcome to
//! success, failure or error.

use std::path::{Path, PathBuf};
use std::time::Duration;

use automator_browser::{
    BrowserError, ElementClickOptions, ElementDragOptions, Files, Locator, MouseButton, OptionChoice,
    Performed, PointerOptions, Selector, TypeOptions, Watch, percentage,
};
use automator_snapshot::Element;

use crate::action::{Action, Method};
use crate::page::Page;
use crate::variables::Variables;
use crate::{Error, Result};

/// How long a navigation that an action has begun is waited for.
const FOLLOW: Duration = Duration::from_secs(5);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The page shows the effect.
    Done(String),
    /// The element is gone or of another kind, and nothing has happened: it can be looked for anew.
    NotThere(String),
    /// It cannot be done, and nothing has happened.
    Refused(String),
    /// Its effect was not seen, and may have come about.
    Failed(String),
}

impl Outcome {
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Done(message)
            | Self::NotThere(message)
            | Self::Refused(message)
            | Self::Failed(message) => message,
        }
    }
}

/// How an action is done.
#[derive(Debug, Clone, Default)]
pub(crate) struct Way {
    /// Takes the place of the usual times to appear and to become usable.
    pub(crate) limit: Option<Duration>,
    /// Leaves the documents of frames that it brings to come by themselves; else they are waited for, as that of the page
    /// is.
    pub(crate) leaves_frames: bool,
    /// Who looks at where keys and presses of the mouse go, just before they go out.
    pub(crate) watch: Option<Watch>,
}

/// The element of an action.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The page as a whole: keys go to what has the focus.
    Page(Locator),
    Element(Locator),
}

impl Target {
    /// What a selector leads to.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a selector that cannot be read.
    pub(crate) fn selector(page: &Page, selector: &str) -> Result<Self> {
        // What is told of the page as a whole, which is no element.
        if matches!(selector.trim(), "/" | "xpath=/") {
            return Ok(Self::Page(page.browser_page().main_frame().locator("html")));
        }
        Selector::parse(selector)?;
        Ok(Self::Element(page.browser_page().deep_locator(selector)))
    }

    /// An element of a snapshot; when the page draws it anew, what stands at its path.
    ///
    /// # Errors
    /// [`ErrorKind::ElementNotFound`](crate::ErrorKind::ElementNotFound) when its document is gone.
    pub(crate) fn element(page: &Page, element: &Element, selector: &str) -> Result<Self> {
        if element.tag.is_empty() {
            let frame = page.browser_page().frame(&element.node.frame_id);
            let frame = frame.unwrap_or_else(|| page.browser_page().main_frame());
            return Ok(Self::Page(frame.locator("html")));
        }
        let reference = page.browser_page().element(element)?;
        Ok(Self::Element(Locator::of_element(
            reference,
            Selector::parse(selector).ok(),
        )))
    }

    pub(crate) fn locator(&self) -> &Locator {
        match self {
            Self::Page(locator) | Self::Element(locator) => locator,
        }
    }
}

/// Does an action and looks at what came of it.
///
/// # Errors
/// Bad arguments, a page that is gone, a lost browser.
pub(crate) async fn perform(
    page: &Page,
    target: &Target,
    action: &Action,
    variables: &Variables,
    way: &Way,
) -> Result<Outcome> {
    let Some(method) = action.method.as_deref().and_then(Method::from_name) else {
        let message = match action.method.as_deref() {
            None | Some("") => "the action names no method".to_owned(),
            Some(name) => format!("there is no method \"{name}\""),
        };
        return Ok(Outcome::Refused(message));
    };
    let arguments: Vec<String> = action
        .arguments
        .iter()
        .map(|argument| variables.fill(argument))
        .collect();
    let doing = Doing {
        page,
        target,
        arguments: &arguments,
        limit: way.limit,
        watch: way.watch.as_ref(),
    };
    match doing.method(method).await {
        Ok(performed) => {
            // What comes next reads the page that this has led to.
            if way.leaves_frames {
                page.browser_page().follow_main(&performed, FOLLOW).await;
            } else {
                page.browser_page().follow(&performed, FOLLOW).await;
            }
            Ok(Outcome::Done(format!(
                "{} done on {}",
                action.method.as_deref().unwrap_or_default(),
                action.selector
            )))
        }
        // A part of a value, or what a page makes of it, would not be known as a variable's.
        Err(error) if arguments != action.arguments => judged(without_values(error, &action.arguments)),
        Err(error) => judged(error),
    }
}

struct Doing<'d> {
    page: &'d Page,
    target: &'d Target,
    arguments: &'d [String],
    limit: Option<Duration>,
    watch: Option<&'d Watch>,
}

impl Doing<'_> {
    async fn method(&self, method: Method) -> Result<Performed, BrowserError> {
        let locator = self.target.locator();
        match method {
            Method::Click => self.click(1).await,
            Method::DoubleClick => self.click(2).await,
            Method::Hover => locator.hover(&self.pointer()).await,
            Method::Tap => locator.tap(&self.pointer()).await,
            Method::Fill => {
                let text = self.given("the text")?;
                match self.watch {
                    Some(watch) => locator.fill_watched(text, self.limit, watch).await,
                    None => locator.fill(text, self.limit).await,
                }
            }
            Method::Type => self.type_text(self.given("the text")?).await,
            Method::Press => self.press(self.given("the key")?).await,
            Method::ScrollTo => {
                locator
                    .scroll_to(percentage(self.given("the percentage")?)?)
                    .await
            }
            Method::ScrollIntoView => locator.scroll_into_view().await,
            Method::ScrollBy => self.scroll_by().await,
            Method::NextChunk => locator.next_chunk().await,
            Method::PreviousChunk => locator.previous_chunk().await,
            Method::SelectOption => {
                self.given("the option")?;
                // The model and people know an option by what they see.
                let options: Vec<OptionChoice> =
                    self.arguments.iter().cloned().map(OptionChoice::Shown).collect();
                locator.select_option(&options, self.limit).await?;
                Ok(Performed::default())
            }
            Method::DragAndDrop => self.drag().await,
            Method::SetInputFiles => {
                let folder = self.page.session().options.file_folder.as_deref();
                let paths = self.arguments.iter().map(|name| file(folder, name));
                let paths = paths.collect::<Result<_, _>>()?;
                locator.set_input_files(&Files::Paths(paths)).await
            }
        }
    }

    async fn click(&self, count: u32) -> Result<Performed, BrowserError> {
        let mut options = ElementClickOptions::default();
        options.click_count = count;
        options.timeout = self.limit;
        options.button = match self.arguments.first().map(String::as_str) {
            None | Some("" | "left") => MouseButton::Left,
            Some("right") => MouseButton::Right,
            Some("middle") => MouseButton::Middle,
            Some(other) => {
                return Err(argument(
                    "button",
                    format!("\"{other}\" is none: left, right or middle"),
                ));
            }
        };
        let locator = self.target.locator();
        let performed = match self.watch {
            Some(watch) => locator.click_watched(&options, watch).await?,
            None => locator.click(&options).await?,
        };
        if performed.is_set_back {
            return Err(BrowserError::NoEffect {
                selector: self.target.locator().to_string(),
                action: "click",
                found: "the page has left it unchanged, checked or not as before".to_owned(),
                may_have_happened: true,
            });
        }
        Ok(performed)
    }

    async fn type_text(&self, text: &str) -> Result<Performed, BrowserError> {
        let page = self.browser_page();
        match (self.target, self.watch) {
            (Target::Page(_), Some(watch)) => page.type_text_watched(text, Duration::ZERO, watch).await?,
            (Target::Page(_), None) => page.type_text(text, Duration::ZERO).await?,
            (Target::Element(locator), Some(watch)) => {
                return locator.type_text_watched(text, &self.typing(), watch).await;
            }
            (Target::Element(locator), None) => return locator.type_text(text, &self.typing()).await,
        }
        Ok(Performed::default())
    }

    async fn press(&self, key: &str) -> Result<Performed, BrowserError> {
        let page = self.browser_page();
        match (self.target, self.watch) {
            (Target::Page(_), Some(watch)) => page.press_watched(key, Duration::ZERO, watch).await?,
            (Target::Page(_), None) => page.press(key, Duration::ZERO).await?,
            (Target::Element(locator), Some(watch)) => {
                return locator.press_watched(key, &self.typing(), watch).await;
            }
            (Target::Element(locator), None) => return locator.press(key, &self.typing()).await,
        }
        Ok(Performed::default())
    }

    async fn drag(&self) -> Result<Performed, BrowserError> {
        let onto = self.given("the element to drop on")?;
        Selector::parse(onto)?;
        let mut options = ElementDragOptions::default();
        options.timeout = self.limit;
        let onto = self.browser_page().deep_locator(onto);
        self.target.locator().drag_to(&onto, &options).await
    }

    async fn scroll_by(&self) -> Result<Performed, BrowserError> {
        self.given("the number of pixels")?;
        let pixels = |text: Option<&String>| {
            let text = text.map_or("0", String::as_str).trim();
            text.trim_end_matches("px")
                .parse::<f64>()
                .ok()
                .filter(|pixels| pixels.is_finite())
                .ok_or_else(|| argument("arguments", format!("\"{text}\" is no number of pixels")))
        };
        // One number is how far down.
        let (across, down) = match self.arguments {
            [down] => (0.0, pixels(Some(down))?),
            given => (pixels(given.first())?, pixels(given.get(1))?),
        };
        self.target.locator().scroll_by(across, down).await
    }

    fn browser_page(&self) -> &automator_browser::Page {
        self.page.browser_page()
    }

    /// The first argument, which must be there.
    fn given(&self, what: &str) -> Result<&str, BrowserError> {
        let first = self.arguments.first().map(String::as_str);
        first.ok_or_else(|| argument("arguments", format!("it needs {what}")))
    }

    fn pointer(&self) -> PointerOptions {
        let mut options = PointerOptions::default();
        options.timeout = self.limit;
        options
    }

    fn typing(&self) -> TypeOptions {
        let mut options = TypeOptions::default();
        options.timeout = self.limit;
        options
    }
}

/// The file that an argument names: any path, or a bare name in the only folder that files may come from.
fn file(folder: Option<&Path>, name: &str) -> Result<PathBuf, BrowserError> {
    let Some(folder) = folder else {
        return Ok(PathBuf::from(name));
    };
    let is_bare = Path::new(name).file_name().is_some_and(|bare| bare == name);
    let path = folder.join(name);
    if is_bare && path.is_file() {
        Ok(path)
    } else {
        Err(argument(
            "files",
            format!("\"{name}\" is none of the files that were uploaded"),
        ))
    }
}

fn argument(argument: &'static str, problem: String) -> BrowserError {
    BrowserError::InvalidArgument { argument, problem }
}

/// The error without what the arguments say and what a page shows of them; `written` are the arguments with the
/// names of variables in them.
fn without_values(error: BrowserError, written: &[String]) -> BrowserError {
    use BrowserError as B;
    let written_first = || written.first().cloned().unwrap_or_default();
    match error {
        B::NoEffect {
            selector,
            action,
            may_have_happened,
            ..
        } => B::NoEffect {
            selector,
            action,
            found: "the page holds something else, which is not told here because of the variable".to_owned(),
            may_have_happened,
        },
        B::UnknownKey { .. } => B::UnknownKey {
            name: written_first(),
            part: written_first(),
            nearest: Vec::new(),
        },
        B::OptionNotFound {
            selector, offered, ..
        } => B::OptionNotFound {
            selector,
            wanted: written_first(),
            offered,
        },
        B::InvalidArgument { argument, .. } => argument_error(argument, &written_first()),
        B::InvalidSelector { .. } => argument_error("selector", &written_first()),
        B::UnreadableFile { source, .. } => B::UnreadableFile {
            path: PathBuf::from(written_first()),
            source,
        },
        B::FileTooLarge { size, limit, .. } => B::FileTooLarge {
            name: written_first(),
            size,
            limit,
        },
        B::Interrupted {
            selector,
            action,
            source,
        } => B::Interrupted {
            selector,
            action,
            source: Box::new(without_values(*source, written)),
        },
        other => other,
    }
}

fn argument_error(name: &'static str, written: &str) -> BrowserError {
    argument(name, format!("the value of `{written}` cannot be used here"))
}

/// What a page does not let happen is a failure; everything else that goes wrong is an error.
fn judged(error: BrowserError) -> Result<Outcome> {
    use BrowserError as B;
    let message = error.to_string();
    match error {
        B::ElementNotFound { .. }
        | B::XPathNotFound { .. }
        | B::NotAFrame { .. }
        | B::FrameWithoutDocument { .. }
        | B::NoShadowRoot { .. }
        | B::FrameGone
        | B::ElementGone { .. }
        | B::PageChanged { .. } => Ok(Outcome::NotThere(message)),
        // An element of another kind may be the wrong one; a value that it does not take stays wrong.
        B::Unsuitable { reason, .. } => Ok(match reason.as_str() {
            "malformed-value" | "invalid-number-value" => Outcome::Refused(message),
            _ => Outcome::NotThere(message),
        }),
        B::NoEffect {
            may_have_happened: true,
            ..
        }
        | B::KeptBack { has_begun: true, .. } => Ok(Outcome::Failed(message)),
        B::KeptBack { .. }
        | B::NotActionable { .. }
        | B::NoEffect { .. }
        | B::OptionNotFound { .. }
        | B::UnreadableFile { .. }
        | B::FileTooLarge { .. } => Ok(Outcome::Refused(message)),
        other => Err(Error::from(other)),
    }
}
