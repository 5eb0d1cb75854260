//! Makes our own world ready in each new document before anybody asks for it.
//!
//! The first reading of a page would otherwise wait for two more answers, one after the other.

use std::sync::Arc;

use automator_cdp::Session;
use automator_cdp::protocol::page::CreateIsolatedWorld;
use automator_cdp::protocol::runtime::Evaluate;

use crate::frame::WORLD;
use crate::frame_table::FrameRecord;
use crate::library;
use crate::page_state::PageShared;

/// Begins for the document that a frame has now. What fails here is done again, and reported, by whoever needs it.
pub(crate) fn begin(shared: &Arc<PageShared>, session: Session, frame_id: &str) {
    let Some(document) = shared.state().frames.get(frame_id).map(|record| record.document) else {
        return;
    };
    let creating = session.send(&CreateIsolatedWorld {
        frame_id: frame_id.to_owned(),
        world_name: Some(WORLD.to_owned()),
        ..CreateIsolatedWorld::default()
    });
    let (shared, frame_id) = (Arc::clone(shared), frame_id.to_owned());
    tokio::spawn(async move {
        let Ok(created) = creating.await else { return };
        let context_id = created.execution_context_id;
        note(&shared, &frame_id, document, |record| {
            record.worlds.isolated.get_or_insert(context_id);
        });
        let installing = session.send(&Evaluate {
            expression: library::source().to_owned(),
            context_id: Some(context_id),
            ..Evaluate::default()
        });
        if let Ok(installed) = installing.await
            && let Some(object_id) = installed.result.object_id
        {
            note(&shared, &frame_id, document, |record| {
                record.worlds.library.get_or_insert(object_id);
            });
        }
    });
}

/// Notes something about a document, unless the frame has another one by now.
fn note(shared: &PageShared, frame_id: &str, document: u64, change: impl FnOnce(&mut FrameRecord)) {
    let mut state = shared.state();
    if let Some(record) = state
        .frames
        .get_mut(frame_id)
        .filter(|record| record.document == document)
    {
        change(record);
    }
}
