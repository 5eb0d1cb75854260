//! What this process itself has used: processor time and memory.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Resident now.
    pub(crate) resident: u64,
    /// The most that was ever resident.
    pub(crate) peak: u64,
}

/// Processor time of all threads since the start, user and system.
#[cfg(unix)]
pub(crate) fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}

/// Memory of this process; none where the system does not tell (all but Linux).
pub(crate) fn memory() -> Option<Memory> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(Memory {
        resident: kilobytes(&status, "VmRSS:")? * 1024,
        peak: kilobytes(&status, "VmHWM:")? * 1024,
    })
}

fn kilobytes(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_status_are_read_in_kilobytes() {
        let status = "Name:\tbench\nVmHWM:\t   12345 kB\nVmRSS:\t 99 kB\n";
        assert_eq!(kilobytes(status, "VmHWM:"), Some(12_345));
        assert_eq!(kilobytes(status, "VmRSS:"), Some(99));
        assert_eq!(kilobytes(status, "VmSwap:"), None);
    }

    #[test]
    fn work_takes_processor_time() {
        let before = processor_time();
        let mut sum = 0_u64;
        while processor_time() == before {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
        assert!(processor_time() > before);
    }
}
