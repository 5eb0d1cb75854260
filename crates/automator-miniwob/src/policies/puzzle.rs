//! Games.

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::player::Player;

/// The lines that win.
const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

/// Tic-tac-toe, as X. Whether the other side, which plays by chance as often as not, can be beaten is its decision.
pub(crate) async fn tic_tac_toe(player: &Player) -> Result<()> {
    let function = "() => [...document.querySelectorAll('.ttt-row span')].map(field =>
        field.className === 'mark-x' ? 'x' : field.className === 'mark-o' ? 'o' : ' ').join('')";
    loop {
        let fields: String = player.look(function, json!(null)).await?;
        let is_over = player.page().evaluate("WOB_DONE_GLOBAL").await? == true;
        if is_over {
            return Ok(());
        }
        let mut fields: Vec<char> = fields.chars().collect();
        let (field, _) = best_field(&mut fields).context("no field is free")?;
        player.click(&format!("#ttt-{field}")).await?;
    }
}

/// The field for X that promises most, and how much that is: 1 a win, -1 a loss.
fn best_field(fields: &mut [char]) -> Option<(usize, f64)> {
    let promises = after_each(fields, 'x', &expected);
    promises
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))
}

/// What is to be expected when it is the turn of O: the mean of what follows by chance and the worst.
fn expected(fields: &mut [char]) -> f64 {
    let follows = after_each(fields, 'o', &|fields| {
        best_field(fields).map_or(0.0, |(_, value)| value)
    });
    let values = || follows.iter().map(|(_, value)| *value);
    let Some(worst) = values().min_by(f64::total_cmp) else {
        return 0.0;
    };
    let mean = values().sum::<f64>() / values().map(|_| 1.0).sum::<f64>();
    f64::midpoint(mean, worst)
}

/// The free fields, and what follows when one of the sides takes them.
fn after_each(fields: &mut [char], mark: char, then: &dyn Fn(&mut [char]) -> f64) -> Vec<(usize, f64)> {
    let free: Vec<usize> = (0..9).filter(|field| fields.get(*field) == Some(&' ')).collect();
    let mut follows = Vec::new();
    for field in free {
        fields[field] = mark;
        let has_won = LINES
            .iter()
            .any(|line| line.iter().all(|field| fields[*field] == mark));
        let value = match (has_won, mark) {
            (true, 'x') => 1.0,
            (true, _) => -1.0,
            (false, _) => then(fields),
        };
        fields[field] = ' ';
        follows.push((field, value));
    }
    follows
}
