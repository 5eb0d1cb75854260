use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// What a server answers to one request.
///
/// Made by one of the constructors and changed with the setters, or written out field by field:
///
/// ```
/// use std::time::Duration;
/// use automator_testing::Route;
///
/// let slow = Route::html("<h1>At last</h1>").delay(Duration::from_millis(200));
/// let teapot = Route { status: 418, ..Route::default() };
/// assert_eq!(slow.status, 200);
/// assert_eq!(teapot.status, 418);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The status code; 200 by default.
    pub status: u16,
    /// Headers beside `content-length`, `transfer-encoding` and `connection`, which the server writes.
    pub headers: Vec<(String, String)>,
    /// The body; empty by default.
    pub body: Body,
    /// The wait before the first byte of the answer; none by default.
    pub delay: Duration,
    /// The wait inside the body: between two halves of a whole one, between all pieces of a cut one.
    /// None by default.
    pub body_delay: Duration,
    /// How the answer ends; completely by default.
    pub ending: Ending,
}

/// The bytes of an answer and how they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Sent with a `content-length`.
    Whole(Vec<u8>),
    /// Sent with a chunked transfer coding, one write for each piece.
    Pieces(Vec<Vec<u8>>),
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// All of it is sent.
    #[default]
    Complete,
    /// Nothing is sent; the connection stays open until the other side gives up.
    Never,
    /// The head and half of the body are sent, then nothing more; the connection stays open.
    Stalled,
    /// The connection is reset (TCP RST) in place of an answer.
    Reset,
    /// The head and half of the body are sent, then the connection is closed.
    CutOff,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: Body::Whole(Vec::new()),
            delay: Duration::ZERO,
            body_delay: Duration::ZERO,
            ending: Ending::Complete,
        }
    }
}

impl Route {
    /// A page. The text is sent as it is.
    pub fn html(body: impl Into<Body>) -> Self {
        Self::typed("text/html; charset=utf-8", body)
    }

    /// Plain text.
    pub fn text(body: impl Into<Body>) -> Self {
        Self::typed("text/plain; charset=utf-8", body)
    }

    /// A JSON value.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::typed("application/json", value.to_string())
    }

    /// A body with a media type.
    pub fn typed(content_type: &str, body: impl Into<Body>) -> Self {
        Self {
            body: body.into(),
            ..Self::default()
        }
        .header("content-type", content_type)
    }

    /// A status without a body, for example 204 or 500.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// A redirect (302) to a path or an address.
    pub fn redirect(to: &str) -> Self {
        Self::status(302).header("location", to)
    }

    /// A file that the browser saves instead of showing.
    pub fn download(file_name: &str, body: impl Into<Body>) -> Self {
        let disposition = format!("attachment; filename=\"{file_name}\"");
        Self::typed("application/octet-stream", body).header("content-disposition", &disposition)
    }

    /// Accepts the request and never answers.
    pub fn never() -> Self {
        Self {
            ending: Ending::Never,
            ..Self::default()
        }
    }

    /// Resets the connection instead of answering.
    pub fn reset() -> Self {
        Self {
            ending: Ending::Reset,
            ..Self::default()
        }
    }

    /// Adds a header; one of the same name stays.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a cookie; `cookie` is the header's value, for example `seen=1; Path=/`.
    #[must_use]
    pub fn set_cookie(self, cookie: &str) -> Self {
        self.header("set-cookie", cookie)
    }

    /// Waits before the first byte.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits in the middle of the body.
    #[must_use]
    pub fn body_delay(mut self, delay: Duration) -> Self {
        self.body_delay = delay;
        self
    }

    /// Changes how the answer ends.
    #[must_use]
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Whole(bytes)
    }
}

impl From<&[u8]> for Body {
    fn from(bytes: &[u8]) -> Self {
        Self::Whole(bytes.to_vec())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Whole(text.into_bytes())
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self::Whole(text.as_bytes().to_vec())
    }
}

/// Writes the head and as much of the body as the ending allows.
///
/// `send_body` is false for the answer to a `HEAD`.
pub(crate) async fn write_route<S>(
    stream: &mut S,
    route: &Route,
    keep_alive: bool,
    send_body: bool,
) -> io::Result<()>
where
    S: AsyncWrite + Unpin,
{
    stream.write_all(head(route, keep_alive).as_bytes()).await?;
    stream.flush().await?;
    if send_body {
        write_body(stream, route).await?;
    }
    stream.flush().await
}

fn head(route: &Route, keep_alive: bool) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", route.status, reason(route.status));
    for (name, value) in &route.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // 1xx, 204 and 304 have no body and must not announce one.
    if route.status >= 200 && route.status != 204 && route.status != 304 {
        match &route.body {
            Body::Whole(bytes) => head.push_str(&format!("content-length: {}\r\n", bytes.len())),
            Body::Pieces(_) => head.push_str("transfer-encoding: chunked\r\n"),
        }
    }
    head.push_str(if keep_alive {
        "connection: keep-alive\r\n\r\n"
    } else {
        "connection: close\r\n\r\n"
    });
    head
}

async fn write_body<S: AsyncWrite + Unpin>(stream: &mut S, route: &Route) -> io::Result<()> {
    let complete = route.ending == Ending::Complete;
    match &route.body {
        Body::Whole(bytes) => {
            if complete && route.body_delay.is_zero() {
                return stream.write_all(bytes).await;
            }
            let (first, second) = bytes.split_at(bytes.len() / 2);
            stream.write_all(first).await?;
            stream.flush().await?;
            if complete {
                tokio::time::sleep(route.body_delay).await;
                stream.write_all(second).await?;
            }
        }
        Body::Pieces(pieces) => {
            let sent = if complete { pieces.len() } else { pieces.len() / 2 };
            for (index, piece) in pieces.iter().take(sent).enumerate() {
                if index > 0 && !route.body_delay.is_zero() {
                    tokio::time::sleep(route.body_delay).await;
                }
                // An empty chunk would end the body.
                if !piece.is_empty() {
                    stream
                        .write_all(format!("{:x}\r\n", piece.len()).as_bytes())
                        .await?;
                    stream.write_all(piece).await?;
                    stream.write_all(b"\r\n").await?;
                    stream.flush().await?;
                }
            }
            if complete {
                stream.write_all(b"0\r\n\r\n").await?;
            }
        }
    }
    Ok(())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        407 => "Proxy Authentication Required",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn written(route: &Route) -> String {
        let mut bytes = Vec::new();
        write_route(&mut bytes, route, true, true).await.unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[tokio::test]
    async fn a_whole_body_has_its_length() {
        assert_eq!(
            written(&Route::text("abcd")).await,
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\nabcd"
        );
    }

    #[tokio::test]
    async fn pieces_are_sent_as_chunks() {
        let body = Body::Pieces(vec![b"ab".to_vec(), Vec::new(), b"c".to_vec()]);
        let text = written(&Route::text(body)).await;
        assert!(text.contains("transfer-encoding: chunked\r\n"), "{text}");
        assert!(text.ends_with("\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"), "{text}");
    }

    #[tokio::test]
    async fn a_cut_off_body_announces_more_than_it_sends() {
        let text = written(&Route::text("abcd").ending(Ending::CutOff)).await;
        assert!(
            text.contains("content-length: 4") && text.ends_with("\r\n\r\nab"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn no_content_announces_no_body() {
        assert_eq!(
            written(&Route::status(204)).await,
            "HTTP/1.1 204 No Content\r\nconnection: keep-alive\r\n\r\n"
        );
    }
}
