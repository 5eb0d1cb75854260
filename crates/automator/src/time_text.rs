//! A length of time as people read it.

use std::time::Duration;

/// `250 ms`, `1.5 s`, `20 s`, `120 s`: as exact as it matters.
pub(crate) fn time_text(time: Duration) -> String {
    let milliseconds = time.as_millis();
    let tenths = (milliseconds + 50) / 100;
    match (milliseconds, tenths % 10) {
        (0, _) if !time.is_zero() => "under 1 ms".to_owned(),
        (..950, _) => format!("{milliseconds} ms"),
        (_, 0) => format!("{} s", tenths / 10),
        (100_000.., _) => format!("{} s", (milliseconds + 500) / 1000),
        (_, rest) => format!("{}.{rest} s", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_suits_them() {
        for (nanoseconds, text) in [
            (0, "0 ms"),
            (400_000, "under 1 ms"),
            (250_000_000, "250 ms"),
            (999_998_403, "1 s"),
            (1_000_000_000, "1 s"),
            (1_540_000_000, "1.5 s"),
            (19_999_998_403, "20 s"),
            (120_400_000_000, "120 s"),
        ] {
            assert_eq!(time_text(Duration::from_nanos(nanoseconds)), text);
        }
        assert!(time_text(Duration::MAX).ends_with(" s"));
    }
}
