//! The answer of the server that a document came from.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use automator_cdp::CdpError;
use automator_cdp::protocol::network::{self, GetResponseBody};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tokio::sync::watch;

use crate::page_state::MainDocument;
use crate::{BrowserError, Frame, Page};

/// How long the headers that came over the network may lag behind those that the page sees.
const EXTRA_LIMIT: Duration = Duration::from_secs(2);

/// What the server said before the body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResponseHead {
    request_id: String,
    url: String,
    status: u16,
    status_text: String,
    headers: BTreeMap<String, String>,
    /// With the names as they are written, and those that come several times one by one.
    raw: Vec<(String, String)>,
    has_extra_info: bool,
    mime_type: String,
    from_service_worker: bool,
    server: Option<ServerAddress>,
    security: Option<SecurityDetails>,
}

/// What comes besides the head, before or after it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arrival {
    /// How many redirects came before, of which there are headers in `extra`.
    pub(crate) redirects: usize,
    /// Headers as they came over the network, of each redirect and then of the response.
    pub(crate) extra: Vec<Vec<(String, String)>>,
    /// How the body ended: whole, or with the browser's name for what happened.
    pub(crate) end: Option<Result<(), String>>,
}

/// Which server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerAddress {
    /// Its IP address.
    pub ip_address: String,
    /// Its port.
    pub port: u16,
}

/// How a connection is secured.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SecurityDetails {
    /// The protocol, as `TLS 1.3`.
    pub protocol: String,
    /// Whom the certificate is for.
    pub subject_name: String,
    /// Who gave it.
    pub issuer: String,
    /// From when on it holds, in seconds since 1970.
    pub valid_from: f64,
    /// How long it holds, in seconds since 1970.
    pub valid_to: f64,
}

impl ResponseHead {
    pub(crate) fn new(received: network::ResponseReceivedEvent) -> Self {
        let response = received.response;
        let port = response.remote_port.and_then(|port| u16::try_from(port).ok());
        let server = response
            .remote_ip_address
            .filter(|address| !address.is_empty())
            .zip(port)
            .map(|(ip_address, port)| ServerAddress { ip_address, port });
        let security = response.security_details.map(|details| SecurityDetails {
            protocol: details.protocol,
            subject_name: details.subject_name,
            issuer: details.issuer,
            valid_from: details.valid_from,
            valid_to: details.valid_to,
        });
        Self {
            request_id: received.request_id,
            url: response.url,
            status: u16::try_from(response.status).unwrap_or_default(),
            status_text: response.status_text,
            headers: headers(&response.headers),
            raw: raw_headers(&response.headers),
            has_extra_info: received.has_extra_info,
            mime_type: response.mime_type,
            from_service_worker: response.from_service_worker.unwrap_or_default(),
            server,
            security,
        }
    }
}

fn members(raw: &Value) -> impl Iterator<Item = (&String, String)> {
    raw.as_object().into_iter().flatten().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name, text)
    })
}

fn headers(raw: &Value) -> BTreeMap<String, String> {
    members(raw)
        .map(|(name, text)| (name.to_ascii_lowercase(), text))
        .collect()
}

/// The headers one by one: the browser joins those of one name with line breaks.
pub(crate) fn raw_headers(raw: &Value) -> Vec<(String, String)> {
    members(raw)
        .flat_map(|(name, text)| {
            let values: Vec<_> = text
                .split('\n')
                .map(|value| (name.clone(), value.to_owned()))
                .collect();
            values
        })
        .collect()
}

/// The main document's response, as [`Page::goto`](crate::Page::goto) returns it.
#[derive(Debug, Clone)]
pub struct Response {
    head: Arc<ResponseHead>,
    arrival: Arc<watch::Sender<Arrival>>,
    page: Page,
}

impl Response {
    /// That of a document, if it came from somewhere.
    pub(crate) fn of(document: &MainDocument, page: &Page) -> Option<Self> {
        Some(Self {
            head: Arc::clone(document.response.as_ref()?),
            arrival: Arc::clone(&document.arrival),
            page: page.clone(),
        })
    }

    /// What the browser calls the request by, in the `Network` domain of the DevTools protocol.
    pub fn request_id(&self) -> &str {
        &self.head.request_id
    }

    /// The address it came from, after redirects.
    pub fn url(&self) -> &str {
        &self.head.url
    }

    /// The HTTP status; 200 for `file:` and `data:`.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The text behind the status.
    pub fn status_text(&self) -> &str {
        &self.head.status_text
    }

    /// Whether the status is between 200 and 299.
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.head.status)
    }

    /// The headers by lower-case name; several of one name are joined with line breaks. Cookies are left out; see
    /// [`all_headers`](Self::all_headers).
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.head.headers
    }

    /// All headers as they came over the network, with cookies, by lower-case name. Several of one name are joined
    /// with `, `, cookies with line breaks.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`], when that happens before they have come.
    pub async fn all_headers(&self) -> Result<BTreeMap<String, String>, BrowserError> {
        let mut joined: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in self.headers_array().await? {
            let name = name.to_ascii_lowercase();
            match joined.get_mut(&name) {
                Some(text) => {
                    text.push_str(separator(&name));
                    text.push_str(&value);
                }
                None => {
                    joined.insert(name, value);
                }
            }
        }
        Ok(joined)
    }

    /// The value of a header, its name in any case, joined as in [`all_headers`](Self::all_headers).
    ///
    /// # Errors
    /// As [`all_headers`](Self::all_headers).
    pub async fn header_value(&self, name: &str) -> Result<Option<String>, BrowserError> {
        let values = self.header_values(name).await?;
        let separator = separator(&name.to_ascii_lowercase());
        Ok((!values.is_empty()).then(|| values.join(separator)))
    }

    /// The values of all headers of a name, in any case.
    ///
    /// # Errors
    /// As [`all_headers`](Self::all_headers).
    pub async fn header_values(&self, name: &str) -> Result<Vec<String>, BrowserError> {
        let all = self.headers_array().await?.into_iter();
        Ok(all
            .filter(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .collect())
    }

    /// All headers as they came over the network, one by one, the names as the server wrote them.
    ///
    /// # Errors
    /// As [`all_headers`](Self::all_headers).
    pub async fn headers_array(&self) -> Result<Vec<(String, String)>, BrowserError> {
        if !self.head.has_extra_info {
            return Ok(self.head.raw.clone());
        }
        let mut arrivals = self.arrival.subscribe();
        let coming = async {
            let arrived = arrivals.wait_for(|arrival| arrival.extra.len() > arrival.redirects);
            let arrived = tokio::time::timeout(EXTRA_LIMIT, arrived).await;
            // What the page sees is the best there is when no more comes.
            let extra = arrived.ok().and_then(Result::ok);
            Ok(extra.and_then(|arrival| arrival.extra.get(arrival.redirects).cloned()))
        };
        let extra = self.page.or_end(coming).await?;
        Ok(extra.unwrap_or_else(|| self.head.raw.clone()))
    }

    /// The type of the body, as `text/html`.
    pub fn mime_type(&self) -> &str {
        &self.head.mime_type
    }

    /// Whether a service worker of the page answered.
    pub fn is_from_service_worker(&self) -> bool {
        self.head.from_service_worker
    }

    /// The frame whose document it is: the main one.
    pub fn frame(&self) -> Frame {
        self.page.main_frame()
    }

    /// How the connection was secured; none when it was not.
    pub fn security_details(&self) -> Option<&SecurityDetails> {
        self.head.security.as_ref()
    }

    /// Which server answered; none when it did not come over the network.
    pub fn server_address(&self) -> Option<&ServerAddress> {
        self.head.server.as_ref()
    }

    /// Waits until the body has come as a whole.
    ///
    /// # Errors
    /// [`BrowserError::ResponseBody`] when it does not; [`BrowserError::PageClosed`],
    /// [`BrowserError::PageCrashed`].
    pub async fn finished(&self) -> Result<(), BrowserError> {
        let mut arrivals = self.arrival.subscribe();
        let ending = async {
            let ended = arrivals.wait_for(|arrival| arrival.end.is_some()).await;
            // The sender lives in `self`, so the wait cannot fail.
            Ok(ended.ok().and_then(|arrival| arrival.end.clone()))
        };
        match self.page.or_end(ending).await? {
            Some(Err(problem)) => Err(self.without_body(problem)),
            _ => Ok(()),
        }
    }

    /// The body, once it has come as a whole; text is in UTF-8, whatever it was in. The browser keeps it as long as
    /// the page stays at this document.
    ///
    /// # Errors
    /// [`BrowserError::ResponseBody`] when the browser has it no more, or it did not come as a whole;
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn body(&self) -> Result<Vec<u8>, BrowserError> {
        self.finished().await?;
        let command = GetResponseBody {
            request_id: self.head.request_id.clone(),
        };
        let reply = match self.page.send(&command).await {
            Err(BrowserError::Protocol(CdpError::Protocol { message, .. })) => {
                return Err(self.without_body(message));
            }
            reply => reply?,
        };
        if !reply.base64_encoded {
            return Ok(reply.body.into_bytes());
        }
        // The browser says that it is base64; if it is not, the text itself is the best there is.
        Ok(BASE64_STANDARD
            .decode(&reply.body)
            .unwrap_or_else(|_| reply.body.into_bytes()))
    }

    /// The body as text. Bytes that are none become U+FFFD.
    ///
    /// # Errors
    /// As [`body`](Self::body).
    pub async fn text(&self) -> Result<String, BrowserError> {
        Ok(String::from_utf8_lossy(&self.body().await?).into_owned())
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// [`BrowserError::ResponseParse`]; else as [`body`](Self::body).
    pub async fn json(&self) -> Result<Value, BrowserError> {
        serde_json::from_slice(&self.body().await?).map_err(|source| BrowserError::ResponseParse {
            url: self.head.url.clone(),
            source,
        })
    }

    fn without_body(&self, problem: String) -> BrowserError {
        BrowserError::ResponseBody {
            url: self.head.url.clone(),
            problem,
        }
    }
}

/// What joins the values of several headers of one name. A cookie may hold commas.
fn separator(lower_name: &str) -> &'static str {
    if lower_name == "set-cookie" { "\n" } else { ", " }
}
