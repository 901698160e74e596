//! The results as one page that needs nothing else: style and pictures are inlined, there is no script, and a content
//! security policy forbids every request.

mod plot;

use crate::table::{Grid, Results, Setting};

const STYLE: &str = include_str!("../../assets/page.css");

/// The text of the page.
#[must_use]
pub fn html(title: &str, results: &Results) -> String {
    let mut plots = 0;
    let parts: String = results.parts().map(|settings| part(results, settings, &mut plots)).collect();
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{title} – branchwise</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"lead\">{}</p>\n\
         {READING}{parts}</main>\n</body>\n</html>\n",
        escape(&results.sentence())
    )
}

const READING: &str = "<p class=\"hint\">Coverage is the mean over the runs ± their standard deviation. \
    A box spans the quartiles of the runs, the line in it is the median; whiskers end at the last run within 1.5 heights \
    of the box, dots are runs beyond. Â12 is how likely the first has more: from 0.56 the effect is small, from 0.64 \
    medium, from 0.71 large, and likewise below 0.5. p is that of the two-sided rank-sum test, not corrected for the \
    number of comparisons.</p>\n";

/// Everything about one subject and criterion: what the thesis would print, the plots, and the details of each setting.
fn part(results: &Results, settings: &[Setting], plots: &mut usize) -> String {
    let heading = escape(&format!("{}, {}", settings[0].subject, settings[0].criterion));
    let overview: String = results.overview(settings).iter().map(table).collect();
    let mut figures = String::new();
    for setting in settings {
        figures += &plot::plot(results, setting, *plots);
        *plots += 1;
    }
    let details: String = settings.iter().map(|setting| details(results, setting)).collect();
    format!(
        "<section><h2>{heading}</h2>\n{overview}<h3>Spread of the runs</h3>\n<div class=\"plots\">{figures}</div>\n\
         {details}</section>\n"
    )
}

fn details(results: &Results, setting: &Setting) -> String {
    let tables = [results.coverage(setting), setting.compared(), results.successes(setting)];
    let tables: String = tables.iter().map(table).collect();
    format!("<details><summary>{}</summary>\n{tables}</details>\n", escape(&setting.title()))
}

/// A table whose first column names its rows.
fn table(grid: &Grid) -> String {
    let title = escape(&grid.title);
    let head: String =
        grid.head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let row = |cells: &Vec<String>| {
        let (name, cells) = cells.split_first().expect("rows have names");
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(name))
    };
    let rows: String = grid.rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table>\
         <caption>{title}</caption><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    )
}

/// Text that is safe between tags and inside double-quoted attributes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
