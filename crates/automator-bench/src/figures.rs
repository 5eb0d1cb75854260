//! Means, medians and targets; pure.

use std::fmt;
use std::time::Duration;

/// The middle value, of an even number the upper one of the two; none of nothing. Values that are no numbers are
/// left out.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A time in milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A figure of a table; a dash for one that is not there.
pub(crate) fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
}

/// The mean; none of nothing.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The mean of ratios, in which 2 and ½ cancel out; none of nothing.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    mean(values.into_iter().map(f64::ln)).map(f64::exp)
}

/// A figure beside what it should be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    name: String,
    figure: Option<f64>,
    limit: Limit,
    digits: usize,
}

/// Which side of the limit is the good one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    /// A figure that was not measured neither passes nor fails.
    pub(crate) fn new(name: impl Into<String>, figure: Option<f64>, limit: Limit, digits: usize) -> Self {
        Self {
            name: name.into(),
            figure,
            limit,
            digits,
        }
    }

    /// Whether the figure is on the good side; none when it was not measured.
    pub(crate) fn passes(&self) -> Option<bool> {
        let figure = self.figure?;
        Some(match self.limit {
            Limit::AtMost(most) => figure <= most,
            Limit::AtLeast(least) => figure >= least,
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits;
        let (sign, limit) = match self.limit {
            Limit::AtMost(most) => ("at most", most),
            Limit::AtLeast(least) => ("at least", least),
        };
        let verdict = match self.passes() {
            None => "not measured",
            Some(true) => "pass",
            Some(false) => "FAIL",
        };
        let figure = self
            .figure
            .map_or("-".to_owned(), |figure| format!("{figure:.digits$}"));
        let name = &self.name;
        write!(
            formatter,
            "{name:<58}{figure:>10}   {sign} {limit:<8.digits$} {verdict}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_upper_of_the_two() {
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(3.0));
        assert_eq!(median([5.0, f64::NAN, 1.0, 9.0]), Some(5.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_half_and_a_double_cancel_out_in_the_geometric_mean() {
        assert!((geometric_mean([0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn a_target_is_met_on_its_limit() {
        let of = |figure, limit| Target::new("x", figure, limit, 2).passes();
        assert_eq!(of(Some(0.45), Limit::AtMost(0.45)), Some(true));
        assert_eq!(of(Some(0.46), Limit::AtMost(0.45)), Some(false));
        assert_eq!(of(Some(99.4), Limit::AtLeast(99.5)), Some(false));
        assert_eq!(of(None, Limit::AtLeast(99.5)), None);
    }
}
