//! The text format 0.0.4 of Prometheus.

use std::fmt::{Display, Write as _};

use super::histogram::Histogram;

/// A text that is being written.
pub(super) struct Text {
    text: String,
}

impl Text {
    pub(super) fn new() -> Self {
        Self { text: String::new() }
    }

    /// Begins the samples of one name.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            self.text.push(if place == 0 { '{' } else { ',' });
            let _ = write!(self.text, "{label}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }

    pub(super) fn histogram(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        bounds: &[f64],
        histogram: &Histogram,
    ) {
        let bucket = format!("{name}_bucket");
        let bounded = histogram
            .cumulated(bounds)
            .map(|(bound, count)| (bound.to_string(), count));
        let all = ("+Inf".to_owned(), histogram.count());
        for (bound, count) in bounded.chain([all]) {
            let labels = [labels, &[("le", bound.as_str())]].concat();
            self.sample(&bucket, &labels, count);
        }
        self.sample(&format!("{name}_sum"), labels, histogram.sum());
        self.sample(&format!("{name}_count"), labels, histogram.count());
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_labels_escaped() {
        let mut text = Text::new();
        text.family("a_total", "counter", "What it is.");
        text.sample("a_total", &[], 1);
        text.sample("a_total", &[("x", "\"\\\n"), ("y", "{z}")], 2);
        assert_eq!(
            text.into_string(),
            "# HELP a_total What it is.\n# TYPE a_total counter\na_total 1\na_total{x=\"\\\"\\\\\\n\",y=\"{z}\"} 2\n"
        );
    }
}
