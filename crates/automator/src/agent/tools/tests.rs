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
    for (mode, most) in [(AgentMode::Dom, 900), (AgentMode::Hybrid, 1_500)] {
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
    assert_eq!(
        input::<Wait>(&json!({ "timeMs": 5, "why": "so" }))
            .unwrap()
            .time_ms,
        5
    );
    assert_eq!(input::<Wait>(&json!("{\"timeMs\": 5}")).unwrap().time_ms, 5);
    for (odd, part) in [
        (json!({ "timeMs": "soon" }), "timeMs"),
        (json!(null), "timeMs"),
        (json!("{"), "no JSON"),
        (json!([]), ""),
    ] {
        let error = input::<Wait>(&odd).unwrap_err();
        assert!(error.to_string().contains(part), "{odd}: {error}");
    }
}
