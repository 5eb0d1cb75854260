use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::protocol::runtime::ConsoleApiCalledEvent;

fn reply(text: &str) -> RawReply {
    RawReply {
        message: Bytes::copy_from_slice(text.as_bytes()),
        range: 0..text.len(),
    }
}

#[test]
fn envelope_gives_outer_members_and_raw_text() {
    let envelope =
        decode(br#"{"id":7,"result":{"a":[1, 2]},"sessionId":"S","extra":{"deep":[[]]}}"#).unwrap();
    assert_eq!(envelope.id, Some(7));
    assert_eq!(envelope.session_id.as_deref(), Some("S"));
    assert_eq!(envelope.result.map(RawValue::get), Some(r#"{"a":[1, 2]}"#));
    assert!(envelope.error.is_none() && envelope.method.is_none() && envelope.params.is_none());
}

#[test]
fn null_members_read_as_absent() {
    let envelope = decode(br#"{"id":null,"method":null,"sessionId":null,"params":null}"#).unwrap();
    assert!(envelope.id.is_none() && envelope.method.is_none() && envelope.session_id.is_none());
}

#[test]
fn malformed_message_still_tells_the_id_that_came_first() {
    assert_eq!(decode(br#"{"id":5,"result":{"a":"#).unwrap_err().id, Some(5));
    assert_eq!(decode(br#"{"id":5,"method":17}"#).unwrap_err().id, Some(5));
    assert_eq!(decode(b"[1]").unwrap_err().id, None);
    assert_eq!(decode(br#"{"id":5} trailing"#).unwrap_err().id, Some(5));
}

#[test]
fn half_surrogate_in_method_or_session_does_not_spoil_the_envelope() {
    let envelope = decode(br#"{"method":"a\ud800b","sessionId":"\udfff","params":{"x":"\ud800"}}"#).unwrap();
    assert!(
        envelope
            .method
            .as_deref()
            .is_some_and(|text| text.starts_with('a') && text.ends_with('b'))
    );
    assert!(envelope.session_id.is_some());
    assert_eq!(envelope.params.map(RawValue::get), Some(r#"{"x":"\ud800"}"#));
}

#[test]
fn half_surrogates_read_as_replacement_characters_and_pairs_stay() {
    let value: Value =
        reply(r#"{"a":"x\ud800y","b":"\udc00","c":"\ud83d\ude00","d":"\\ud800","e":"\ud800\ud83d\ude00"}"#)
            .parse()
            .unwrap();
    assert_eq!(value["a"], "x\u{fffd}y");
    assert_eq!(value["b"], "\u{fffd}");
    assert_eq!(value["c"], "😀");
    assert_eq!(value["d"], r"\ud800");
    assert_eq!(value["e"], "\u{fffd}😀");
}

#[test]
fn event_with_a_half_surrogate_in_a_deep_string_is_read() {
    let text =
        r#"{"type":"log","executionContextId":1,"args":[{"type":"string","value":"\ud800!"}],"timestamp":1}"#;
    let event: ConsoleApiCalledEvent = reply(text).parse().unwrap();
    assert_eq!(event.args[0].value, Some("\u{fffd}!".into()));
}

#[test]
fn generated_types_read_null_and_missing_members_and_ignore_unknown_ones() {
    let text = r#"{"frame":{"id":"F","loaderId":null,"url":null,"brandNew":{"x":1}},"childFrames":null}"#;
    let tree: crate::protocol::page::FrameTree = reply(text).parse().unwrap();
    assert_eq!((tree.frame.id.as_str(), tree.frame.url.as_str()), ("F", ""));
    assert!(
        reply(r#"{"frame":{"url":"x"}}"#)
            .parse::<crate::protocol::page::FrameTree>()
            .is_err()
    );
}

#[test]
fn nesting_of_two_thousand_levels_is_read_and_beyond_the_bound_is_an_error() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(reply(&nested(2_000)).parse::<Value>().is_ok());
    assert!(reply(&nested(100_000)).parse::<Value>().is_err());
    assert!(reply(&nested(100_000)).parse::<serde::de::IgnoredAny>().is_ok());
    let envelope = format!(r#"{{"id":1,"result":{}}}"#, nested(100_000));
    assert_eq!(
        decode(envelope.as_bytes())
            .unwrap()
            .result
            .map(|raw| raw.get().len()),
        Some(200_000)
    );
}

#[test]
fn two_thousand_levels_are_read_on_a_small_stack() {
    let text = format!("{}{}", r#"{"a":["#.repeat(1_000), "]}".repeat(1_000));
    let reader = std::thread::Builder::new().stack_size(1024 * 1024);
    let depth = reader
        .spawn(move || reply(&text).parse::<Value>().is_ok())
        .unwrap();
    assert!(depth.join().unwrap());
}

/// Messages that are nearly right find more than noise does.
fn almost_a_message() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(br#"{"id":1,"#.to_vec()),
        Just(br#""method":"Page.x","#.to_vec()),
        Just(br#""params":{"#.to_vec()),
        Just(br#""result":["#.to_vec()),
        Just(br#""\ud800\u"#.to_vec()),
        Just(b"}]}".to_vec()),
        Just(b"\\".to_vec()),
        Just(b"\xff\xfe".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn decoding_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = decode(&bytes);
        let _ = well_formed(&bytes);
        let _ = depth(&bytes);
    }

    #[test]
    fn decoding_damaged_messages_never_panics(bytes in almost_a_message()) {
        if let Ok(envelope) = decode(&bytes) {
            let whole = Bytes::copy_from_slice(&bytes);
            let again = decode(&whole).unwrap();
            let raw = RawReply::new(&whole, again.params);
            prop_assert_eq!(raw.get(), envelope.params.map_or("{}", RawValue::get));
            let _ = raw.parse::<Value>();
        }
        let range = 0..bytes.len();
        let _ = RawReply { message: bytes.into(), range }.parse::<ErrorMember>();
    }

    #[test]
    fn any_string_of_sixteen_bit_units_survives(units in proptest::collection::vec(any::<u16>(), 0..40)) {
        let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let text = reply(&format!("\"{escaped}\"")).parse::<String>().unwrap();
        prop_assert_eq!(text, String::from_utf16_lossy(&units));
    }
}
