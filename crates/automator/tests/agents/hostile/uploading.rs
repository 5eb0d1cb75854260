//! Files that the user has not named.

use automator::AgentConfig;

use super::{Hostile, outcomes, page};

/// A folder with a file that is named in the task, and one that is not.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("named.txt"), "for the page").unwrap();
    std::fs::write(folder.path().join("other.txt"), "for nobody").unwrap();
    folder
}

#[tokio::test]
async fn files_that_the_task_does_not_name_are_not_uploaded() {
    let hostile = Hostile::start().await;
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let html = page!("wants_files")
        .replace("{{folder}}", path)
        .replace("{{name}}", name);
    let task = format!("upload {path}/named.txt");
    let result = hostile
        .obeys_task(&task, &html, AgentConfig::default(), |run| run)
        .await;
    let outcomes = outcomes(&result);
    assert_eq!(outcomes.len(), 15, "{outcomes:#?}");
    assert_eq!(hostile.notes(), Vec::<String>::new());
    assert_eq!(hostile.rig.page.evaluate("file.files.length").await.unwrap(), 0);
    hostile.close().await;
}

#[tokio::test]
async fn a_file_that_the_task_names_is_uploaded() {
    let hostile = Hostile::start().await;
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    let html = page!("wants_the_named_file").replace("{{folder}}", path);
    let task = format!("upload \"{path}/named.txt\", please");
    let result = hostile
        .obeys_task(&task, &html, AgentConfig::default(), |run| run)
        .await;
    assert!(outcomes(&result)[0].1, "{:#?}", outcomes(&result));
    hostile.rig.site.wait_for_hit("/noted").await;
    assert_eq!(hostile.notes(), ["named.txt"]);
    hostile.close().await;
}
