//! Signs as people see them. Pure.

/// Whether a sign takes no room and shows nothing.
pub(crate) fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Of the wide forms of signs the usual ones.
pub(crate) fn narrow(sign: char) -> char {
    match sign {
        '！'..='～' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
        '\u{3000}' | '\u{a0}' => ' ',
        '‐' | '‑' | '−' => '-',
        _ => sign,
    }
}
