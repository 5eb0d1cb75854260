//! Checkboxes, radio buttons, switches.

use std::time::Duration;

use serde_json::{Value, json};

use crate::BrowserError;
use crate::element::reach::Limits;
use crate::locator::{ElementClickOptions, Locator, Performed};

/// How long a click may take to show.
const SHOW: Duration = Duration::from_secs(1);

/// Whether something is on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked {
    pub(crate) is_on: bool,
    is_radio: bool,
}

impl Locator {
    /// Turns a checkbox, a radio button or a switch on, by a click if it is off.
    ///
    /// # Errors
    /// As [`set_checked`](Self::set_checked).
    pub async fn check(&self, options: &ElementClickOptions) -> Result<Performed, BrowserError> {
        self.set_checked(true, options).await
    }

    /// Turns a checkbox or a switch off, by a click if it is on.
    ///
    /// # Errors
    /// As [`set_checked`](Self::set_checked).
    pub async fn uncheck(&self, options: &ElementClickOptions) -> Result<Performed, BrowserError> {
        self.set_checked(false, options).await
    }

    /// Turns a checkbox, a radio button or a switch on or off, by a click if it is not so yet.
    ///
    /// # Errors
    /// [`BrowserError::Unsuitable`] for what cannot be checked, and for turning a radio button off;
    /// [`BrowserError::NoEffect`] when the click did not change it; else see [`Locator`].
    pub async fn set_checked(
        &self,
        is_on: bool,
        options: &ElementClickOptions,
    ) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        let before = self.checked(None, &mut limits).await?;
        if before.is_on == is_on {
            return Ok(Performed::default());
        }
        if before.is_radio && !is_on {
            return Err(BrowserError::Unsuitable {
                selector: self.to_string(),
                action: "uncheck",
                reason: "a radio button goes off only when another one goes on".to_owned(),
            });
        }
        let performed = self.click_in_turn(options, &mut limits).await?;
        if performed.has_left {
            return Ok(performed);
        }
        match self.checked(Some(is_on), &mut Self::limits(Some(SHOW))).await {
            Ok(_) => Ok(performed),
            // What has gone because of the click cannot be asked any more.
            Err(BrowserError::NotActionable { .. } | BrowserError::NoEffect { .. }) => {
                Err(BrowserError::NoEffect {
                    selector: self.to_string(),
                    action: "check",
                    found: format!("it is still {}", if is_on { "off" } else { "on" }),
                    may_have_happened: true,
                })
            }
            Err(
                BrowserError::ElementNotFound { .. }
                | BrowserError::XPathNotFound { .. }
                | BrowserError::ElementGone { .. }
                | BrowserError::PageChanged { .. },
            ) => Ok(performed),
            Err(error) => Err(self.broken_off("check", error)),
        }
    }

    pub(crate) async fn checked(
        &self,
        wanted: Option<bool>,
        limits: &mut Limits,
    ) -> Result<Checked, BrowserError> {
        let options = json!({ "wanted": wanted });
        let reached = self.reach("checked", "check", options, limits).await?;
        let is = |name: &str| reached.outcome.value.get(name) == Some(&Value::Bool(true));
        Ok(Checked {
            is_on: is("isOn"),
            is_radio: is("isRadio"),
        })
    }
}
