//! Which processes still run, as far as the system tells.

/// Whether any process of the group or with the mark is left. A process that has ended but that nobody has asked
/// for its status yet (in a container that can take seconds) counts as gone.
#[cfg(unix)]
pub(crate) fn any_lives(group: u32, mark: &str) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return group_lives(group);
    };
    let mut folders = processes.flatten().filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with(|first: char| first.is_ascii_digit())
    });
    folders.any(|entry| {
        let folder = entry.path();
        std::fs::read_to_string(folder.join("stat")).is_ok_and(|stat| is_living_member(&stat, group))
            // That of a process which has ended is empty.
            || std::fs::read(folder.join("environ")).is_ok_and(|variables| carries(&variables, mark))
    })
}

/// Whether this process runs. One that has ended but that nobody has asked for its status yet does not.
#[cfg(unix)]
pub(crate) fn process_lives(id: u32) -> bool {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) {
        return state_and_group(&stat).is_some_and(|(state, _)| is_living_state(state));
    }
    let pid = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| {
        let answer = rustix::process::test_kill_process(pid);
        answer.is_ok() || answer == Err(rustix::io::Errno::PERM)
    })
}

/// For systems without `/proc`.
#[cfg(unix)]
fn group_lives(id: u32) -> bool {
    let pid = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process_group(pid).is_ok())
}

/// Whether an environment, as `/proc/<id>/environ` gives it, holds a variable `name=value`.
#[cfg(unix)]
pub(crate) fn carries(variables: &[u8], mark: &str) -> bool {
    variables
        .split(|byte| *byte == 0)
        .any(|variable| variable == mark.as_bytes())
}

#[cfg(unix)]
fn is_living_member(stat: &str, group: u32) -> bool {
    state_and_group(stat).is_some_and(|(state, its)| its == group && is_living_state(state))
}

/// The parent of a process, as its `/proc/<id>/stat` names it.
#[cfg(unix)]
pub(crate) fn parent_of(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}

/// Reads `/proc/<id>/stat`: id, name in parentheses, state, parent, group.
#[cfg(unix)]
fn state_and_group(stat: &str) -> Option<(&str, u32)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    Some((fields.next()?, fields.nth(1)?.parse().ok()?))
}

/// Neither a zombie nor dead.
#[cfg(unix)]
fn is_living_state(state: &str) -> bool {
    !matches!(state, "Z" | "X")
}

#[cfg(not(unix))]
pub(crate) fn any_lives(_group: u32, _mark: &str) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_group_count_until_they_have_ended() {
        assert!(is_living_member("12 (a) b) (c) S 1 77 77 0 -1", 77));
        assert!(!is_living_member("12 (chrome) Z 1 77 77 0 -1", 77));
        assert!(!is_living_member("12 (chrome) S 1 78 77 0 -1", 77));
        assert!(!is_living_member("", 77));
        assert_eq!(parent_of("12 (a) b) (c) S 1 77 77 0 -1"), Some(1));
    }

    #[test]
    fn processes_are_known_by_the_whole_mark() {
        let variables = b"HOME=/root\0AUTOMATOR_BROWSER=12-3\0";
        assert!(carries(variables, "AUTOMATOR_BROWSER=12-3"));
        assert!(
            !carries(variables, "AUTOMATOR_BROWSER=12-30") && !carries(variables, "AUTOMATOR_BROWSER=12-")
        );
        assert!(!carries(b"", "AUTOMATOR_BROWSER=12-3"));
    }
}
