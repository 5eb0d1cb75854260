use super::*;
use crate::agent::FunctionTool;

fn names(mode: AgentMode, excluded: &[&str]) -> Vec<String> {
    let excluded: Vec<String> = excluded.iter().map(ToString::to_string).collect();
    let toolbox = Toolbox::new(mode, &AgentConfig::default(), &excluded).unwrap();
    toolbox.specs().iter().map(|spec| spec.name.clone()).collect()
}

fn with_own(name: &str) -> Result<Toolbox> {
    let tool = FunctionTool::new(name, "own", json!({ "type": "object" }), |_| async {
        Ok("x".into())
    });
    let config = AgentConfig {
        tools: vec![Arc::new(tool)],
        ..AgentConfig::default()
    };
    Toolbox::new(AgentMode::Dom, &config, &[])
}

#[test]
fn each_mode_offers_its_tools_and_none_offers_the_end() {
    let dom = names(AgentMode::Dom, &[]);
    let expected = [
        "act",
        "ariaTree",
        "extract",
        "fillForm",
        "goto",
        "keys",
        "navback",
        "screenshot",
        "scroll",
        "think",
        "wait",
    ];
    assert_eq!(dom, expected);
    let hybrid = names(AgentMode::Hybrid, &[]);
    for name in [
        "click",
        "type",
        "dragAndDrop",
        "clickAndHold",
        "fillFormVision",
        "act",
    ] {
        assert!(hybrid.iter().any(|other| other == name), "{name}");
    }
    assert!(!hybrid.iter().any(|name| name == "fillForm" || name == DONE));
}

#[test]
fn tools_can_be_left_out_and_a_misspelt_one_is_named() {
    assert!(
        !names(AgentMode::Dom, &["act", "click", "search"])
            .iter()
            .any(|name| name == "act")
    );
    let error = Toolbox::new(AgentMode::Dom, &AgentConfig::default(), &["actt".to_owned()])
        .err()
        .unwrap();
    assert!(error.to_string().contains("\"actt\""), "{error}");
}

#[test]
fn tools_of_ones_own_need_names_that_are_free() {
    assert!(
        with_own("weather")
            .unwrap()
            .specs()
            .iter()
            .any(|spec| spec.name == "weather")
    );
    for name in ["act", DONE, "", "a b", &"a".repeat(65)] {
        assert!(with_own(name).is_err(), "{name}");
    }
}

#[test]
fn tools_are_told_tersely() {
    for (mode, most) in [(AgentMode::Dom, 950), (AgentMode::Hybrid, 1_500)] {
        let toolbox = Toolbox::new(mode, &AgentConfig::default(), &[]).unwrap();
        let told: Vec<Value> = toolbox
            .specs()
            .iter()
            .map(|spec| json!({ "name": spec.name, "description": spec.description, "parameters": spec.parameters }))
            .collect();
        let tokens = automator_llm::estimate_tokens(&json!(told).to_string());
        assert!(tokens < most, "{mode:?}: {tokens}");
    }
}

#[test]
fn arguments_are_read_leniently_and_what_is_wrong_is_named() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Wait {
        time_ms: u64,
    }
    let schema = &wait::spec().parameters;
    assert_eq!(
        input::<Wait>(&json!({ "timeMs": 5, "why": "so" }), schema)
            .unwrap()
            .time_ms,
        5
    );
    assert_eq!(
        input::<Wait>(&json!("{\"timeMs\": 5}"), schema).unwrap().time_ms,
        5
    );
    for (odd, told) in [
        (
            json!({ "timeMs": "soon" }),
            "timeMs must be a number from 0 to 3600000, not \"soon\"",
        ),
        (
            json!(null),
            "timeMs is missing: it must be a number from 0 to 3600000",
        ),
        (json!("{"), "the arguments of the call are no JSON"),
        (json!([]), "the arguments of the call must be an object"),
    ] {
        let error = input::<Wait>(&odd, schema).unwrap_err();
        assert_eq!(error.to_string(), told, "{odd}");
    }
}

#[test]
fn what_does_not_fit_is_told_in_words_of_json_and_numbers_with_their_range() {
    let told = |tool: BuiltIn, given: Value| {
        let schema = tool.spec().parameters;
        let read = match tool {
            BuiltIn::Keys => input::<Keys>(&given, &schema).err(),
            BuiltIn::Scroll => input::<scroll::Input>(&given, &schema).err(),
            BuiltIn::Wait => input::<wait::Input>(&given, &schema).err(),
            BuiltIn::ClickAndHold => input::<click_and_hold::Input>(&given, &schema).err(),
            BuiltIn::FillForm => input::<fill_form::Input>(&given, &schema).err(),
            _ => unreachable!("no case of it"),
        };
        read.map(|error| error.to_string())
    };
    let keys = |repeat: Value| json!({ "method": "press", "value": "Tab", "repeat": repeat });
    let range = "repeat must be a whole number from 1 to 100, not ";
    for (tool, given, expected) in [
        (BuiltIn::Keys, keys(json!(0)), format!("{range}0")),
        (BuiltIn::Keys, keys(json!(-1)), format!("{range}-1")),
        (BuiltIn::Keys, keys(json!(500)), format!("{range}500")),
        (BuiltIn::Keys, keys(json!(1.5)), format!("{range}1.5")),
        (BuiltIn::Keys, keys(json!("2")), format!("{range}\"2\"")),
        (
            BuiltIn::Keys,
            json!({ "method": "hit", "value": "Tab" }),
            "method must be \"press\" or \"type\", not \"hit\"".to_owned(),
        ),
        (
            BuiltIn::Scroll,
            json!({ "direction": "up", "percentage": 0 }),
            "percentage must be a number from 1 to 2000, not 0".to_owned(),
        ),
        (
            BuiltIn::Wait,
            json!({ "timeMs": -1 }),
            "timeMs must be a number from 0 to 3600000, not -1".to_owned(),
        ),
        (
            BuiltIn::ClickAndHold,
            json!({ "describe": "x", "duration": 1e300, "coordinates": [1, 2] }),
            "duration must be a number from 0 to 3600000, not 1e+300".to_owned(),
        ),
        (
            BuiltIn::ClickAndHold,
            json!({ "describe": "x", "duration": 1, "coordinates": "1, 2" }),
            "coordinates must be a list of numbers, not \"1, 2\"".to_owned(),
        ),
        (
            BuiltIn::FillForm,
            json!({ "fields": {} }),
            "fields must be a list of objects, not an object".to_owned(),
        ),
        (
            BuiltIn::FillForm,
            json!({ "fields": [{ "action": "a" }, {}] }),
            "fields[1].action is missing: it must be a string".to_owned(),
        ),
    ] {
        assert_eq!(told(tool, given.clone()).as_deref(), Some(&*expected), "{given}");
    }
    assert_eq!(told(BuiltIn::Keys, keys(json!(100))), None);
    assert_eq!(told(BuiltIn::Keys, keys(json!(null))), None);
}
