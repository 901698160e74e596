//! Tables as people read them, in the layout of the thesis.

use super::{Comparison, Results, Row, Setting, Spread, Success};
use crate::plan::Sets;

/// What stands where nothing was run.
const NOTHING: &str = "–";
/// Below this, only that it is below is told.
const TINY: f64 = 0.001;

/// A table of texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    /// What it shows.
    pub(crate) title: String,
    /// Names of the columns, the first that of the rows.
    pub(crate) head: Vec<String>,
    /// Rows as long as the head, their names first.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Results {
    /// The settings of each subject and criterion, never none.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[Setting]> {
        self.settings.chunk_by(|a, b| a.subject == b.subject && a.criterion == b.criterion)
    }

    /// Coverage of a part by domain, a table for each budget (5.1, 5.3 and 5.4 of the thesis), or by budget if there is
    /// only one domain (5.6); each twice, for the two totals.
    pub(crate) fn overview(&self, part: &[Setting]) -> Vec<Grid> {
        let first = &part[0];
        if part.iter().all(|setting| setting.domain == first.domain) {
            let title = format!("{}, {}, {}", first.subject, first.criterion, first.domain);
            let rows: Vec<&Setting> = part.iter().collect();
            return self.both_totals(&title, "budget", &rows, |setting| setting.budget.to_string());
        }
        let budgets = part.iter().filter(|setting| setting.domain == first.domain).map(|s| s.budget);
        let of_budget = |budget| {
            let title = format!("{}, {}, {budget}", first.subject, first.criterion);
            let rows: Vec<&Setting> = part.iter().filter(|setting| setting.budget == budget).collect();
            self.both_totals(&title, "domain", &rows, |setting| setting.domain.clone())
        };
        budgets.flat_map(of_budget).collect()
    }

    fn both_totals(
        &self,
        title: &str,
        rows_are: &str,
        settings: &[&Setting],
        name: impl Fn(&Setting) -> String,
    ) -> Vec<Grid> {
        let totals: [fn(&Setting) -> &Row; 2] = [|s| &s.mean_of_groups, |s| &s.goal_weighted];
        let grid = |total: fn(&Setting) -> &Row| Grid {
            title: format!("{title}: coverage in %, {}", total(settings[0]).name),
            head: self.head(&[rows_are]),
            rows: settings
                .iter()
                .map(|setting| row(&[&name(setting)], &total(setting).cells, spread))
                .collect(),
        };
        totals.map(grid).to_vec()
    }

    /// Coverage by decision or function, with both totals below (5.2 and 5.5 of the thesis).
    pub(crate) fn coverage(&self, setting: &Setting) -> Grid {
        let of = |name: &str, of: &Row| row(&[name, &of.goals.to_string()], &of.cells, spread);
        let mut rows: Vec<Vec<String>> = setting.groups.iter().map(|group| of(&group.name, group)).collect();
        for total in [&setting.mean_of_groups, &setting.goal_weighted] {
            rows.push(of(&format!("Total, {}", total.name), total));
        }
        if let Some(proved) = &setting.proved {
            rows.push(row(&["proved infeasible (goals)", ""], proved, spread));
        }
        Grid {
            title: format!("{}: coverage in %", setting.title()),
            head: self.head(&[setting.criterion.group(), "goals"]),
            rows,
        }
    }

    /// How often each goal was reached.
    pub(crate) fn successes(&self, setting: &Setting) -> Grid {
        Grid {
            title: format!("{}: runs that reached each goal", setting.title()),
            head: self.head(&[setting.criterion.group(), "goal"]),
            rows: setting.successes.iter().map(|s| row(&[&s.group, &s.goal], &s.cells, success)).collect(),
        }
    }

    fn head(&self, first: &[&str]) -> Vec<String> {
        let first = first.iter().map(|name| (*name).to_owned());
        first.chain(self.variants.iter().map(|variant| variant.name.clone())).collect()
    }

    /// All tables as Markdown.
    #[must_use]
    pub fn markdown(&self, title: &str) -> String {
        let mut grids: Vec<Grid> = Vec::new();
        for part in self.parts() {
            grids.extend(self.overview(part));
            for setting in part {
                grids.extend([self.coverage(setting), setting.compared(), self.successes(setting)]);
            }
        }
        let tables: String = grids.iter().map(Grid::markdown).collect();
        format!("# {}\n\n{}\n{tables}", escaped(title), self.sentence())
    }

    /// How the numbers came about.
    pub(crate) fn sentence(&self) -> String {
        let runs = match self.repetitions {
            1 => format!("One run of each cell, seed {}", self.first_seed),
            n => {
                let last = self.first_seed + u64::from(n) - 1;
                format!("{n} runs of each cell, seeds {} to {last}", self.first_seed)
            }
        };
        let collateral = match (self.collateral, self.sets) {
            (true, _) => "what a run for one goal reaches counts for all goals",
            (false, Sets::Shared) => {
                "every goal is searched for on its own, its dependence sets share its budget"
            }
            (false, Sets::Each) => {
                "every goal is searched for on its own, by each dependence set with its whole budget"
            }
        };
        format!("{runs}; {collateral}.")
    }
}

impl Setting {
    /// Its name.
    pub(crate) fn title(&self) -> String {
        format!("{}, {}, {}, {}", self.subject, self.criterion, self.domain, self.budget)
    }

    /// The variants in pairs.
    pub(crate) fn compared(&self) -> Grid {
        let head = ["measure", "first", "second", "Â12", "effect", "p", "method"];
        Grid {
            title: format!("{}: comparisons; Â12 is how likely the first has more", self.title()),
            head: head.map(str::to_owned).to_vec(),
            rows: self.comparisons.iter().map(comparison).collect(),
        }
    }
}

impl Grid {
    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("\n**{}**\n\n{}{rule}{rows}", escaped(&self.title), line(&self.head))
    }
}

fn row<T>(names: &[&str], cells: &[Option<T>], text: fn(&T) -> String) -> Vec<String> {
    let names = names.iter().map(|name| (*name).to_owned());
    names.chain(cells.iter().map(|cell| cell.as_ref().map_or(NOTHING.to_owned(), text))).collect()
}

fn spread(spread: &Spread) -> String {
    match spread.standard_deviation {
        Some(deviation) => format!("{:.1} ± {deviation:.1}", spread.mean),
        None => format!("{:.1}", spread.mean),
    }
}

fn success(success: &Success) -> String {
    let Success { reached, runs, interval: (low, high), .. } = success;
    let after = success.evaluations.map(|n| format!(", after {n:.0}")).unwrap_or_default();
    format!("{reached}/{runs} [{:.0}–{:.0} %]{after}", low * 100.0, high * 100.0)
}

fn comparison(comparison: &Comparison) -> Vec<String> {
    let Comparison { measure, first, second, a12, magnitude, p, method } = comparison;
    vec![
        measure.to_string(),
        first.clone(),
        second.clone(),
        format!("{a12:.3}"),
        magnitude.to_string(),
        probability(*p),
        method.to_string(),
    ]
}

fn probability(p: f64) -> String {
    if p < TINY { format!("< {TINY}") } else { format!("{p:.3}") }
}

/// One line of Markdown that shows the text.
fn escaped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(c, '\\' | '`' | '*' | '<' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_neither_end_cells_nor_become_markup() {
        assert_eq!(escaped("a || b\n<i> *p `x` \\"), r"a \|\| b \<i> \*p \`x\` \\");
    }

    #[test]
    fn small_probabilities_are_only_called_small() {
        let texts = [0.000_9, 0.001, 1.0].map(probability);
        assert_eq!(texts, ["< 0.001", "0.001", "1.000"]);
    }
}
