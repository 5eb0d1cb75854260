use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest request head that is read: 1 MiB.
const HEAD_LIMIT: usize = 1 << 20;
/// The longest request body that is read: 256 MiB.
const BODY_LIMIT: usize = 256 << 20;

/// One request as it reached a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hit {
    /// The method in upper case, as sent.
    pub method: String,
    /// The path without the query, still percent-encoded. For a `CONNECT` it is `host:port`, for a
    /// request to a proxy the absolute address.
    pub path: String,
    /// The query without its `?`, still percent-encoded; empty when there is none.
    pub query: String,
    /// Names and values in the order sent.
    pub headers: Vec<(String, String)>,
    /// The body, with a chunked transfer coding removed.
    pub body: Vec<u8>,
}

impl Hit {
    /// The first value of a header; the name is compared without regard to case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as text; bytes that are not UTF-8 become replacement characters.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of a cookie that the browser sent.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .filter(|(key, _)| key.eq_ignore_ascii_case("cookie"))
            .flat_map(|(_, value)| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The pairs of the query, decoded.
    pub fn query_pairs(&self) -> Vec<(String, String)> {
        decode_pairs(&self.query)
    }

    /// The first value of a query parameter, decoded.
    pub fn query_value(&self, name: &str) -> Option<String> {
        self.query_pairs()
            .into_iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// The pairs of a body sent as `application/x-www-form-urlencoded`, decoded.
    pub fn form(&self) -> Vec<(String, String)> {
        decode_pairs(&self.text())
    }

    /// The first value of a form field, decoded.
    pub fn form_value(&self, name: &str) -> Option<String> {
        self.form()
            .into_iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// Whether the sender wants the connection closed after the answer.
    pub(crate) fn wants_close(&self) -> bool {
        self.header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Reads one request; `None` when the other side has closed the connection between requests.
pub(crate) async fn read_hit<S>(stream: &mut S) -> io::Result<Option<Hit>>
where
    S: AsyncBufRead + AsyncWrite + Unpin,
{
    let Some(mut hit) = read_head(stream).await? else {
        return Ok(None);
    };
    if hit
        .header("expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        stream.flush().await?;
    }
    let chunked = hit
        .header("transfer-encoding")
        .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
    hit.body = if chunked {
        read_chunks(stream).await?
    } else if let Some(length) = hit.header("content-length") {
        let length = length
            .trim()
            .parse::<usize>()
            .map_err(|_| malformed("content-length is no number"))?;
        read_exactly(stream, length, BODY_LIMIT).await?
    } else {
        Vec::new()
    };
    Ok(Some(hit))
}

/// Reads the request line and the headers.
pub(crate) async fn read_head<S: AsyncBufRead + Unpin>(stream: &mut S) -> io::Result<Option<Hit>> {
    let mut left = HEAD_LIMIT;
    let mut request_line = String::new();
    // Empty lines before a request line are allowed, and some clients send one after a body.
    while request_line.is_empty() {
        match read_line(stream, &mut left).await? {
            Some(line) => request_line = line,
            None => return Ok(None),
        }
    }
    let mut words = request_line.split_ascii_whitespace();
    let (Some(method), Some(address), Some(_version)) = (words.next(), words.next(), words.next()) else {
        return Err(malformed("the request line has fewer than three words"));
    };
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut hit = Hit {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let line = read_line(stream, &mut left)
            .await?
            .ok_or_else(|| malformed("the head ends without an empty line"))?;
        if line.is_empty() {
            return Ok(Some(hit));
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| malformed("a header line without a colon"))?;
        hit.headers
            .push((name.trim().to_owned(), value.trim().to_owned()));
    }
}

/// One line without its line break; `None` at the end of the stream.
async fn read_line<S: AsyncBufRead + Unpin>(stream: &mut S, left: &mut usize) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let mut limited = (&mut *stream).take(*left as u64);
    let read = limited.read_until(b'\n', &mut bytes).await?;
    if read == 0 && *left > 0 {
        return Ok(None);
    }
    *left -= read;
    if bytes.pop() != Some(b'\n') {
        return Err(malformed("the head is cut off or too long"));
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

async fn read_chunks<S: AsyncBufRead + Unpin>(stream: &mut S) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut left = HEAD_LIMIT;
    loop {
        let line = read_line(stream, &mut left)
            .await?
            .ok_or_else(|| malformed("a chunk is missing"))?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| malformed("a chunk size is no number"))?;
        if size == 0 {
            // Trailers are read and dropped.
            while read_line(stream, &mut left)
                .await?
                .is_some_and(|line| !line.is_empty())
            {}
            return Ok(body);
        }
        let room = BODY_LIMIT.saturating_sub(body.len());
        body.extend(read_exactly(stream, size, room).await?);
        read_line(stream, &mut left).await?;
    }
}

async fn read_exactly<S: AsyncRead + Unpin>(
    stream: &mut S,
    length: usize,
    limit: usize,
) -> io::Result<Vec<u8>> {
    if length > limit {
        return Err(malformed("the body is too long"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

fn malformed(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn decode_pairs(text: &str) -> Vec<(String, String)> {
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), decode(value))
        })
        .collect()
}

/// Undoes `+` for a blank and percent-encoding; a `%` without two hexadecimal digits stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use tokio::io::BufStream;

    use super::*;

    async fn read(text: &str) -> io::Result<Option<Hit>> {
        let (mut client, server) = tokio::io::duplex(1 << 16);
        client.write_all(text.as_bytes()).await.unwrap();
        drop(client);
        read_hit(&mut BufStream::new(server)).await
    }

    #[tokio::test]
    async fn a_request_is_split_into_its_parts() {
        let hit = read("POST /a%20b?x=1&y=%C3%A9+z HTTP/1.1\r\nHost: h\r\nCookie: a=1; b=2\r\nContent-Length: 7\r\n\r\nn=%2Fv&")
            .await
            .unwrap()
            .unwrap();
        assert_eq!((hit.method.as_str(), hit.path.as_str()), ("POST", "/a%20b"));
        assert_eq!(hit.query_value("y").as_deref(), Some("é z"));
        assert_eq!(hit.header("HOST"), Some("h"));
        assert_eq!(hit.cookie("b"), Some("2"));
        assert_eq!(hit.form_value("n").as_deref(), Some("/v"));
    }

    #[tokio::test]
    async fn chunks_are_joined() {
        let hit =
            read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
                .await
                .unwrap()
                .unwrap();
        assert_eq!(hit.text(), "abcde");
    }

    #[tokio::test]
    async fn a_closed_connection_is_no_request() {
        assert_eq!(read("").await.unwrap(), None);
    }

    #[tokio::test]
    async fn broken_requests_are_errors() {
        for text in [
            "GET\r\n\r\n",
            "GET / HTTP/1.1\r\nx\r\n\r\n",
            "GET / HTTP/1.1\r\nx: y",
            "P / H\r\nContent-Length: -1\r\n\r\n",
        ] {
            assert!(read(text).await.is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_lone_percent_sign_stays() {
        assert_eq!(decode("100%+%zz%41%4"), "100% %zzA%4");
    }
}
