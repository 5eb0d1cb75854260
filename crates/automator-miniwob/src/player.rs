//! The hands and eyes of a policy.

use anyhow::{Context as _, Result, bail, ensure};
use automator::{Action, Automator, Locator, Page};
use regex::Regex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A point of the viewport, in CSS pixels.
pub(crate) type Point = (f64, f64);

/// The button that most tasks end with.
pub(crate) const SUBMIT: &str = "#subbtn";

/// Plays one episode.
pub(crate) struct Player {
    automator: Automator,
    page: Page,
    instruction: String,
}

/// A box in the viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(crate) struct Bounds {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Bounds {
    pub(crate) fn middle(&self) -> Point {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

impl Player {
    pub(crate) fn new(automator: Automator, page: Page, instruction: String) -> Self {
        Self {
            automator,
            page,
            instruction,
        }
    }

    /// What the page asks for.
    pub(crate) fn instruction(&self) -> &str {
        &self.instruction
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// The groups of a pattern in the instruction.
    pub(crate) fn heard<const N: usize>(&self, pattern: &str) -> Result<[String; N]> {
        parts(&self.instruction, pattern)
    }

    /// Acts without a model. What the page does not let happen is an error here.
    pub(crate) async fn act(&self, action: Action) -> Result<()> {
        let result = self.automator.act(&action).await?;
        ensure!(result.success, "{}", result.message);
        Ok(())
    }

    pub(crate) async fn click(&self, selector: &str) -> Result<()> {
        self.act(Action::new(selector, "click")).await
    }

    pub(crate) async fn hover(&self, selector: &str) -> Result<()> {
        self.act(Action::new(selector, "hover")).await
    }

    pub(crate) async fn fill(&self, selector: &str, text: &str) -> Result<()> {
        self.act(Action::new(selector, "fill").argument(text)).await
    }

    /// Types key by key.
    pub(crate) async fn type_into(&self, selector: &str, text: &str) -> Result<()> {
        self.act(Action::new(selector, "type").argument(text)).await
    }

    pub(crate) async fn press(&self, selector: &str, key: &str) -> Result<()> {
        self.act(Action::new(selector, "press").argument(key)).await
    }

    pub(crate) async fn select(&self, selector: &str, options: &[&str]) -> Result<()> {
        let action = Action::new(selector, "selectOptionFromDropdown");
        let action = options
            .iter()
            .fold(action, |action, option| action.argument(*option));
        self.act(action).await
    }

    pub(crate) async fn submit(&self) -> Result<()> {
        self.click(SUBMIT).await
    }

    pub(crate) fn locator(&self, selector: &str) -> Locator {
        self.page.locator(selector)
    }

    /// Drags with the mouse from one point to another.
    pub(crate) async fn drag(&self, from: Point, to: Point) -> Result<()> {
        let mut options = automator::DragOptions::default();
        options.steps = 8;
        self.page.drag_and_drop_with(from, to, &options).await?;
        Ok(())
    }

    /// Looks at the page: a function of JavaScript that only reads, and its argument.
    pub(crate) async fn look<T: DeserializeOwned>(&self, function: &str, argument: Value) -> Result<T> {
        let found = self.page.evaluate(&format!("({function})({argument})")).await?;
        serde_json::from_value(found).with_context(|| format!("what {function} found"))
    }

    /// The texts of all elements that match a CSS selector.
    pub(crate) async fn texts(&self, selector: &str) -> Result<Vec<String>> {
        let function =
            "css => [...document.querySelectorAll(css)].map(element => element.textContent.trim())";
        self.look(function, json!(selector)).await
    }

    /// The text of an element.
    pub(crate) async fn text(&self, selector: &str) -> Result<String> {
        Ok(self.locator(selector).text_content().await?.trim().to_owned())
    }

    /// The boxes of all elements that match a CSS selector.
    pub(crate) async fn boxes(&self, selector: &str) -> Result<Vec<Bounds>> {
        let function = "css => [...document.querySelectorAll(css)].map(element => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return { x, y, width, height };
        })";
        self.look(function, json!(selector)).await
    }

    /// The box of one element.
    pub(crate) async fn bounds(&self, selector: &str) -> Result<Bounds> {
        let bounds = self.locator(selector).bounding_box().await?;
        let bounds = bounds.with_context(|| format!("{selector} has no box"))?;
        Ok(Bounds {
            x: bounds.x,
            y: bounds.y,
            width: bounds.width,
            height: bounds.height,
        })
    }

    /// A computed colour of all elements that match a CSS selector, as red, green and blue.
    pub(crate) async fn colours(&self, selector: &str) -> Result<Vec<[u8; 3]>> {
        let function = "css => [...document.querySelectorAll(css)].map(element =>
            getComputedStyle(element).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))";
        self.look(function, json!(selector)).await
    }

    /// Whether people see an element now.
    pub(crate) async fn sees(&self, selector: &str) -> Result<bool> {
        Ok(self.locator(selector).is_visible().await?)
    }
}

/// The groups of a pattern in a text.
pub(crate) fn parts<const N: usize>(text: &str, pattern: &str) -> Result<[String; N]> {
    let captures = Regex::new(pattern)?.captures(text);
    let captures = captures.with_context(|| format!("{text:?} is not of the form {pattern}"))?;
    let groups: Vec<String> = captures
        .iter()
        .skip(1)
        .map(|group| group.map_or("", |group| group.as_str()).to_owned())
        .collect();
    match groups.try_into() {
        Ok(groups) => Ok(groups),
        Err(groups) => bail!("{pattern} has {} groups, not {N}", groups.len()),
    }
}

/// The XPath of elements with a name and exactly this text.
pub(crate) fn with_text(name: &str, text: &str) -> String {
    format!("//div[@id='area']//{name}[normalize-space(.)={}]", literal(text))
}

/// A text in XPath.
pub(crate) fn literal(text: &str) -> String {
    if text.contains('\'') {
        format!("\"{text}\"")
    } else {
        format!("'{text}'")
    }
}

/// Items in a row of commas.
pub(crate) fn items(text: &str) -> Vec<&str> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .collect()
}

/// `3` of `3rd`.
pub(crate) fn ordinal(text: &str) -> Result<usize> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let number: usize = digits
        .parse()
        .with_context(|| format!("{text:?} is no position"))?;
    ensure!(number > 0, "{text:?} is no position");
    Ok(number)
}
