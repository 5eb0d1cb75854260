//! Whole numbers that are typed.

use std::ops::RangeInclusive;

/// What is typed is no whole number within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoWholeNumber(RangeInclusive<u64>);

impl std::fmt::Display for NoWholeNumber {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (smallest, largest) = (self.0.start(), self.0.end());
        write!(
            formatter,
            "it has to be a whole number from {smallest} to {largest}"
        )
    }
}

impl std::error::Error for NoWholeNumber {}

/// A number type that options have.
pub(crate) trait Whole: TryFrom<u64> + Clone + Send + Sync + 'static {
    /// Its largest number.
    const LARGEST: u64;
}

impl Whole for u16 {
    const LARGEST: u64 = u16::MAX as u64;
}

impl Whole for u32 {
    const LARGEST: u64 = u32::MAX as u64;
}

impl Whole for u64 {
    const LARGEST: u64 = u64::MAX;
}

/// Reads whole numbers from this one on.
pub(crate) fn whole_number_from<T: Whole>(
    smallest: u64,
) -> impl Fn(&str) -> Result<T, NoWholeNumber> + Clone + Send + Sync + 'static {
    whole_number(smallest..=T::LARGEST)
}

/// Reads whole numbers within these bounds.
pub(crate) fn whole_number<T: Whole>(
    bounds: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, NoWholeNumber> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| bounds.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| NoWholeNumber(bounds.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_the_bounds_are_read() {
        let read = whole_number_from::<u16>(1);
        assert_eq!((read("1"), read("65535")), (Ok(1), Ok(65_535)));
        for text in ["0", "65536", "-1", "x", "", "1.5", " 1", "99999999999999999999"] {
            let problem = read(text).expect_err(text).to_string();
            assert_eq!(problem, "it has to be a whole number from 1 to 65535", "{text}");
        }
        assert_eq!(whole_number_from::<u64>(0)("18446744073709551615"), Ok(u64::MAX));
        assert!(whole_number::<u32>(1..=10)("11").is_err());
    }
}
