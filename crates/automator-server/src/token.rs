//! Signed addresses: what lets a program that has no API key reach one session, for one purpose, for a while.
//!
//! A token is `v1.<key version>.<purpose>.<expiry>.<mac>`. The MAC is an HMAC-SHA-256 over all of that and the session's
//! id, under the secret of that version; the expiry is in seconds since 1970. So a token is worth nothing for another
//! session, another purpose, or a later time, and all of them end when a version of the secret is taken away.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;

/// The form of the tokens that are made.
const FORM: &str = "v1";

/// What an address is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// To speak to the browser over the DevTools protocol.
    Cdp,
    /// To look on.
    View,
    /// To look on, and to use the mouse and the keyboard.
    Control,
    /// To hand files over, and to fetch them.
    Files,
}

impl Purpose {
    /// As it is written in tokens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cdp => "cdp",
            Self::View => "view",
            Self::Control => "control",
            Self::Files => "files",
        }
    }

    /// Whether who may do this may do the other, too: to control is also to look on.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self == other || (self == Self::Control && other == Self::View)
    }
}

impl FromStr for Purpose {
    type Err = TokenError;

    fn from_str(name: &str) -> Result<Self, TokenError> {
        [Self::Cdp, Self::View, Self::Control, Self::Files]
            .into_iter()
            .find(|purpose| purpose.name() == name)
            .ok_or(TokenError::Malformed)
    }
}

/// Why a token does not open what it was shown for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is no token.
    #[error("the token is not readable")]
    Malformed,
    /// It was not made here, or not for this session, or its secret has been taken away.
    #[error("the token is not valid for this session")]
    Forged,
    /// It was made for something else.
    #[error("the token is for another purpose")]
    OtherPurpose,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
}

impl TokenError {
    /// As it is written in the audit log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Forged => "forged",
            Self::OtherPurpose => "other_purpose",
            Self::Expired => "expired",
        }
    }
}

/// Makes tokens, and checks them.
pub struct Signer {
    /// By their versions; the last one signs.
    secrets: BTreeMap<u32, hmac::Key>,
}

impl Signer {
    /// A signer with one secret.
    #[must_use]
    pub fn new(version: u32, secret: &[u8]) -> Self {
        Self {
            secrets: BTreeMap::new(),
        }
        .with(version, secret)
    }

    /// The same with another secret. That of the highest version signs; the others are good for tokens that are out.
    #[must_use]
    pub fn with(mut self, version: u32, secret: &[u8]) -> Self {
        self.secrets
            .insert(version, hmac::Key::new(hmac::HMAC_SHA256, secret));
        self
    }

    /// A token for a session and a purpose, until a time in seconds since 1970.
    #[must_use]
    pub fn sign(&self, session: &str, purpose: Purpose, expiry: i64) -> String {
        let Some((version, key)) = self.secrets.last_key_value() else {
            return String::new();
        };
        let head = format!("{FORM}.{version}.{}.{expiry}", purpose.name());
        let mac = hmac::sign(key, &signed(&head, session));
        format!("{head}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// Whether a token lets its bearer do something with a session, at a time in seconds since 1970. Gives what it was
    /// made for.
    ///
    /// # Errors
    /// [`TokenError`]. What was not signed here is told as [`Forged`](TokenError::Forged), whatever else it says.
    pub fn check(
        &self,
        token: &str,
        session: &str,
        purpose: Purpose,
        now: i64,
    ) -> Result<Purpose, TokenError> {
        let (head, mac) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let mac = URL_SAFE_NO_PAD.decode(mac).map_err(|_| TokenError::Malformed)?;
        let parts: Vec<&str> = head.split('.').collect();
        let [form, version, made_for, expiry] = parts.as_slice() else {
            return Err(TokenError::Malformed);
        };
        if *form != FORM {
            return Err(TokenError::Malformed);
        }
        let version: u32 = version.parse().map_err(|_| TokenError::Malformed)?;
        let expiry: i64 = expiry.parse().map_err(|_| TokenError::Malformed)?;
        let key = self.secrets.get(&version).ok_or(TokenError::Forged)?;
        hmac::verify(key, &signed(head, session), &mac).map_err(|_| TokenError::Forged)?;
        let made_for: Purpose = made_for.parse()?;
        if !made_for.covers(purpose) {
            return Err(TokenError::OtherPurpose);
        }
        if now >= expiry {
            return Err(TokenError::Expired);
        }
        Ok(made_for)
    }
}

/// Until when a token that was [checked](Signer::check) is good, in seconds since 1970.
pub(crate) fn expiry_of(token: &str) -> Option<i64> {
    token.split('.').nth(3)?.parse().ok()
}

impl fmt::Debug for Signer {
    /// The versions alone.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Signer")
            .field("versions", &self.secrets.keys())
            .finish()
    }
}

/// The bytes that are signed. Heads hold no line break, so none of them reads as another with another session.
fn signed(head: &str, session: &str) -> Vec<u8> {
    format!("{head}\n{session}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "5e1f6b0e-8f0e-4c5a-9d6e-0d9f3a2b1c4d";

    fn signer() -> Signer {
        Signer::new(1, b"a secret of thirty-two bytes.....")
    }

    #[test]
    fn a_token_opens_what_it_was_made_for_until_its_time_is_over() {
        let token = signer().sign(SESSION, Purpose::Cdp, 100);
        assert!(token.starts_with("v1.1.cdp.100."));
        assert_eq!(expiry_of(&token), Some(100));
        assert_eq!(
            signer().check(&token, SESSION, Purpose::Cdp, 99),
            Ok(Purpose::Cdp)
        );
        assert_eq!(
            signer().check(&token, SESSION, Purpose::Cdp, 100),
            Err(TokenError::Expired)
        );
    }

    #[test]
    fn it_opens_nothing_else() {
        let token = signer().sign(SESSION, Purpose::View, 100);
        for purpose in [Purpose::Cdp, Purpose::Control, Purpose::Files] {
            assert_eq!(
                signer().check(&token, SESSION, purpose, 0),
                Err(TokenError::OtherPurpose)
            );
        }
        assert_eq!(
            signer().check(&token, "another", Purpose::View, 0),
            Err(TokenError::Forged)
        );
        let stranger = Signer::new(1, b"another secret");
        assert_eq!(
            stranger.check(&token, SESSION, Purpose::View, 0),
            Err(TokenError::Forged)
        );
    }

    #[test]
    fn to_control_is_to_look_on() {
        let token = signer().sign(SESSION, Purpose::Control, 100);
        assert_eq!(
            signer().check(&token, SESSION, Purpose::View, 0),
            Ok(Purpose::Control)
        );
    }

    #[test]
    fn no_part_of_it_can_be_changed() {
        let token = signer().sign(SESSION, Purpose::View, 100);
        let later = token.replacen(".100.", ".900.", 1);
        let more = token.replacen("view", "control", 1);
        let version = token.replacen("v1.1.", "v1.2.", 1);
        for forged in [later, more, version] {
            let answer = signer().check(&forged, SESSION, Purpose::View, 0);
            assert_eq!(answer, Err(TokenError::Forged), "{forged}");
        }
        for malformed in [
            "",
            "v1",
            "v1.1.view.100",
            "v2.1.view.100.AAAA",
            "v1.x.view.100.AAAA",
            "a.b.c.d.e.f",
        ] {
            let answer = signer().check(malformed, SESSION, Purpose::View, 0);
            assert_eq!(answer, Err(TokenError::Malformed), "{malformed}");
        }
    }

    #[test]
    fn tokens_of_an_earlier_secret_hold_until_it_is_taken_away() {
        let old = signer().sign(SESSION, Purpose::Cdp, 100);
        let turned = signer().with(2, b"the next secret");
        let new = turned.sign(SESSION, Purpose::Cdp, 100);
        assert!(new.starts_with("v1.2.cdp."));
        assert!(turned.check(&old, SESSION, Purpose::Cdp, 0).is_ok());
        let without = Signer::new(2, b"the next secret");
        assert_eq!(
            without.check(&old, SESSION, Purpose::Cdp, 0),
            Err(TokenError::Forged)
        );
        assert!(without.check(&new, SESSION, Purpose::Cdp, 0).is_ok());
    }
}
