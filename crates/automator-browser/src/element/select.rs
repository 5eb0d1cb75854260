//! Options of lists, native and custom.

use std::time::Duration;

use serde_json::{Value, json};

use crate::BrowserError;
use crate::element::reach::{Limits, Reached};
use crate::input::keyboard;
use crate::locator::{ElementClickOptions, Locator, OptionChoice, Performed};

/// What errors call it.
const VERB: &str = "select an option of";

/// How long a custom list may take to show the option once it is opened, before its text is typed.
const OPEN: Duration = Duration::from_secs(1);

/// How long a custom list may take to show what was chosen.
const SHOW: Duration = Duration::from_secs(1);

impl Locator {
    /// Selects options by value, label or the text that people see, or by number; all others are deselected. Gives
    /// the values that are selected then, of a custom list the texts. A list that shows the options already gets no
    /// events, as when a person chooses what is chosen.
    ///
    /// A field that suggests texts with a native list (`datalist`) is filled with the one that was asked for.
    ///
    /// What is not a native list is a custom one: it is clicked, unless it shows its options, and then the option
    /// with the text is; a list that is a text field as well gets the text typed if it does not show the option.
    /// `timeout` is the time to appear and to become ready (default: 2 s and 5 s); an option may
    /// take as long to appear.
    ///
    /// # Errors
    /// [`BrowserError::OptionNotFound`], which lists what there is; [`BrowserError::NotActionable`] for a disabled
    /// option or list; [`BrowserError::NoEffect`]; else see [`Locator`].
    pub async fn select_option(
        &self,
        options: &[OptionChoice],
        timeout: Option<Duration>,
    ) -> Result<Vec<String>, BrowserError> {
        let mut limits = Self::limits(timeout);
        let _turn = self.turn(&limits).await?;
        let wanted: Vec<Value> = options
            .iter()
            .map(|choice| match choice {
                OptionChoice::Text(text) => json!(text),
                OptionChoice::Shown(text) => json!({ "shown": text }),
                OptionChoice::Index(index) => json!(index),
            })
            .collect();
        let reached = self
            .reach("choose", VERB, json!({ "wanted": wanted }), &mut limits)
            .await?;
        if reached.outcome.is == "text" {
            let text = reached.outcome.value.get("text").and_then(Value::as_str);
            let text = text.unwrap_or_default().to_owned();
            self.fill_in_turn(&text, None, &mut limits).await?;
            return Ok(vec![text]);
        }
        if reached.outcome.is != "custom" {
            return self.selected(&reached);
        }
        let mut chosen = Vec::new();
        for choice in options {
            let (OptionChoice::Text(text) | OptionChoice::Shown(text)) = choice else {
                return Err(BrowserError::Unsuitable {
                    selector: self.to_string(),
                    action: VERB,
                    reason: "a custom list has no numbers".to_owned(),
                });
            };
            self.select_custom(text, !chosen.is_empty(), &mut limits).await?;
            chosen.push(text.clone());
        }
        Ok(chosen)
    }

    /// Selects the option that the locator leads to, in place of a click on it.
    pub(crate) async fn select_as_click(
        &self,
        index: usize,
        limits: &mut Limits,
    ) -> Result<Performed, BrowserError> {
        let options = json!({ "wanted": [index] });
        let reached = self.reach("chooseThis", "click", options, limits).await?;
        self.selected(&reached)?;
        Ok(Performed {
            attempts: 1,
            ..Performed::default()
        })
    }

    fn selected(&self, reached: &Reached) -> Result<Vec<String>, BrowserError> {
        let texts = |name: &str| -> Vec<String> {
            let values = reached.outcome.value.get(name).and_then(Value::as_array);
            values
                .into_iter()
                .flatten()
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect()
        };
        if matches!(reached.outcome.is.as_str(), "done" | "left") {
            return Ok(texts("values"));
        }
        Err(BrowserError::NoEffect {
            selector: self.to_string(),
            action: "select",
            found: format!(
                "the page has set the list back to `{}`",
                texts("now").join("`, `")
            ),
            may_have_happened: true,
        })
    }

    /// `is_next` when another option has been chosen just before, which may have left the list open.
    async fn select_custom(
        &self,
        text: &str,
        is_next: bool,
        limits: &mut Limits,
    ) -> Result<(), BrowserError> {
        let listing = |is_opened: bool| json!({ "wanted": text, "isOpened": is_opened });
        let at_once = || Self::limits(Some(Duration::ZERO));
        let mut listed = self.reach("listed", VERB, listing(is_next), &mut at_once()).await;
        if is_next && matches!(listed, Err(BrowserError::OptionNotFound { .. })) {
            listed = self.reach("listed", VERB, listing(false), &mut at_once()).await;
        }
        let listed = match listed {
            Ok(listed) => listed,
            Err(BrowserError::OptionNotFound { .. }) => {
                self.click_in_turn(&ElementClickOptions::default(), limits)
                    .await?;
                let opened = &mut Self::limits(Some(OPEN.min(limits.whole())));
                let listed = match self.reach("listed", VERB, listing(true), opened).await {
                    Err(BrowserError::OptionNotFound { .. }) => {
                        let held = self.look_for(text, limits).await?;
                        let listed = self.reach("listed", VERB, listing(true), limits).await;
                        if let Some(held) = held
                            && matches!(listed, Err(BrowserError::OptionNotFound { .. }))
                        {
                            // What was looked for in vain is not to be taken for an answer.
                            drop(self.fill_in_turn(&held, None, &mut Self::limits(None)).await);
                        }
                        listed
                    }
                    listed => listed,
                };
                listed.map_err(|error| self.opened(error))?
            }
            Err(error) => return Err(error),
        };
        if listed.outcome.value.get("isChosen") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        let option = self.listed_option(&listed.frame).await;
        let option = option.map_err(|error| self.opened(error))?;
        option
            .click_in_turn(&ElementClickOptions::default(), &mut Self::limits(None))
            .await?;
        let shown = &mut Self::limits(Some(SHOW));
        match self.reach("picked", VERB, json!({ "wanted": text }), shown).await {
            Err(BrowserError::NotActionable { .. }) => Err(BrowserError::NoEffect {
                selector: self.to_string(),
                action: "select",
                found: format!("the list does not show `{text}`"),
                may_have_happened: true,
            }),
            // A list that goes away with the choice has been left as it should be.
            _ => Ok(()),
        }
    }

    /// Types the text into a list that is a field as well, which many show their options for only then. Gives what
    /// the field held.
    async fn look_for(&self, text: &str, limits: &mut Limits) -> Result<Option<String>, BrowserError> {
        match self.start_filling(text, false, limits).await {
            Ok(_) => {}
            Err(BrowserError::Unsuitable { .. } | BrowserError::NotActionable { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let asked = json!({ "text": "", "keepText": true });
        let held = self.reach("heldText", "fill", asked, limits).await?.outcome;
        let typing = keyboard::type_text(self.page(), text, Duration::ZERO, None).await;
        typing.map_err(|error| self.broken_off("select", error))?;
        Ok(held.value.get("text").and_then(Value::as_str).map(str::to_owned))
    }

    /// Opening the list is an effect, but one that may be repeated: only what says more is passed on as it is.
    fn opened(&self, error: BrowserError) -> BrowserError {
        match error {
            BrowserError::OptionNotFound { .. } | BrowserError::NotActionable { .. } => error,
            other => self.broken_off("select", other),
        }
    }
}
