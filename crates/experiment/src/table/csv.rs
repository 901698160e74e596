//! The tables for spreadsheets (RFC 4180): numbers in columns of their own, empty where nothing was run.

use super::{Results, Row, Setting, Spread, Success};

impl Results {
    /// Coverage in percent: a row for each decision or function, and one for each of the two totals.
    #[must_use]
    pub fn coverage_csv(&self) -> String {
        let head = self.csv_head(&["group", "goals"], &["runs", "mean", "sd"]);
        let of = |setting: &Setting, group: &str, row: &Row| {
            let own = [group.to_owned(), row.goals.to_string()];
            line(setting.names().into_iter().chain(own).chain(row.cells.iter().flat_map(spread)))
        };
        let rows = self.settings.iter().flat_map(|setting| {
            let groups = setting.groups.iter().map(move |group| of(setting, &group.name, group));
            let totals = [&setting.mean_of_groups, &setting.goal_weighted];
            groups.chain(totals.map(|total| of(setting, &format!("Total, {}", total.name), total)))
        });
        head + &rows.collect::<String>()
    }

    /// How often each goal was reached, with Wilson's interval, and after how many evaluations.
    #[must_use]
    pub fn success_csv(&self) -> String {
        let head =
            self.csv_head(&["group", "goal"], &["runs", "reached", "low", "high", "median evaluations"]);
        let rows = self.settings.iter().flat_map(|setting| {
            setting.successes.iter().map(|row| {
                let own = [row.group.clone(), row.goal.clone()];
                line(setting.names().into_iter().chain(own).chain(row.cells.iter().flat_map(success)))
            })
        });
        head + &rows.collect::<String>()
    }

    /// The variants in pairs.
    #[must_use]
    pub fn comparisons_csv(&self) -> String {
        let names = Setting::NAMES.into_iter();
        let own = ["measure", "first", "second", "a12", "effect", "p", "method"];
        let head = line(names.chain(own).map(str::to_owned));
        let rows = self.settings.iter().flat_map(|setting| {
            setting.comparisons.iter().map(|c| {
                let own = [
                    c.measure.to_string(),
                    c.first.clone(),
                    c.second.clone(),
                    format!("{:.6}", c.a12),
                    c.magnitude.to_string(),
                    format!("{:.6e}", c.p),
                    c.method.to_string(),
                ];
                line(setting.names().into_iter().chain(own))
            })
        });
        head + &rows.collect::<String>()
    }

    /// Columns that name the row, then those of each variant.
    fn csv_head(&self, own: &[&str], of_variant: &[&str]) -> String {
        let names = Setting::NAMES.iter().chain(own).map(|name| (*name).to_owned());
        let variants = self.variants.iter();
        let columns =
            variants.flat_map(|v| of_variant.iter().map(move |column| format!("{} {column}", v.name)));
        line(names.chain(columns))
    }
}

impl Setting {
    const NAMES: [&str; 4] = ["subject", "criterion", "domain", "budget"];

    fn names(&self) -> [String; 4] {
        [self.subject.clone(), self.criterion.to_string(), self.domain.clone(), self.budget.to_string()]
    }
}

fn spread(cell: &Option<Spread>) -> [String; 3] {
    let Some(spread) = cell else { return Default::default() };
    let deviation = spread.standard_deviation.map(number).unwrap_or_default();
    [spread.runs.to_string(), number(spread.mean), deviation]
}

fn success(cell: &Option<Success>) -> [String; 5] {
    let Some(success) = cell else { return Default::default() };
    let (low, high) = success.interval;
    let evaluations = success.evaluations.map(|n| format!("{n:.1}")).unwrap_or_default();
    [success.runs.to_string(), success.reached.to_string(), number(low), number(high), evaluations]
}

fn number(x: f64) -> String {
    format!("{x:.4}")
}

fn line(fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<String> = fields.map(|field| quoted(&field)).collect();
    fields.join(",") + "\r\n"
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let fields = ["plain", "a, b", "say \"x\"", "two\nlines", ""].map(str::to_owned);
        assert_eq!(line(fields.into_iter()), "plain,\"a, b\",\"say \"\"x\"\"\",\"two\nlines\",\r\n");
    }
}
