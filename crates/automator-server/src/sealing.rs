//! Sealing what the store has to keep and nobody is to read there, such as passwords of proxies.
//!
//! The key is in a file beside the database, so that a copy of the database alone tells nothing.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};

/// The file with the key, in a server's folder.
pub(crate) const KEY_FILE: &str = "sealing.key";

/// How many random bytes a key has.
const KEY_BYTES: usize = 32;

/// What was sealed cannot be opened with this key, or is not whole, or belongs to something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it was sealed with another key, or has been changed")]
pub(crate) struct NotOurs;

/// Seals, and opens what it has sealed.
pub(crate) struct Sealer {
    key: LessSafeKey,
}

impl Sealer {
    /// With the key in a folder, which is made if there is none; on Unix only its owner can read it.
    pub(crate) fn in_folder(folder: &Path) -> io::Result<Self> {
        Self::of_secret(&read_or_make(&folder.join(KEY_FILE))?)
    }

    /// With a key that is derived from a secret.
    pub(crate) fn of_secret(secret: &[u8]) -> io::Result<Self> {
        let key = UnboundKey::new(&AES_256_GCM, digest(&SHA256, secret).as_ref());
        let key = key.map_err(|_| io::Error::other("no key can be made of it"))?;
        Ok(Self {
            key: LessSafeKey::new(key),
        })
    }

    /// Seals a text that belongs to a session.
    pub(crate) fn seal(&self, session: &str, text: &[u8]) -> io::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        let no_randomness = |_| io::Error::other("the system gives no random numbers");
        SystemRandom::new().fill(&mut nonce).map_err(no_randomness)?;
        let mut sealed = text.to_vec();
        let aad = Aad::from(session.as_bytes());
        let unique = Nonce::assume_unique_for_key(nonce);
        self.key
            .seal_in_place_append_tag(unique, aad, &mut sealed)
            .map_err(|_| io::Error::other("it is too long to be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for a session.
    pub(crate) fn open(&self, session: &str, sealed: &[u8]) -> Result<Vec<u8>, NotOurs> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).ok_or(NotOurs)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| NotOurs)?;
        let mut text = sealed.to_vec();
        let opened = self
            .key
            .open_in_place(nonce, Aad::from(session.as_bytes()), &mut text);
        Ok(opened.map_err(|_| NotOurs)?.to_vec())
    }
}

impl fmt::Debug for Sealer {
    /// Without the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sealer").finish_non_exhaustive()
    }
}

fn read_or_make(path: &Path) -> io::Result<Vec<u8>> {
    match std::fs::File::open(path) {
        Ok(mut file) => {
            let mut key = Vec::new();
            file.read_to_end(&mut key)?;
            if key.len() != KEY_BYTES {
                let problem = format!("it has {} bytes in place of {KEY_BYTES}", key.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            return Ok(key);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut key = vec![0; KEY_BYTES];
    let no_randomness = |_| io::Error::other("the system gives no random numbers");
    SystemRandom::new().fill(&mut key).map_err(no_randomness)?;
    // Whole or not there, and readable for its owner alone.
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_with_the_same_key_for_the_same_session() {
        let folder = tempfile::tempdir().expect("a folder");
        let sealer = Sealer::in_folder(folder.path()).expect("a key");
        let sealed = sealer.seal("one", b"secret").expect("sealed");
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_ne!(sealer.seal("one", b"secret").expect("sealed"), sealed);
        let again = Sealer::in_folder(folder.path()).expect("the same key");
        assert_eq!(again.open("one", &sealed).as_deref(), Ok(&b"secret"[..]));
        assert_eq!(again.open("two", &sealed), Err(NotOurs));
        assert_eq!(again.open("one", &sealed[..20]), Err(NotOurs));
        assert_eq!(again.open("one", b""), Err(NotOurs));
        let other = Sealer::of_secret(b"another").expect("a key");
        assert_eq!(other.open("one", &sealed), Err(NotOurs));
    }

    #[test]
    fn a_key_that_is_not_whole_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(KEY_FILE), "short").expect("written");
        let error = Sealer::in_folder(folder.path()).expect_err("it is not whole");
        assert!(error.to_string().contains("5 bytes"), "{error}");
    }
}
