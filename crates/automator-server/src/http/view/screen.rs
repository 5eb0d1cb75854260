//! A viewer's own connection to a browser: its tabs, and pictures of the one that is looked at.
//!
//! The browser is asked for pictures only while somebody looks, and each is acknowledged only when it has been shown. The
//! browser sends no more than two before that, so who is slow gets fewer of them and none pile up here.

use std::collections::VecDeque;
use std::time::Duration;

use automator_cdp::protocol::target::{
    AttachToTarget, GetTargets, SetDiscoverTargets, TargetCreatedEvent, TargetInfo, TargetInfoChangedEvent,
};
use automator_cdp::{
    Call, CdpError, Connection, Event, Events, Filter, RawCall, Session, WebSocketOptions, WebSocketTransport,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::message::{ToPage, picture};
use super::tabs::Tabs;

/// How long the browser may take to answer a command of which it does not have to ask the page.
const ANSWERING: Duration = Duration::from_secs(10);

/// The largest picture, and how good it is, in percent.
const LARGEST: (u32, u32) = (1600, 1200);
const QUALITY: u32 = 70;

const FRAME: &str = "Page.screencastFrame";
const CREATED: &str = "Target.targetCreated";
const CHANGED: &str = "Target.targetInfoChanged";
const DESTROYED: &str = "Target.targetDestroyed";
const DETACHED: &str = "Target.detachedFromTarget";

/// What is seen of a browser.
#[derive(Debug)]
pub(super) struct Screen {
    connection: Connection,
    events: Events,
    tabs: Tabs,
    /// The tab that pictures come from.
    cast: Option<Cast>,
}

#[derive(Debug)]
struct Cast {
    tab: String,
    session: Session,
    /// The numbers of the pictures that have not been shown yet, as the browser counts them.
    unshown: VecDeque<i64>,
    /// Whether there was a picture since the last change of the address.
    has_picture: bool,
}

/// Why a browser cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScreenError {
    #[error(transparent)]
    Cdp(#[from] CdpError),
    #[error("the browser does not answer")]
    Silent,
}

/// What has happened.
#[derive(Debug)]
pub(super) enum Seen {
    /// A picture, as it is sent.
    Picture(Vec<u8>),
    /// The tabs are others, or have other titles.
    Tabs,
    Nothing,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    data: String,
    metadata: FrameMetadata,
    session_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameMetadata {
    device_width: f64,
    device_height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Gone {
    #[serde(default)]
    target_id: String,
    #[serde(default)]
    session_id: String,
}

impl Screen {
    /// Connects to a browser whose targets came in this order; this tab is looked at first, if there is one of that id.
    pub(super) async fn connect(
        address: &str,
        targets: &[String],
        tab: Option<String>,
    ) -> Result<Self, ScreenError> {
        let options = WebSocketOptions {
            connect_timeout: Some(ANSWERING),
            ..WebSocketOptions::default()
        };
        let connection = Connection::new(WebSocketTransport::connect(address, &options).await?);
        let wanted = Filter::all().methods([FRAME, CREATED, CHANGED, DESTROYED, DETACHED]);
        let mut screen = Self {
            events: connection.subscribe(wanted),
            connection,
            tabs: Tabs::looking_at(tab),
            cast: None,
        };
        // Its answer comes after the events that tell of the tabs that are there already.
        let root = screen.connection.root();
        answered(root.send(&SetDiscoverTargets {
            discover: true,
            ..SetDiscoverTargets::default()
        }))
        .await?;
        while let Some(event) = screen.events.try_next() {
            screen.take(&event);
        }
        screen.tabs.sort(targets);
        screen.follow().await;
        Ok(screen)
    }

    /// The next thing that happens; none when the browser has gone. Safe to cancel.
    pub(super) async fn next(&mut self) -> Option<Event> {
        self.events.next().await
    }

    /// The next thing, if it has happened already.
    pub(super) fn next_if_here(&mut self) -> Option<Event> {
        self.events.try_next()
    }

    /// Takes what has happened in. Whoever gets [`Seen::Tabs`] is to [follow](Self::follow).
    pub(super) fn take(&mut self, event: &Event) -> Seen {
        let has_changed = match event.method() {
            FRAME => return self.take_frame(event).map_or(Seen::Nothing, Seen::Picture),
            CREATED => event
                .parse::<TargetCreatedEvent>()
                .is_ok_and(|created| self.tabs.put(created.target_info)),
            CHANGED => event
                .parse::<TargetInfoChangedEvent>()
                .is_ok_and(|changed| self.change(changed.target_info)),
            DESTROYED => event
                .parse::<Gone>()
                .is_ok_and(|gone| self.tabs.remove(&gone.target_id)),
            DETACHED => event
                .parse::<Gone>()
                .is_ok_and(|gone| self.lose(&gone.session_id)),
            _ => false,
        };
        if has_changed { Seen::Tabs } else { Seen::Nothing }
    }

    /// Asks for the titles of the tabs. Gives whether one is another than before.
    pub(super) async fn refresh(&mut self) -> bool {
        self.urge();
        let root = self.connection.root();
        // A browser that does not answer is told by its end.
        let Ok(reply) = answered(root.send(&GetTargets::default())).await else {
            return false;
        };
        let mut has_changed = false;
        // Only those that are known: one that has just gone may still be in the answer.
        for target in reply.target_infos {
            has_changed |= self.tabs.has(&target.target_id) && self.tabs.put(target);
        }
        has_changed
    }

    /// Begins again with the pictures when there was none. The browser may lose the first one when the page comes into
    /// another process just then, and a page that does not change has no second one.
    fn urge(&self) {
        let Some(cast) = self.cast.as_ref().filter(|cast| !cast.has_picture) else {
            return;
        };
        drop(cast.session.send_raw("Page.stopScreencast", json!({})));
        start_cast(&cast.session);
    }

    fn take_frame(&mut self, event: &Event) -> Option<Vec<u8>> {
        let cast = self.cast.as_mut()?;
        if cast.session.id() != event.session_id() {
            return None;
        }
        let frame: Frame = event.parse().ok()?;
        cast.unshown.push_back(frame.session_id);
        cast.has_picture = true;
        let jpeg = STANDARD.decode(frame.data).ok()?;
        let FrameMetadata {
            device_width,
            device_height,
        } = frame.metadata;
        Some(picture(pixels(device_width), pixels(device_height), &jpeg))
    }

    fn change(&mut self, target: TargetInfo) -> bool {
        let cast = self.cast.as_mut().filter(|cast| cast.tab == target.target_id);
        if let Some(cast) = cast
            && self.tabs.has_other_url(&target)
        {
            cast.has_picture = false;
        }
        self.tabs.put(target)
    }

    /// Forgets the tab that pictures came from, when it let go of us; a crashed page does.
    fn lose(&mut self, session: &str) -> bool {
        let is_lost = |cast: &mut Cast| cast.session.id() == Some(session);
        self.cast.take_if(is_lost).is_some()
    }

    /// The oldest picture has been shown: another may come.
    pub(super) fn shown(&mut self) {
        let Some(cast) = &mut self.cast else { return };
        if let Some(number) = cast.unshown.pop_front() {
            let parameters = json!({ "sessionId": number });
            drop(cast.session.send_raw("Page.screencastFrameAck", parameters));
        }
    }

    /// Takes pictures of the tab that is to be looked at from now on.
    pub(super) async fn follow(&mut self) {
        let wanted = self.tabs.looked_at().map(str::to_owned);
        if self.cast.as_ref().map(|cast| &cast.tab) == wanted.as_ref() {
            return;
        }
        if let Some(cast) = self.cast.take() {
            let parameters = json!({ "sessionId": cast.session.id() });
            let root = self.connection.root();
            drop(root.send_raw("Target.detachFromTarget", parameters));
        }
        let Some(tab) = wanted else { return };
        match self.attach(&tab).await {
            Ok(cast) => self.cast = Some(cast),
            // It has most likely gone meanwhile, and that is told next.
            Err(error) => tracing::debug!(tab, %error, "a tab cannot be looked at"),
        }
    }

    async fn attach(&self, tab: &str) -> Result<Cast, ScreenError> {
        let root = self.connection.root();
        let attached = answered(root.send(&AttachToTarget {
            target_id: tab.to_owned(),
            flatten: Some(true),
        }))
        .await?;
        let session = self.connection.session(&attached.session_id);
        // Otherwise a tab behind another one is not drawn.
        drop(session.send_raw("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })));
        start_cast(&session);
        Ok(Cast {
            tab: tab.to_owned(),
            session,
            unshown: VecDeque::new(),
            has_picture: false,
        })
    }

    /// Chooses the tab to be looked at. Whoever calls this is to [follow](Self::follow).
    pub(super) fn choose(&mut self, tab: &str) -> bool {
        self.tabs.choose(tab)
    }

    /// Whether a tab may be closed, or why not.
    pub(super) fn may_close(&self, tab: &str) -> Result<(), String> {
        if !self.tabs.has(tab) {
            return Err("this tab is not there any more".to_owned());
        }
        // With its last tab a browser may end, and the session with it.
        if self.tabs.all().len() == 1 {
            return Err("the last tab stays; release the session to end it".to_owned());
        }
        Ok(())
    }

    /// The tabs, as they are told.
    pub(super) fn tabs(&self) -> ToPage {
        ToPage::Tabs {
            tabs: self.tabs.all().to_vec(),
            looking: self.tabs.looked_at().map(str::to_owned),
        }
    }

    /// Sends a command to the browser itself.
    pub(super) fn ask_browser(&self, method: &str, parameters: &Value) -> RawCall {
        self.connection.root().send_raw(method, parameters)
    }

    /// The page that is looked at.
    pub(super) fn page(&self) -> Option<Session> {
        self.cast.as_ref().map(|cast| cast.session.clone())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.connection.close();
    }
}

/// Has pictures taken of a page, the first one at once.
fn start_cast(page: &Session) {
    let (width, height) = LARGEST;
    drop(page.send_raw(
        "Page.startScreencast",
        json!({ "format": "jpeg", "quality": QUALITY, "maxWidth": width, "maxHeight": height }),
    ));
}

/// The answer of the browser, or why there is none.
async fn answered<T: DeserializeOwned + Send + 'static>(call: Call<T>) -> Result<T, ScreenError> {
    match tokio::time::timeout(ANSWERING, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(ScreenError::Silent),
    }
}

/// A side of a page in whole CSS pixels.
fn pixels(side: f64) -> u16 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is within the bounds of the type"
    )]
    let pixels = side.round().clamp(0.0, f64::from(u16::MAX)) as u16;
    pixels
}
