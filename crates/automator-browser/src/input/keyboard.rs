//! The keyboard: typing text, pressing keys with others held.
//!
//! Key events go to whatever has the focus, in whatever frame and process.

use std::time::Duration;

use automator_cdp::protocol::input::{DispatchKeyEvent, InsertText, dispatch_key_event_type};

use crate::input::deliver;
use crate::input::keys::{self, Chord, ChordKey, Key, Modifiers, Platform, Stroke};
use crate::input::mistakes;
use crate::input::watch::{InputPart, PressingKey, Watch};
use crate::{BrowserError, Page};

impl Page {
    /// Types a text: for each character the key that gives it is pressed and released, Shift being held where it
    /// needs it. Characters that a US keyboard lacks are put in as text. A line break is the Enter key, a tab
    /// the Tab key.
    ///
    /// `delay` is how long to wait after each character.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn type_text(&self, text: &str, delay: Duration) -> Result<(), BrowserError> {
        let _turn = self.input_turn().await?;
        type_text(self, text, delay, None).await
    }

    /// As [`type_text`](Self::type_text), with somebody who looks at what has the focus before each key that presses
    /// it.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`type_text`](Self::type_text).
    pub async fn type_text_watched(
        &self,
        text: &str,
        delay: Duration,
        watch: &Watch,
    ) -> Result<(), BrowserError> {
        let _turn = self.input_turn().await?;
        type_text(self, text, delay, Some(watch)).await
    }

    /// As [`type_text`](Self::type_text), hitting a neighbouring key now and then and taking that back with the
    /// Backspace key, as people do. The same text always gets the same mistakes.
    ///
    /// # Errors
    /// As [`type_text`](Self::type_text).
    pub async fn type_text_with_mistakes(&self, text: &str, delay: Duration) -> Result<(), BrowserError> {
        let _turn = self.input_turn().await?;
        let backspace = keys::parse("Backspace", Platform::here())?;
        for part in mistakes::parts(text) {
            type_text(self, part.right, delay, None).await?;
            if let Some(wrong) = part.wrong {
                type_text(self, wrong.encode_utf8(&mut [0; 4]), delay, None).await?;
                press_chord(self, &backspace, Duration::ZERO, None).await?;
            }
        }
        Ok(())
    }

    /// Presses a key and releases it. Names joined with `+` are held in their order: `Control+Shift+A`; a `+`
    /// alone, or behind another one, is the key of that name.
    ///
    /// A name is what key events call the key (`Enter`, `ArrowDown`, `F5`, `a`), its place on the keyboard
    /// (`KeyA`, `Digit1`, `NumpadAdd`) or one of the usual short forms (`ctrl`, `esc`, `del`, `pgup`, …), in any
    /// case. `cmd`, `command` and `controlOrMeta` are the key that shortcuts are made with: Command on a Mac,
    /// else Control. A capital letter or another character that needs Shift holds it; in a shortcut the case of
    /// a letter says nothing.
    ///
    /// `delay` is how long the key stays down. All keys are up again in the end, also after a failure and when
    /// the future is dropped.
    ///
    /// # Errors
    /// [`BrowserError::UnknownKey`]; [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn press(&self, key: &str, delay: Duration) -> Result<(), BrowserError> {
        let chord = keys::parse(key, Platform::here())?;
        let _turn = self.input_turn().await?;
        press_chord(self, &chord, delay, None).await
    }

    /// As [`press`](Self::press), with somebody who looks at what has the focus before each part of a key that presses
    /// it.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`press`](Self::press).
    pub async fn press_watched(&self, key: &str, delay: Duration, watch: &Watch) -> Result<(), BrowserError> {
        let chord = keys::parse(key, Platform::here())?;
        let _turn = self.input_turn().await?;
        press_chord(self, &chord, delay, Some(watch)).await
    }
}

/// As [`Page::type_text`], for those who have the turn.
pub(crate) async fn type_text(
    page: &Page,
    text: &str,
    delay: Duration,
    watch: Option<&Watch>,
) -> Result<(), BrowserError> {
    for (index, stroke) in keys::strokes(text).enumerate() {
        match stroke {
            Stroke::Key(key, modifiers) if let (Some(watch), Some(pressing)) = (watch, key.presses()) => {
                let watched = Watched { watch, pressing };
                watched.look(true, index > 0).await?;
                watched.press(page, key, modifiers, Duration::ZERO).await?;
            }
            Stroke::Key(key, modifiers) => {
                let down = key_down(key, modifiers);
                let up = key_up(key, modifiers);
                // Sent in this order when they are first polled: the key cannot stay down.
                tokio::try_join!(
                    deliver(page, page.session(), &down),
                    deliver(page, page.session(), &up)
                )?;
            }
            Stroke::Text(text) => insert_text(page, text).await?,
        }
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
    }
    Ok(())
}

/// Puts a text in where the focus is, as an input method does: one input event and no keys.
pub(crate) async fn insert_text(page: &Page, text: &str) -> Result<(), BrowserError> {
    let insert = InsertText {
        text: text.to_owned(),
    };
    deliver(page, page.session(), &insert).await
}

/// Lets a key without a name go up, as an input method does after it has put a text in.
pub(crate) async fn end_of_text(page: &Page) -> Result<(), BrowserError> {
    deliver(page, page.session(), &unnamed_key_up()).await
}

fn unnamed_key_up() -> DispatchKeyEvent {
    DispatchKeyEvent {
        r#type: dispatch_key_event_type::KEY_UP.to_owned(),
        key: Some("Unidentified".to_owned()),
        windows_virtual_key_code: Some(229),
        ..DispatchKeyEvent::default()
    }
}

/// Presses what [`keys::parse`] has read, for those who have the turn.
pub(crate) async fn press_chord(
    page: &Page,
    chord: &Chord,
    delay: Duration,
    watch: Option<&Watch>,
) -> Result<(), BrowserError> {
    let pressing = match &chord.key {
        ChordKey::Key(key) => key.presses().map(|pressing| (*key, pressing)),
        ChordKey::Text(_) => None,
    };
    if let (Some(watch), Some((key, pressing))) = (watch, pressing) {
        let watched = Watched { watch, pressing };
        return press_chord_watched(page, chord, key, delay, watched).await;
    }
    let mut down = KeysDown {
        page,
        keys: Vec::new(),
    };
    for key in &chord.held {
        down.press(*key, Modifiers::default()).await?;
    }
    match &chord.key {
        ChordKey::Key(key) => {
            down.press(*key, chord.modifiers).await?;
        }
        ChordKey::Text(text) => insert_text(page, text).await?,
    }
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    down.release_all().await
}

/// As [`press_chord`], for a chord that ends with a key that presses something.
async fn press_chord_watched(
    page: &Page,
    chord: &Chord,
    key: Key,
    delay: Duration,
    watched: Watched<'_>,
) -> Result<(), BrowserError> {
    watched.look(true, false).await?;
    let mut down = KeysDown {
        page,
        keys: Vec::new(),
    };
    for held in &chord.held {
        down.press(*held, Modifiers::default()).await?;
    }
    if !chord.held.is_empty() {
        watched.look(false, true).await?;
    }
    watched.press(page, key, chord.modifiers, delay).await?;
    down.release_all().await
}

/// A key that presses what has the focus, with somebody who looks at what that is.
#[derive(Clone, Copy)]
struct Watched<'w> {
    watch: &'w Watch,
    pressing: PressingKey,
}

impl Watched<'_> {
    async fn look(&self, is_first: bool, has_begun: bool) -> Result<(), BrowserError> {
        let key = self.pressing;
        self.watch.look(InputPart::Key { key, is_first }, has_begun).await
    }

    /// Presses and releases it, with a look before each part that may press something: Enter does it with its
    /// character, the space bar when it goes up.
    async fn press(
        &self,
        page: &Page,
        key: Key,
        modifiers: Modifiers,
        delay: Duration,
    ) -> Result<(), BrowserError> {
        let down = key_event(dispatch_key_event_type::RAW_KEY_DOWN, key, modifiers);
        let mut half = HalfPressed { page, is_down: true };
        deliver(page, page.session(), &down).await?;
        self.look(false, true).await?;
        if let Some(text) = key.text(modifiers) {
            let character = DispatchKeyEvent {
                text: Some(text.to_owned()),
                unmodified_text: Some(text.to_owned()),
                ..key_event(dispatch_key_event_type::CHAR, key, modifiers)
            };
            deliver(page, page.session(), &character).await?;
        }
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if self.pressing == PressingKey::Space {
            self.look(false, true).await?;
        }
        half.is_down = false;
        deliver(page, page.session(), &key_up(key, modifiers)).await
    }
}

/// A key that is down and may not go up as itself, as that would press something.
struct HalfPressed<'a> {
    page: &'a Page,
    is_down: bool,
}

impl Drop for HalfPressed<'_> {
    fn drop(&mut self) {
        if self.is_down {
            drop(self.page.session().send(&unnamed_key_up()));
        }
    }
}

/// Keys that are down, which are released at the latest when this is dropped.
struct KeysDown<'a> {
    page: &'a Page,
    /// With the modifiers that they were pressed with; the last one pressed is the last one here.
    keys: Vec<(Key, Modifiers)>,
}

impl KeysDown<'_> {
    /// The modifier keys among them.
    fn modifiers(&self) -> Modifiers {
        self.keys
            .iter()
            .fold(Modifiers::default(), |held, (key, _)| held.with(*key))
    }

    /// Presses a key; `implied` are modifiers beyond those that are down.
    async fn press(&mut self, key: Key, implied: Modifiers) -> Result<(), BrowserError> {
        let held = self.modifiers();
        let modifiers = Modifiers {
            alt: held.alt || implied.alt,
            control: held.control || implied.control,
            meta: held.meta || implied.meta,
            shift: held.shift || implied.shift,
        }
        .with(key);
        self.keys.push((key, modifiers));
        deliver(self.page, self.page.session(), &key_down(key, modifiers)).await
    }

    async fn release_all(mut self) -> Result<(), BrowserError> {
        let events = self.take_up_events();
        let sending = events
            .iter()
            .map(|event| deliver(self.page, self.page.session(), event));
        futures_util::future::try_join_all(sending).await.map(|_| ())
    }

    fn take_up_events(&mut self) -> Vec<DispatchKeyEvent> {
        let mut events = Vec::new();
        while let Some((key, modifiers)) = self.keys.pop() {
            events.push(key_up(key, modifiers.without(key)));
        }
        events
    }
}

impl Drop for KeysDown<'_> {
    fn drop(&mut self) {
        for event in self.take_up_events() {
            drop(self.page.session().send(&event));
        }
    }
}

fn key_down(key: Key, modifiers: Modifiers) -> DispatchKeyEvent {
    let text = key.text(modifiers);
    let kind = if text.is_some() {
        dispatch_key_event_type::KEY_DOWN
    } else {
        // With this one the browser makes no `keypress`, as for a key that gives no text.
        dispatch_key_event_type::RAW_KEY_DOWN
    };
    let commands = key.commands(modifiers, Platform::here());
    DispatchKeyEvent {
        text: text.map(str::to_owned),
        unmodified_text: text.map(str::to_owned),
        commands: (!commands.is_empty()).then_some(commands),
        ..key_event(kind, key, modifiers)
    }
}

fn key_up(key: Key, modifiers: Modifiers) -> DispatchKeyEvent {
    key_event(dispatch_key_event_type::KEY_UP, key, modifiers)
}

fn key_event(kind: &str, key: Key, modifiers: Modifiers) -> DispatchKeyEvent {
    DispatchKeyEvent {
        r#type: kind.to_owned(),
        modifiers: Some(modifiers.bits()),
        code: Some(key.code.to_owned()),
        key: Some(key.name(modifiers).to_owned()),
        windows_virtual_key_code: Some(key.key_code),
        location: Some(key.location),
        is_keypad: Some(key.location == 3),
        ..DispatchKeyEvent::default()
    }
}
