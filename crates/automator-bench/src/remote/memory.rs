//! Memory of other processes, as Linux tells it.

use std::path::PathBuf;

/// Memory of a process, or of some together, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Share {
    /// Proportional: pages that processes share are divided among them.
    pub(super) proportional: u64,
    /// Resident: they count for each.
    pub(super) resident: u64,
}

/// Memory of one process; none where the system does not tell.
pub(super) fn of_process(id: u32) -> Option<Share> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    read(&text)
}

/// Memory of a process and all that descend from it. Those that have just ended are left out.
pub(super) fn of_tree(id: u32) -> Option<Share> {
    let parents = parents();
    let shares = tree(id, &parents).into_iter().filter_map(of_process);
    shares.reduce(|sum, share| Share {
        proportional: sum.proportional + share.proportional,
        resident: sum.resident + share.resident,
    })
}

fn read(text: &str) -> Option<Share> {
    let kilobytes = |field: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(field))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    Some(Share {
        proportional: kilobytes("Pss:")? * 1024,
        resident: kilobytes("Rss:")? * 1024,
    })
}

/// Each process with its parent.
fn parents() -> Vec<(u32, u32)> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of = |path: PathBuf| {
        let id = path.file_name()?.to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(path.join("status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        Some((id, parent.trim().parse().ok()?))
    };
    processes.filter_map(|process| of(process.path())).collect()
}

/// A process and its descendants.
fn tree(root: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = parents.iter().filter(|(_, of)| *of == parent);
        found.extend(children.map(|(child, _)| child));
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sizes_are_read() {
        let text = "00-7f ---p 0 [rollup]\nRss:   208 kB\nPss:    20 kB\nPss_Anon: 9 kB\n";
        let expected = Share {
            proportional: 20 * 1024,
            resident: 208 * 1024,
        };
        assert_eq!(read(text), Some(expected));
        assert_eq!(read("Rss: 5 kB\n"), None);
    }

    #[test]
    fn a_tree_holds_grandchildren_and_no_strangers() {
        let parents = [(2, 1), (5, 3), (3, 2), (7, 1), (6, 2)];
        assert_eq!(tree(2, &parents), [2, 3, 6, 5]);
    }
}
