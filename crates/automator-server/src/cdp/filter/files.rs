//! Commands that name files: a client names those of its session, and the browser gets their paths.

use serde_json::Value;

use crate::cdp::ClientRules;
use crate::files::SessionFiles;

/// What the parameters of a command become. The error says why it is refused.
pub(super) type Rewritten = Result<Option<Value>, String>;

/// Puts paths in the place of the names in a list of files: `files`, and that of what is dragged.
pub(super) fn with_paths(mut parameters: Value, rules: &ClientRules) -> Rewritten {
    let mut is_changed = false;
    for pointer in ["/files", "/data/files"] {
        let Some(names) = parameters.pointer_mut(pointer).filter(|names| !names.is_null()) else {
            continue;
        };
        let Some(names) = names.as_array_mut() else {
            return Err("`files` is no list".to_owned());
        };
        for name in names {
            let path = path_of(name, rules)?;
            *name = Value::from(path);
            is_changed = true;
        }
    }
    Ok(is_changed.then_some(parameters))
}

fn path_of(name: &Value, rules: &ClientRules) -> Result<String, String> {
    let name = name.as_str().ok_or("`files` holds what is no text")?;
    let files = rules.files.as_ref().ok_or_else(no_files)?;
    let path = files.upload(name).ok_or_else(|| {
        format!(
            "`{name}` is no file of this session, and files of the server's machine cannot be named; upload it to \
             `/v1/sessions/{{id}}/uploads` first, and give the name from the answer"
        )
    })?;
    path_text(&path)
}

/// Has downloads saved in the session's folder, whatever folder was named.
pub(super) fn into_own_folder(mut parameters: Value, rules: &ClientRules) -> Rewritten {
    let saves = parameters
        .get("behavior")
        .and_then(Value::as_str)
        .is_some_and(|behavior| behavior.starts_with("allow"));
    let Some(members) = parameters.as_object_mut() else {
        return Ok(None);
    };
    if !saves {
        // No folder is needed then.
        return Ok(members.remove("downloadPath").map(|_| parameters));
    }
    let files = rules.files.as_ref().ok_or_else(no_files)?;
    let folder = path_text(&files.folder(SessionFiles::DOWNLOADS))?;
    members.insert("downloadPath".to_owned(), folder.into());
    Ok(Some(parameters))
}

fn no_files() -> String {
    "this server keeps no files for the session".to_owned()
}

fn path_text(path: &std::path::Path) -> Result<String, String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| "the folder of the session has a name that is no text".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_uploads_become_paths_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::new(folder.path().join("session"));
        std::fs::create_dir_all(files.folder(SessionFiles::UPLOADS)).unwrap();
        std::fs::write(files.folder(SessionFiles::UPLOADS).join("a.txt"), "a").unwrap();
        std::fs::write(folder.path().join("session/secret"), "s").unwrap();
        let rules = ClientRules {
            files: Some(files.clone()),
            ..ClientRules::default()
        };
        let path = files.folder(SessionFiles::UPLOADS).join("a.txt");
        let set = with_paths(json!({ "files": ["a.txt"], "nodeId": 5 }), &rules);
        assert_eq!(set, Ok(Some(json!({ "files": [path], "nodeId": 5 }))));
        let dragged = with_paths(json!({ "data": { "files": ["a.txt"] } }), &rules);
        assert_eq!(dragged, Ok(Some(json!({ "data": { "files": [path] } }))));
        assert_eq!(with_paths(json!({ "files": [] }), &rules), Ok(None));
        for wrong in [
            json!("/etc/passwd"),
            json!("../secret"),
            json!("b.txt"),
            json!(""),
            json!("."),
            json!(path),
            json!(5),
        ] {
            let set = with_paths(json!({ "files": ["a.txt", wrong] }), &rules);
            assert!(set.is_err(), "{wrong}");
        }
        assert!(with_paths(json!({ "files": "a.txt" }), &rules).is_err());
        assert!(with_paths(json!({ "files": ["a.txt"] }), &ClientRules::default()).is_err());
    }

    #[test]
    fn downloads_go_to_the_folder_of_the_session() {
        let files = SessionFiles::new("/sessions/one".into());
        let folder = files.folder(SessionFiles::DOWNLOADS);
        let rules = ClientRules {
            files: Some(files),
            ..ClientRules::default()
        };
        for given in [
            json!({ "behavior": "allow", "downloadPath": "/root" }),
            json!({ "behavior": "allow" }),
        ] {
            let expected = json!({ "behavior": "allow", "downloadPath": folder });
            assert_eq!(into_own_folder(given, &rules), Ok(Some(expected)));
        }
        assert_eq!(into_own_folder(json!({ "behavior": "deny" }), &rules), Ok(None));
        let denied = into_own_folder(json!({ "behavior": "deny", "downloadPath": "/root" }), &rules);
        assert_eq!(denied, Ok(Some(json!({ "behavior": "deny" }))));
        assert!(into_own_folder(json!({ "behavior": "allow" }), &ClientRules::default()).is_err());
    }
}
