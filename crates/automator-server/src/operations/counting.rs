//! Telling the figures and the audit log about an operation, however it ends.

use std::time::Instant;

use automator::UsageMeter;

use super::answers::CacheStatus;
use super::call::Kind;
use crate::audit::AuditEvent;
use crate::metrics::{OperationKind, OperationOutcome, Tokens};
use crate::platform::Platform;

/// An operation that is under way. When this goes before it has [ended](Self::end), whoever asked for it has gone.
pub(super) struct Counting<'a> {
    platform: &'a Platform,
    session: &'a str,
    kind: OperationKind,
    begun: Instant,
    meter: UsageMeter,
    outcome: OperationOutcome,
}

impl<'a> Counting<'a> {
    pub(super) fn begin(platform: &'a Platform, session: &'a str, kind: Kind, meter: UsageMeter) -> Self {
        Self {
            platform,
            session,
            kind: match kind {
                Kind::Act => OperationKind::Act,
                Kind::Extract => OperationKind::Extract,
                Kind::Observe => OperationKind::Observe,
                Kind::Navigate => OperationKind::Navigate,
                Kind::Agent => OperationKind::Agent,
            },
            begun: Instant::now(),
            meter,
            outcome: OperationOutcome::Cancelled,
        }
    }

    /// The operation has ended by itself.
    pub(super) fn end(mut self, is_done: bool, cache: Option<CacheStatus>) {
        self.outcome = if is_done {
            OperationOutcome::Done
        } else {
            OperationOutcome::Failed
        };
        if let Some(status) = cache.filter(|_| is_done) {
            self.platform.metrics().cache(status == CacheStatus::Hit);
        }
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        let usage = self.meter.total().tokens;
        let tokens = Tokens {
            prompt: usage.prompt,
            completion: usage.completion,
            reasoning: usage.reasoning,
            cached: usage.cached_input,
        };
        let Self {
            platform,
            session,
            kind,
            outcome,
            ..
        } = *self;
        let metrics = platform.metrics();
        metrics.operation(kind, outcome, self.begun.elapsed(), tokens);
        platform.audit().record(AuditEvent::Operation {
            session,
            kind,
            outcome,
        });
    }
}
