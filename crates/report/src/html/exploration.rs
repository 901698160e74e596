//! What symbolic exploration did: how much of the program it knows, who answered its questions, where it lost precision.

use super::page::escape;
use crate::summary::{Approximation, ExplorationSummary, LayerSummary};
use crate::words::{count, grouped, seconds};

/// Lines with losses that are shown; `summary.json` has more.
const SHOWN: usize = 25;

/// The part of the page about one exploration; `where_it_holds` goes behind what is proved.
pub(super) fn shown(exploration: &ExplorationSummary, of: &str, where_it_holds: &str) -> String {
    format!(
        "<h4>Symbolic exploration</h4><p>{}</p>{}{}",
        verdict(exploration, where_it_holds),
        layers(&exploration.layers, of),
        losses(&exploration.losses, of)
    )
}

/// Numbers that say how far it can be trusted.
fn verdict(e: &ExplorationSummary, where_it_holds: &str) -> String {
    let known = match e.complete {
        true => format!("All paths are known: what none of them reaches cannot be reached{where_it_holds}."),
        false => "Not all paths are known.".to_owned(),
    };
    let diverged = match e.divergences {
        0 => "Every one did what was computed for it.".to_owned(),
        1 => "<b>1 run diverged</b> from what was computed for it.".to_owned(),
        n => format!("<b>{} runs diverged</b> from what was computed for them.", grouped(n)),
    };
    let unknown = match e.unknown {
        0 => String::new(),
        n => format!(" Nobody could answer {}.", count(n as usize, "question")),
    };
    let mut runs =
        format!("{} on {}", count(e.traced as usize, "traced run"), count(e.paths as usize, "path"));
    if e.search_executions > 0 {
        runs += &format!(", of {}", count(e.search_executions as usize, "execution"));
        runs += &e.search_seconds.map(|s| format!(" in {}", seconds(s))).unwrap_or_default();
    }
    format!("{known} {runs}. {diverged}{unknown}")
}

fn layers(layers: &[LayerSummary], of: &str) -> String {
    if layers.iter().all(|layer| layer.asked == 0) {
        return String::new();
    }
    let has_time = layers.iter().any(|layer| layer.seconds.is_some());
    let time = if has_time { "<th scope=\"col\" class=\"n\">Time</th>" } else { "" };
    let rows: String = layers.iter().map(layer_row).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Layers of the solver, {}\"><table>\
         <thead><tr><th scope=\"col\">Layer of the solver</th><th scope=\"col\" class=\"n\">Asked</th>\
         <th scope=\"col\" class=\"n\">Values found</th><th scope=\"col\" class=\"n\">Proved impossible</th>{time}</tr></thead><tbody>{rows}</tbody></table></div>",
        escape(of)
    )
}

fn layer_row(layer: &LayerSummary) -> String {
    let time = layer.seconds.map(|s| format!("<td class=\"n\">{}</td>", seconds(s))).unwrap_or_default();
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td>{}{}{time}</tr>\n",
        escape(&layer.layer),
        grouped(layer.asked),
        number(layer.sat),
        number(layer.unsat),
    )
}

fn number(n: u64) -> String {
    format!("<td class=\"n{}\">{}</td>", if n == 0 { " zero" } else { "" }, grouped(n))
}

fn losses(losses: &[Approximation], of: &str) -> String {
    if losses.is_empty() {
        return String::new();
    }
    let rows: String = losses.iter().take(SHOWN).map(loss_row).collect();
    let more = match losses.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!("<p class=\"where\">and {} with fewer losses, see summary.json</p>", count(n, "line")),
    };
    format!(
        "<h4>Why precision was lost</h4><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Losses by line, {}\">\
         <table><thead><tr><th scope=\"col\">Line</th><th scope=\"col\">What is taken as a number</th>\
         <th scope=\"col\" class=\"n\">Times</th></tr></thead><tbody>{rows}</tbody></table></div>{more}",
        escape(of)
    )
}

fn loss_row(loss: &Approximation) -> String {
    let (place, what) = place_and_what(&loss.what);
    format!(
        "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td class=\"n\">{}</td></tr>\n",
        escape(place),
        escape(what),
        grouped(loss.count)
    )
}

/// `file:line` and the words behind it; what happens inside the library has no place.
fn place_and_what(text: &str) -> (&str, &str) {
    match text.split_once(": ") {
        Some((place, what)) if is_place(place) => (place, what),
        _ => ("", text),
    }
}

fn is_place(text: &str) -> bool {
    let line = text.rsplit_once(':').map_or("", |(_, line)| line);
    !line.is_empty() && line.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_a_place_or_none() {
        assert_eq!(place_and_what("src/a.c:12: call of x: y"), ("src/a.c:12", "call of x: y"));
        assert_eq!(place_and_what("call of x: y"), ("", "call of x: y"));
        assert_eq!(place_and_what("a.c:: y"), ("", "a.c:: y"));
    }
}
