//! API keys: how they are made, written, stored and compared.
//!
//! A key is `amk_<public>_<secret>`: 8 letters and digits by which it is found and named in logs, and 32 random bytes
//! as 43 characters of base64url. Only an HMAC-SHA-256 of the whole key is stored, under a secret of the store, so that
//! who reads the store has no key; it is compared in constant time.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// How every key begins.
const PREFIX: &str = "amk_";

/// How long the public part is.
const PUBLIC_LENGTH: usize = 8;

/// How many random bytes the secret part stands for.
const SECRET_BYTES: usize = 32;

/// What public parts are made of: no characters that look alike. A power of two, so that all are equally likely.
const PUBLIC_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// An API key, as its owner has it. It is told once, when it is made.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    text: String,
}

/// A text that is no API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no API key: one is `amk_`, 8 letters or digits, `_` and 43 characters of base64url")]
pub struct NoKey;

/// The system gives no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers to make a key of")]
pub struct NoRandomness;

impl ApiKey {
    /// Makes a new one.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn generate() -> Result<Self, NoRandomness> {
        let random = SystemRandom::new();
        let mut public = [0; PUBLIC_LENGTH];
        let mut secret = [0; SECRET_BYTES];
        random.fill(&mut public).map_err(|_| NoRandomness)?;
        random.fill(&mut secret).map_err(|_| NoRandomness)?;
        let public: String = public.iter().map(|byte| letter(*byte)).collect();
        let secret = URL_SAFE_NO_PAD.encode(secret);
        Ok(Self {
            text: format!("{PREFIX}{public}_{secret}"),
        })
    }

    /// The part by which it is found, and which may be told to anybody.
    #[must_use]
    pub fn public(&self) -> &str {
        self.text
            .get(PREFIX.len()..PREFIX.len() + PUBLIC_LENGTH)
            .unwrap_or_default()
    }

    /// The whole key. Whoever has it, has its sessions.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored of it, under a secret of the store.
    #[must_use]
    pub fn hash(&self, secret: &[u8]) -> Vec<u8> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        hmac::sign(&key, self.text.as_bytes()).as_ref().to_vec()
    }

    /// Whether a stored hash is of this key. Takes the same time wherever they differ.
    #[must_use]
    pub fn has_hash(&self, secret: &[u8], stored: &[u8]) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        hmac::verify(&key, self.text.as_bytes(), stored).is_ok()
    }
}

fn letter(byte: u8) -> char {
    let index = usize::from(byte) % PUBLIC_ALPHABET.len();
    char::from(PUBLIC_ALPHABET.get(index).copied().unwrap_or(b'a'))
}

impl FromStr for ApiKey {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Self, NoKey> {
        let rest = text.strip_prefix(PREFIX).ok_or(NoKey)?;
        let (public, secret) = rest.split_at_checked(PUBLIC_LENGTH).ok_or(NoKey)?;
        let secret = secret.strip_prefix('_').ok_or(NoKey)?;
        let bytes = URL_SAFE_NO_PAD.decode(secret).map_err(|_| NoKey)?;
        if bytes.len() != SECRET_BYTES || !public.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(NoKey);
        }
        Ok(Self {
            text: text.to_owned(),
        })
    }
}

impl fmt::Debug for ApiKey {
    /// The public part alone.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ApiKey({PREFIX}{}_***)", self.public())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_as_it_is_read() {
        let key = ApiKey::generate().expect("randomness");
        assert_eq!(key.reveal().len(), PREFIX.len() + PUBLIC_LENGTH + 1 + 43);
        assert_eq!(key.reveal().parse(), Ok(key.clone()));
        assert!(key.reveal().starts_with(&format!("amk_{}_", key.public())));
        assert_ne!(ApiKey::generate().expect("randomness"), key);
    }

    #[test]
    fn only_the_same_key_under_the_same_secret_has_its_hash() {
        let key = ApiKey::generate().expect("randomness");
        let stored = key.hash(b"secret");
        assert!(key.has_hash(b"secret", &stored));
        assert!(!key.has_hash(b"another", &stored));
        assert!(
            !ApiKey::generate()
                .expect("randomness")
                .has_hash(b"secret", &stored)
        );
        assert!(!key.has_hash(b"secret", &stored[..31]) && !key.has_hash(b"secret", b""));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = ApiKey::generate().expect("randomness");
        let text = key.reveal();
        let cut = &text[..text.len() - 1];
        let other = text.replacen("amk_", "abk_", 1);
        let long = format!("{text}A");
        let umlaut = text.replacen(key.public(), "äöüß", 1);
        for wrong in [
            "",
            "amk_",
            "amk_abcdefgh",
            cut,
            &other,
            &long,
            &umlaut,
            "amk_äöüßä_x",
        ] {
            assert_eq!(wrong.parse::<ApiKey>(), Err(NoKey), "{wrong}");
        }
    }

    #[test]
    fn the_secret_part_is_not_printed() {
        let key = ApiKey::generate().expect("randomness");
        let printed = format!("{key:?}");
        assert!(printed.contains(key.public()) && !printed.contains(&key.reveal()[13..]));
    }
}
