//! What is said to a proxy of a session, so that it connects to a target.

use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper::header::{HOST, PROXY_AUTHORIZATION};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Host;

use super::target::Target;
use super::traffic::CountedStream;
use super::tunnel::Stream;
use super::upstream::{Credentials, ProxyKind, Server};

/// Why a proxy of a session gives no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChainError {
    #[error("it answered {0}")]
    Status(StatusCode),
    #[error("{}", socks_reply(*.0))]
    SocksReply(u8),
    #[error("it wants a user name and a password")]
    CredentialsWanted,
    #[error("it did not accept the user name and the password")]
    CredentialsRefused,
    #[error("it does not speak its protocol")]
    Protocol,
    #[error("the connection to it failed: {}", .0.kind())]
    Connection(#[from] io::Error),
    #[error("the name is too long for it")]
    NameTooLong,
}

/// Asks a proxy, over a connection to it, to connect to the target. Names are handed on as names.
pub(super) async fn open(
    stream: CountedStream,
    server: &Server,
    target: &Target,
) -> Result<Box<dyn Stream>, ChainError> {
    let credentials = server.credentials.as_ref();
    match server.kind {
        ProxyKind::Http => open_http(stream, credentials, target).await,
        ProxyKind::Socks5 => open_socks(stream, credentials, target).await,
    }
}

async fn open_http(
    stream: CountedStream,
    credentials: Option<&Credentials>,
    target: &Target,
) -> Result<Box<dyn Stream>, ChainError> {
    let authority = target.to_string();
    let mut request = Request::connect(&authority).header(HOST, &authority);
    if let Some(credentials) = credentials {
        request = request.header(PROXY_AUTHORIZATION, basic(credentials));
    }
    let request = request
        .body(Empty::<Bytes>::new())
        .map_err(|_| ChainError::Protocol)?;
    let (mut sender, connection) = http1::Builder::new()
        .max_header_size(super::proxy::HEADER_LIMIT)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|_| ChainError::Protocol)?;
    let exchange = async move {
        let response = sender
            .send_request(request)
            .await
            .map_err(|_| ChainError::Protocol)?;
        match response.status() {
            StatusCode::PROXY_AUTHENTICATION_REQUIRED if credentials.is_some() => {
                Err(ChainError::CredentialsRefused)
            }
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => Err(ChainError::CredentialsWanted),
            status if status.is_success() => hyper::upgrade::on(response)
                .await
                .map_err(|_| ChainError::Protocol),
            status => Err(ChainError::Status(status)),
        }
    };
    let connection = connection.with_upgrades();
    tokio::pin!(exchange, connection);
    let upgraded = tokio::select! {
        exchanged = &mut exchange => exchanged,
        // It ends when it has been handed over, and when it is broken; the exchange knows which.
        _ = &mut connection => exchange.await,
    }?;
    Ok(Box::new(TokioIo::new(upgraded)))
}

fn basic(credentials: &Credentials) -> String {
    let Credentials { username, password } = credentials;
    format!(
        "Basic {}",
        BASE64_STANDARD.encode(format!("{username}:{password}"))
    )
}

/// SOCKS 5 (RFC 1928), with a user name and a password (RFC 1929).
async fn open_socks(
    mut stream: CountedStream,
    credentials: Option<&Credentials>,
    target: &Target,
) -> Result<Box<dyn Stream>, ChainError> {
    const VERSION: u8 = 5;
    const NO_LOGIN: u8 = 0;
    const LOGIN: u8 = 2;
    let method = if credentials.is_some() { LOGIN } else { NO_LOGIN };
    stream.write_all(&[VERSION, 1, method]).await?;
    match (read_array(&mut stream).await?, credentials) {
        ([VERSION, NO_LOGIN], None) => {}
        ([VERSION, LOGIN], Some(credentials)) => {
            stream.write_all(&socks_login(credentials)?).await?;
            let [_, status] = read_array(&mut stream).await?;
            if status != 0 {
                return Err(ChainError::CredentialsRefused);
            }
        }
        ([VERSION, 0xff], None) => return Err(ChainError::CredentialsWanted),
        ([VERSION, 0xff], Some(_)) => return Err(ChainError::CredentialsRefused),
        _ => return Err(ChainError::Protocol),
    }
    stream.write_all(&socks_connect(target)?).await?;
    let [version, reply, _, address_kind] = read_array(&mut stream).await?;
    if version != VERSION {
        return Err(ChainError::Protocol);
    }
    if reply != 0 {
        return Err(ChainError::SocksReply(reply));
    }
    // The address that the proxy dials from, and its port, are of no use.
    let length = match address_kind {
        1 => 4,
        3 => usize::from(stream.read_u8().await?),
        4 => 16,
        _ => return Err(ChainError::Protocol),
    };
    let mut address = [0; 255 + 2];
    stream.read_exact(&mut address[..length + 2]).await?;
    Ok(Box::new(stream))
}

async fn read_array<const LENGTH: usize>(stream: &mut CountedStream) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

fn socks_login(credentials: &Credentials) -> Result<Vec<u8>, ChainError> {
    let mut bytes = vec![1];
    for part in [&credentials.username, &credentials.password] {
        // Checked when they were read.
        bytes.push(u8::try_from(part.len()).map_err(|_| ChainError::Protocol)?);
        bytes.extend_from_slice(part.as_bytes());
    }
    Ok(bytes)
}

fn socks_connect(target: &Target) -> Result<Vec<u8>, ChainError> {
    let mut bytes = vec![5, 1, 0];
    match &target.host {
        Host::Ipv4(address) => {
            bytes.push(1);
            bytes.extend_from_slice(&address.octets());
        }
        Host::Domain(name) => {
            bytes.push(3);
            bytes.push(u8::try_from(name.len()).map_err(|_| ChainError::NameTooLong)?);
            bytes.extend_from_slice(name.as_bytes());
        }
        Host::Ipv6(address) => {
            bytes.push(4);
            bytes.extend_from_slice(&address.octets());
        }
    }
    bytes.extend_from_slice(&target.port.to_be_bytes());
    Ok(bytes)
}

fn socks_reply(code: u8) -> &'static str {
    match code {
        1 => "it failed",
        2 => "it does not allow that",
        3 => "the network cannot be reached from it",
        4 => "the host cannot be reached from it",
        5 => "the connection was refused",
        6 => "the time was over",
        7 | 8 => "it cannot do that",
        _ => "it gave an unknown answer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(text: &str) -> Vec<u8> {
        socks_connect(&Target::parse(text, None).unwrap()).unwrap()
    }

    #[test]
    fn socks_requests_have_names_as_names() {
        assert_eq!(connect("127.0.0.1:80"), [5, 1, 0, 1, 127, 0, 0, 1, 0, 80]);
        assert_eq!(connect("a.test:443"), *b"\x05\x01\x00\x03\x06a.test\x01\xbb");
        let v6 = connect("[::1]:80");
        assert_eq!((v6[3], v6.len()), (4, 4 + 16 + 2));
    }

    #[test]
    fn credentials_are_sent_in_the_form_of_the_protocol() {
        let credentials = Credentials {
            username: "me".to_owned(),
            password: "pass".to_owned(),
        };
        assert_eq!(basic(&credentials), "Basic bWU6cGFzcw==");
        assert_eq!(socks_login(&credentials).unwrap(), b"\x01\x02me\x04pass");
    }
}
