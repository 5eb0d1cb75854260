use std::path::PathBuf;
pub(crate) async fn run(_browser: Option<PathBuf>, _selection: &crate::Selection) -> anyhow::Result<()> {
    Ok(())
}
