//! What the generated types use to read a browser that is newer or older than the pinned protocol.

use serde::{Deserialize, Deserializer};

/// Reads `null` as the default, as an absent member is read.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}
