//! Places in pictures, as models count them. Pure.

use crate::{Error, Result};

/// Sides of a picture as Gemini counts them, whatever the picture's size.
const THOUSANDTHS: f64 = 1000.0;

/// What a model's coordinates count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Pixels of the picture.
    Pixels,
    /// Thousandths of the picture's sides.
    Thousandths,
}

impl Unit {
    /// What the model of this name, as `provider/model`, was taught to count.
    pub(super) fn of(model: &str) -> Self {
        if model.to_lowercase().contains("gemini") {
            Self::Thousandths
        } else {
            Self::Pixels
        }
    }

    /// In words, for the model.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Pixels => "pixels of the screenshot, from its upper left corner",
            Self::Thousandths => "thousandths of its width and height, from its upper left corner",
        }
    }

    /// A place in the window, in CSS pixels. `scale` is how many pixels the picture has for each of them.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for what is no place in the window.
    pub(super) fn place(self, given: &[f64], (width, height): (f64, f64), scale: f64) -> Result<(f64, f64)> {
        let &[x, y] = given else {
            return Err(Error::invalid_argument(
                "coordinates must be two numbers, as [x, y]",
            ));
        };
        let (x, y) = match self {
            Self::Pixels => (x / scale, y / scale),
            Self::Thousandths => (x / THOUSANDTHS * width, y / THOUSANDTHS * height),
        };
        if (0.0..=width).contains(&x) && (0.0..=height).contains(&y) {
            Ok((x, y))
        } else {
            Err(Error::invalid_argument(format!(
                "[{x:.0}, {y:.0}] is outside the window of {width:.0} × {height:.0} pixels"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_the_model_does() {
        let window = (1280.0, 720.0);
        assert_eq!(Unit::of("openai/gpt-5.5"), Unit::Pixels);
        assert_eq!(
            Unit::Pixels.place(&[640.0, 10.0], window, 1.0).unwrap(),
            (640.0, 10.0)
        );
        assert_eq!(
            Unit::Pixels.place(&[320.0, 5.0], window, 0.5).unwrap(),
            (640.0, 10.0)
        );
        let gemini = Unit::of("google/gemini-3-pro");
        assert_eq!(
            gemini.place(&[500.0, 1000.0], window, 1.0).unwrap(),
            (640.0, 720.0)
        );
        for odd in [
            vec![1.0],
            vec![],
            vec![-1.0, 5.0],
            vec![5.0, 721.0],
            vec![f64::NAN, 5.0],
        ] {
            assert!(Unit::Pixels.place(&odd, window, 1.0).is_err(), "{odd:?}");
        }
    }
}
