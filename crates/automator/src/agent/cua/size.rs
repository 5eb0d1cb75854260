//! How many pixels a picture has. Pure.

/// The bytes that a segment begins with, which its kind follows.
const MARKER: u8 = 0xff;

/// Width and height of a JPEG; none for what is none.
pub(super) fn of_jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(&[MARKER, 0xd8])?;
    loop {
        let [MARKER, kind, high, low, body @ ..] = rest else {
            return None;
        };
        // The kinds that begin a frame; those between them hold tables.
        if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
            let &[_, height_high, height_low, width_high, width_low, ..] = body else {
                return None;
            };
            let number = |high: u8, low: u8| u32::from(u16::from_be_bytes([high, low]));
            return Some((number(width_high, width_low), number(height_high, height_low)));
        }
        // The length counts its own two bytes.
        let length = usize::from(u16::from_be_bytes([*high, *low])).checked_sub(2)?;
        rest = body.get(length..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_stands_where_the_frame_begins() {
        let table = [0xff, 0xe0, 0, 4, 1, 2];
        let frame = [0xff, 0xc0, 0, 11, 8, 2, 0xd0, 5, 8, 1, 0];
        let whole = [&[0xff, 0xd8][..], &table, &frame].concat();
        assert_eq!(of_jpeg(&whole), Some((1288, 720)));
    }

    #[test]
    fn what_is_no_picture_has_no_size() {
        for bytes in [
            &[][..],
            &[0xff, 0xd8],
            b"<html>",
            &[0xff, 0xd8, 0xff, 0xe0, 0, 1],
            &[0xff, 0xd8, 0xff, 0xe0, 0, 200, 1],
            &[0xff, 0xd8, 0xff, 0xc0, 0, 11, 8],
        ] {
            assert_eq!(of_jpeg(bytes), None, "{bytes:?}");
        }
    }
}
