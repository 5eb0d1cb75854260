//! A frame of a page.

use automator::Frame;
use napi_derive::napi;

use crate::error::{Handed as _, Result};
use crate::json::{parsed, written};
use crate::locator::{NativeFrameLocator, NativeLocator};

#[napi]
pub struct NativeFrame {
    frame: Frame,
}

impl NativeFrame {
    pub(crate) fn new(frame: Frame) -> Self {
        Self { frame }
    }
}

#[napi]
impl NativeFrame {
    #[napi]
    pub fn id(&self) -> String {
        self.frame.id().to_owned()
    }

    #[napi]
    pub fn parent(&self) -> Option<NativeFrame> {
        self.frame.parent().map(Self::new)
    }

    #[napi]
    pub fn url(&self) -> String {
        self.frame.url()
    }

    #[napi]
    pub fn name(&self) -> String {
        self.frame.name()
    }

    #[napi]
    pub fn locator(&self, selector: String) -> NativeLocator {
        NativeLocator::new(self.frame.locator(&selector))
    }

    #[napi]
    pub fn deep_locator(&self, selector: String) -> NativeLocator {
        NativeLocator::new(self.frame.deep_locator(&selector))
    }

    #[napi]
    pub fn frame_locator(&self, selector: String) -> NativeFrameLocator {
        NativeFrameLocator::new(self.frame.frame_locator(&selector))
    }

    #[napi]
    pub async fn evaluate(&self, source: String, argument: Option<String>) -> Result<String> {
        let value = match argument {
            Some(argument) => self.frame.evaluate_with(&source, &parsed(&argument)?).await,
            None => self.frame.evaluate(&source).await,
        };
        written(&value.handed()?)
    }
}
