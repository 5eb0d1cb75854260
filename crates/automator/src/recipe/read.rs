//! Following a recipe on a page.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use automator_snapshot::{Structure, StructureNode};
use serde_json::{Map, Value};

use super::number;
use super::path::{Anchor, Grid, Kind, Path, Step, table_around};
use super::taken::{Between, Place, Take, texts};
use super::{List, Member, Misfit, Missing, Part, Taken, Why};

/// Nodes that are looked at before a recipe counts as one that no page was meant for.
const MOST_WORK: usize = 50_000_000;

type Read<T> = Result<Option<T>, Misfit>;

/// Reads parts of values from one page.
pub(super) struct Reader<'s> {
    pub(super) structure: &'s Structure,
    ids: HashMap<&'s str, Vec<usize>>,
    grids: RefCell<HashMap<usize, Rc<Grid>>>,
    work: Cell<usize>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(structure: &'s Structure) -> Self {
        let mut ids: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, node) in structure.nodes().iter().enumerate() {
            if let Some(id) = &node.id {
                ids.entry(id).or_default().push(number);
            }
        }
        Self {
            structure,
            ids,
            grids: RefCell::default(),
            work: Cell::new(0),
        }
    }

    /// A part of the value, read from a node; none when nothing of it is there.
    pub(super) fn part(&self, part: &Part, from: usize) -> Read<Value> {
        match part {
            Part::Members(members) => self.members(members, from),
            Part::List(list) => Ok(self.list(list, from)?.map(Value::Array)),
            Part::Taken(taken) => self.taken(taken, from),
            Part::Nothing => Ok(None),
        }
    }

    fn members(&self, members: &[Member], from: usize) -> Read<Value> {
        let mut object = Map::new();
        let mut found = false;
        let mut lacking: Option<&Member> = None;
        for member in members {
            let value = self
                .part(&member.value, from)
                .map_err(|misfit| misfit.under(&member.name))?;
            match (value, member.when_missing) {
                (Some(value), _) => {
                    found = true;
                    object.insert(member.name.clone(), value);
                }
                (None, Some(Missing::Null)) => {
                    object.insert(member.name.clone(), Value::Null);
                }
                (None, Some(Missing::LeftOut)) => {}
                (None, None) => lacking = lacking.or(Some(member)),
            }
        }
        match lacking {
            _ if !found => Ok(None),
            Some(member) => Err(Misfit::new(Why::Gone).under(&member.name)),
            None => Ok(Some(Value::Object(object))),
        }
    }

    fn list(&self, list: &List, from: usize) -> Read<Vec<Value>> {
        let Some(container) = self.follow(&list.container, from)? else {
            return Ok(list.empty_without_container.then(Vec::new));
        };
        let mut values = Vec::new();
        for item in self.items(list, container)? {
            match self.part(&list.item, item) {
                Ok(Some(value)) => {
                    self.knows_all(list, item)?;
                    values.push(value);
                }
                Ok(None) if list.passes_over => {}
                Ok(None) => return Err(Misfit::new(Why::UnknownKind).under("*")),
                Err(misfit) => return Err(misfit.under("*")),
            }
        }
        Ok(Some(values))
    }

    /// The items in a container; an element of a kind that was never seen beside them may be one too.
    fn items(&self, list: &List, container: usize) -> Result<Vec<usize>, Misfit> {
        let mut level = vec![container];
        for kind in &list.items {
            let mut inner = Vec::new();
            for &outer in &level {
                for child in self.structure.elements_in(outer) {
                    self.spend(1)?;
                    let Some(node) = self.structure.node(child) else {
                        continue;
                    };
                    if kind.is(node) {
                        inner.push(child);
                    } else if !list.beside.contains(&Kind::of(node)) && self.says_something(child) {
                        return Err(Misfit::new(Why::UnknownKind).under("*"));
                    }
                }
            }
            level = inner;
        }
        Ok(level)
    }

    /// Whether people would find anything in an element.
    pub(super) fn says_something(&self, number: usize) -> bool {
        let Some(node) = self.structure.node(number) else {
            return false;
        };
        let below = self.structure.nodes().get(number..node.end).unwrap_or_default();
        below
            .iter()
            .any(|node| node.address.is_some() || !node.name.is_empty() || !node.value.is_empty())
            || !self.structure.first_text(number).is_empty()
    }

    fn knows_all(&self, list: &List, item: usize) -> Result<(), Misfit> {
        let Some(known) = &list.may_hold else {
            return Ok(());
        };
        let known: HashSet<&str> = known.iter().map(String::as_str).collect();
        self.spend(self.size(item))?;
        match contents(self.structure, item)
            .into_iter()
            .all(|kind| known.contains(kind.as_str()))
        {
            true => Ok(()),
            false => Err(Misfit::new(Why::UnknownKind).under("*")),
        }
    }

    pub(super) fn taken(&self, taken: &Taken, from: usize) -> Read<Value> {
        let mut found: Option<Value> = None;
        for place in &taken.places {
            let Some(value) = self.place(place, &taken.says_nothing, from)? else {
                continue;
            };
            if found.as_ref().is_some_and(|found| *found != value) {
                return Err(Misfit::new(Why::Differs));
            }
            found = Some(value);
        }
        let Some(value) = found else { return Ok(None) };
        for witness in &taken.also_at {
            match self.place(witness, &taken.says_nothing, from) {
                Ok(Some(other)) if other != value => return Err(Misfit::new(Why::Differs)),
                Err(misfit) if misfit.why == Why::TooLarge => return Err(misfit),
                // A witness that cannot be asked says nothing.
                _ => {}
            }
        }
        Ok(Some(value))
    }

    pub(super) fn place(&self, place: &Place, says_nothing: &[String], from: usize) -> Read<Value> {
        let Some(number) = self.follow(&place.at, from)? else {
            return Ok(None);
        };
        let Some(node) = self.structure.node(number) else {
            return Ok(None);
        };
        if let Take::State(state) = &place.take {
            return Ok(Some(Value::Bool(node.states.contains(&state.as_str()))));
        }
        self.spend(self.size(number))?;
        let texts = texts(self.structure, number, node, &place.take);
        let whole = Between::default();
        let part = place.part.as_ref().unwrap_or(&whole);
        if place.take == Take::LineThatFits {
            let mut fitting = texts.iter().filter_map(|line| part.cut(line));
            return match (fitting.next(), fitting.next()) {
                (None, _) => Ok(None),
                (Some(only), None) => convert(place, only).map(Some),
                _ => Err(Misfit::new(Why::Several)),
            };
        }
        let Some(text) = texts.first() else {
            return Err(Misfit::new(Why::Changed));
        };
        if text.is_empty() || says_nothing.contains(text) {
            return Ok(None);
        }
        let cut = part.cut(text).ok_or_else(|| Misfit::new(Why::Changed))?;
        convert(place, cut).map(Some)
    }

    /// Goes a way; none when it ends before its last step.
    pub(super) fn follow(&self, path: &Path, from: usize) -> Read<usize> {
        let mut current = match &path.from {
            None => from,
            Some(anchor) => match self.anchor(anchor)? {
                Some(number) => number,
                None => return Ok(None),
            },
        };
        for step in &path.steps {
            let Some(next) = self.step(step, current)? else {
                return Ok(None);
            };
            current = next;
        }
        Ok(Some(current))
    }

    pub(super) fn anchor(&self, anchor: &Anchor) -> Read<usize> {
        if let Anchor::Id(id) = anchor {
            return only(self.ids.get(id.as_str()).map_or(&[], Vec::as_slice));
        }
        let nodes = self.structure.nodes();
        self.spend(nodes.len())?;
        let all: Vec<usize> = (0..nodes.len())
            .filter(|&number| nodes.get(number).is_some_and(|node| anchor.is(node)))
            .take(2)
            .collect();
        only(&all)
    }

    pub(super) fn step(&self, step: &Step, from: usize) -> Read<usize> {
        let fitting = self.fitting(step, from)?;
        let Some(nth) = step.nth else {
            return only(&fitting);
        };
        if fitting.len() < nth.nth || nth.nth == 0 {
            return Ok(None);
        }
        if fitting.len() != nth.of {
            return Err(Misfit::new(Why::Several));
        }
        Ok(fitting.get(nth.nth - 1).copied())
    }

    /// The children for which all holds that a step says, but for their position.
    pub(super) fn fitting(&self, step: &Step, from: usize) -> Result<Vec<usize>, Misfit> {
        let mut fitting = Vec::new();
        let mut before = None;
        for child in self.structure.elements_in(from) {
            self.spend(1)?;
            let previous = before.replace(child);
            let Some(node) = self.structure.node(child) else {
                continue;
            };
            if step.kind.is(node) && self.is_as_said(step, child, node, previous)? {
                fitting.push(child);
            }
        }
        Ok(fitting)
    }

    fn is_as_said(
        &self,
        step: &Step,
        number: usize,
        node: &StructureNode,
        previous: Option<usize>,
    ) -> Result<bool, Misfit> {
        if step.id.is_some() && step.id != node.id {
            return Ok(false);
        }
        if let Some(label) = &step.labelled {
            self.spend(self.size(number))?;
            if !is_labelled(&self.structure.first_text(number), label) {
                return Ok(false);
            }
        }
        if let Some(label) = &step.after {
            let Some(previous) = previous else {
                return Ok(false);
            };
            self.spend(self.size(previous))?;
            if self.structure.lines(previous).join(" ") != *label {
                return Ok(false);
            }
        }
        if let Some(header) = &step.column {
            let Some(grid) = self.grid_around(number)? else {
                return Ok(false);
            };
            let column = grid.column(header).ok_or_else(|| Misfit::new(Why::Gone))?;
            return Ok(grid.stands_in(number, column));
        }
        Ok(true)
    }

    pub(super) fn grid_around(&self, cell: usize) -> Read<Rc<Grid>> {
        let Some(table) = table_around(self.structure, cell) else {
            return Ok(None);
        };
        if let Some(grid) = self.grids.borrow().get(&table) {
            return Ok(Some(Rc::clone(grid)));
        }
        self.spend(self.size(table))?;
        let grid = Rc::new(Grid::of(self.structure, table));
        self.grids.borrow_mut().insert(table, Rc::clone(&grid));
        Ok(Some(grid))
    }

    fn size(&self, number: usize) -> usize {
        self.structure
            .node(number)
            .map_or(0, |node| node.end.saturating_sub(number))
    }

    pub(super) fn spend(&self, work: usize) -> Result<(), Misfit> {
        self.work.set(self.work.get().saturating_add(work));
        if self.work.get() > MOST_WORK {
            return Err(Misfit::new(Why::TooLarge));
        }
        Ok(())
    }
}

/// Whether the first text of an element is a label, or begins with one that ends in a colon.
pub(super) fn is_labelled(first_text: &str, label: &str) -> bool {
    first_text == label || (label.ends_with(':') && first_text.starts_with(label))
}

/// The kinds of everything in an element that says something by itself, each as the way to it.
pub(super) fn contents(structure: &Structure, within: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let end = structure.node(within).map_or(0, |node| node.end);
    for (number, node) in structure.nodes().iter().enumerate().take(end).skip(within) {
        while open.pop_if(|(last, _)| *last <= number).is_some() {}
        if node.is_text() {
            continue;
        }
        let way = match open.last() {
            _ if number == within => String::new(),
            Some((_, above)) if !above.is_empty() => format!("{above} > {}", String::from(Kind::of(node))),
            _ => String::from(Kind::of(node)),
        };
        let says = node.address.is_some() || !node.name.is_empty() || !structure.own_text(number).is_empty();
        if says {
            found.push(way.clone());
        }
        open.push((node.end, way));
    }
    found
}

fn only(numbers: &[usize]) -> Read<usize> {
    match numbers {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        _ => Err(Misfit::new(Why::Several)),
    }
}

fn convert(place: &Place, text: &str) -> Result<Value, Misfit> {
    let has_digits = text.contains(|character: char| character.is_ascii_digit());
    if place.holds_digits.is_some_and(|expected| expected != has_digits) {
        return Err(Misfit::new(Why::Changed));
    }
    match place.number {
        None => Ok(Value::String(text.to_owned())),
        Some(form) => number::read(text, form)
            .map(number::to_value)
            .ok_or_else(|| Misfit::new(Why::NoNumber)),
    }
}
