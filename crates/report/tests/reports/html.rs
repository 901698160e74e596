//! `report.html`: well formed, safe, linked, usable in a browser and at size.

use crate::example::{Example, example, program};
use model::FunctionId;
use report::html;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use suite::{GoalState, Proof};

/// Elements without an end tag, and those SVG closes at once.
const VOID: [&str; 5] = ["meta", "link", "input", "br", "!doctype"];

#[test]
fn every_element_is_closed_where_it_was_opened() {
    assert_well_formed(&html(&example().report()));
    assert_well_formed(&html(&program().report()));
}

#[test]
fn every_link_has_its_target_and_every_id_is_unique() {
    for page in [html(&example().report()), html(&program().report())] {
        let ids: Vec<&str> = attributes(&page, " id=\"");
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len());
        let links = attributes(&page, "href=\"#");
        assert!(links.len() > 40, "two badges for each of ten branches, and more: {}", links.len());
        for link in links {
            assert!(unique.contains(link), "#{link} leads nowhere");
        }
    }
}

#[test]
fn tests_of_a_program_are_shown_with_what_goes_in() {
    let page = html(&program().report());
    let row = |id: &str| page.lines().find(|l| l.contains(&format!("id=\"{id}\""))).expect("a row");
    let first = row("tp-0");
    for part in [
        "&quot;-x&quot; &quot;a b&lt;&quot;",
        "stdin <code>&quot;7\\000\\n&quot;",
        "exits with status 2",
        "&lt;b&gt;",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(first.contains("shapes.c:11 true") && first.contains(" more"), "{first}");
    assert!(row("tp-1").contains("<code>n</code> = <code>-2</code>"));
    assert!(page.contains("crashes/crash_1") && page.contains("href=\"#xp-0\">finding 1"));
    assert!(!page.contains(" 0 executions"), "functions of a program have none of their own");
}

#[test]
fn what_the_plain_program_does_otherwise_is_told() {
    let page = html(&program().report());
    let row = |id: &str| page.lines().find(|l| l.contains(&format!("id=\"{id}\""))).expect("a row");
    assert!(row("tp-1").contains("what it prints is not asserted") && !row("tp-0").contains("not asserted"));
    let left_out = page.split("<h4>Left out</h4>").nth(1).and_then(|rest| rest.split("</ul>").next());
    let left_out = left_out.expect("a list");
    for part in ["exits with status 7", "the plain program ends otherwise; left out", "&quot;late&quot;"] {
        assert!(left_out.contains(part), "{part}: {left_out}");
    }
    for part in ["<li>1 test: the plain program does the same</li>", "<li>1 test: the plain program prints"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn all_paths_of_a_program_are_those_of_its_modelled_world() {
    let modelled = "holds for the world as it is modelled";
    for (mut example, expected) in [(example(), false), (program(), true)] {
        assert!(!html(&example.report()).contains(modelled));
        example.results[0].goals[0].1 = GoalState::Infeasible(Proof::AllPaths);
        let page = html(&example.report());
        assert!(page.contains("was run, and none comes here"));
        assert_eq!(page.contains(modelled), expected);
    }
}

#[test]
fn exploration_is_told_in_a_sentence_and_two_tables() {
    let page = html(&example().report());
    assert_eq!(page.matches("<h4>Symbolic exploration</h4>").count(), 1, "only `digits` was explored");
    let told = page.split("<h4>Symbolic exploration</h4>").nth(1).expect("the part");
    for part in [
        "Not all paths are known. 1,250 traced runs on 1,101 paths, of 1,200,000 executions.",
        "<b>3 runs diverged</b> from what was computed for them.",
        "Nobody could answer 1 question.",
        "<th scope=\"row\">fold</th><td class=\"n\">2,000</td><td class=\"n\">15</td><td class=\"n\">1,200</td></tr>",
        "<code>src/shapes.c:23</code></th><td>result of sqrt&lt;&gt;</td><td class=\"n\">4,000</td>",
    ] {
        assert!(told.contains(part), "{part}");
    }
    assert!(told.find("sqrt") < told.find("store at an address"), "the worst first");
    let whole = html(&program().report());
    assert!(whole.contains("what none of them reaches cannot be reached in the world as it is modelled."));
    assert!(whole.contains("Every one did what was computed"));
    assert!(whole.contains("Losses by line, the program"));
}

#[test]
fn coverage_of_a_program_is_also_told_relative_to_functions_that_are_reached() {
    let example = program();
    assert_eq!(html(&example.report()).matches("<figure").count(), 1, "all functions are reached");
    let mut example = program();
    for (goal, state) in &mut example.results[0].goals {
        // The three conditions of `classify`.
        if goal.branch.0 < 3 {
            *state = suite::GoalState::Unknown(suite::Reason::Environment);
        }
    }
    let page = html(&example.report());
    assert_eq!(page.matches("<figure").count(), 2);
    let caption = "share of the 14 outcomes in functions of which at least one is reached: 78.5%";
    assert!(page.contains(caption) && page.contains(">100%</text>"), "{caption}");
    assert_well_formed(&page);
}

#[test]
fn badges_stand_behind_their_conditions() {
    let page = html(&example().report());
    let line = |text: &str| page.lines().find(|l| l.contains(text)).expect("the line is there");
    let conditions = line("<span class=\"no\">11</span>");
    assert_eq!(conditions.matches("class=\"b cov\"").count(), 4);
    let first = conditions.find("data-tip=\"a &lt;= 0 is true").expect("first condition");
    assert!(conditions.find("data-tip=\"b &lt;= 0 is true").expect("second condition") > first);
    let in_macro = line("<span class=\"no\">23</span>");
    assert_eq!(
        (in_macro.matches("class=\"b cov\"").count(), in_macro.matches("class=\"b unk\"").count()),
        (3, 1)
    );
    let assertion = line("<span class=\"no\">32</span>");
    assert_eq!(
        (assertion.matches("class=\"b cov\"").count(), assertion.matches("class=\"b inf\"").count()),
        (3, 1)
    );
}

#[test]
fn hostile_text_stays_text() {
    let mut example = example();
    let evil = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>";
    example.program.files[0].path = format!("{evil}.c");
    example.results[0].tests[0].name = evil.into();
    example.results[1].findings[0].stack = vec![evil.into()];
    example.results[1].unstable = vec![evil.into()];
    example.program.functions[0].name = evil.into();
    example.sources[0].1 = crate::example::SOURCE.replace("not & never", evil);
    let mut report = example.report();
    report.settings.command = evil.into();
    let page = html(&report);
    assert_eq!(page.matches("<script").count(), 1, "only our own script");
    assert!(!page.contains("<img"));
    assert_well_formed(&page);
}

#[test]
fn nonsense_positions_do_no_harm() {
    let mut example = example();
    example.sources[0].1 = "é\n\tü".into();
    let page = html(&example.report());
    assert_well_formed(&page);
    example.program.functions[0].span.end.line = 0;
    example.program.functions[1].span.start.line = 900;
    example.sources[0].1 = "ééé\n".repeat(33);
    assert_well_formed(&html(&example.report()));
    example.sources.clear();
    assert!(html(&example.report()).contains("is not at hand"));
}

#[test]
fn the_page_asks_nobody_for_anything() {
    let page = html(&example().report());
    assert!(page.contains("default-src 'none'"));
    for outside in ["http://", "https://", "src=\"", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn three_hundred_functions_in_twenty_thousand_lines() {
    let page = html(&large().report());
    assert_eq!(page.matches("<details class=\"fn\"").count(), 300);
    assert!(!page.contains(" open>"), "all folded");
    assert!(page.len() < 12 << 20, "{} bytes", page.len());
    assert_well_formed(&page);
}

/// WCAG 2.1, 1.4.3: at least 4.5 to 1 for text, in both themes.
#[test]
fn text_has_enough_contrast() {
    let page = html(&example().report());
    let themes: Vec<&str> = page.split('{').filter(|block| block.contains("--bg:")).collect();
    assert_eq!(themes.len(), 3, "light, dark by preference, dark by choice");
    for theme in themes {
        for (text, grounds) in [
            ("ink", &["bg", "card", "code"][..]),
            ("soft", &["bg", "card", "code", "flash"]),
            ("link", &["bg", "card", "flash"]),
            ("cov", &["cov-bg"]),
            ("inf", &["inf-bg"]),
            ("unk", &["unk-bg", "card"]),
            ("bad", &["bad-bg", "bg", "card"]),
            ("kw", &["code", "card"]),
            ("str", &["code", "card"]),
            ("num", &["code", "card"]),
            ("com", &["code", "card"]),
        ] {
            for ground in grounds {
                let ratio = contrast(luminance(theme, text), luminance(theme, ground));
                assert!(ratio >= 4.5, "{text} on {ground}: {ratio:.2}");
            }
        }
    }
}

fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance of a colour variable.
fn luminance(theme: &str, name: &str) -> f64 {
    let hex = theme.split(&format!("--{name}: #")).nth(1).expect("the theme has the colour");
    let channel = |i: usize| {
        let value = f64::from(u8::from_str_radix(&hex[i..i + 2], 16).expect("two hex digits")) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
}

/// The example's middle function a hundred times over, and the others with it.
fn large() -> Example {
    let mut example = example();
    let filler = "// filler\n".repeat(165);
    let lines = (crate::example::SOURCE.matches('\n').count() + 165) as u32;
    let (functions, results) = (example.program.functions.clone(), example.results.clone());
    for copy in 1..100u32 {
        for (function, result) in functions.iter().zip(&results) {
            let mut function = function.clone();
            function.name = format!("{}_{copy}", function.name);
            function.span.start.line += copy * lines;
            function.span.end.line += copy * lines;
            let mut result = result.clone();
            result.function = FunctionId(example.program.functions.len() as u32);
            for branch in &mut function.branches {
                for span in [Some(&mut branch.span), branch.expansion.as_mut()].into_iter().flatten() {
                    span.start.line += copy * lines;
                    span.end.line += copy * lines;
                }
            }
            result.tests.iter_mut().for_each(|t| t.name += &format!("_{copy}"));
            example.program.functions.push(function);
            example.results.push(result);
        }
    }
    example.sources[0].1 = (crate::example::SOURCE.to_owned() + &filler).repeat(100);
    assert!(example.sources[0].1.lines().count() > 19_900);
    example
}

/// A check appended to the page: follows every link, uses every control, and writes what it saw to the title.
const SELF_CHECK: &str = r##"<script>
const wrong = [];
for (const a of document.querySelectorAll('a[href^="#"]')) {
  const target = document.getElementById(a.getAttribute("href").slice(1));
  if (!target) { wrong.push(a.outerHTML); continue; }
  a.click();
  for (let e = target.parentElement; e; e = e.parentElement)
    if (e.tagName === "DETAILS" && !e.open) wrong.push("stays folded: " + a.outerHTML);
}
const badge = document.querySelector(".source a.b"), tip = document.getElementById("tip");
badge.dispatchEvent(new Event("focusin", { bubbles: true }));
if (tip.hidden || !tip.textContent.includes("covered by")) wrong.push("no tip");
const theme = document.getElementById("theme");
theme.click();
if (!document.documentElement.dataset.theme) wrong.push("no theme");
const filter = document.getElementById("filter");
filter.value = "digits";
filter.dispatchEvent(new Event("input"));
const shown = document.querySelectorAll(".overview tbody tr:not([hidden])").length;
if (shown !== 1) wrong.push("filter shows " + shown);
document.querySelector('[data-fold=""]').click();
if (document.querySelector("details.fn[open]")) wrong.push("does not close");
if (document.documentElement.scrollWidth > innerWidth) wrong.push("too wide: " + document.documentElement.scrollWidth);
document.title = wrong.length ? "WRONG " + wrong.join(" | ") : "ALL RIGHT";
</script>"##;

#[test]
fn opens_in_chromium_without_an_error() {
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|b| installed(b))
    else {
        eprintln!("skipped: no chromium on this machine (apt-get install chromium)");
        return;
    };
    let folder = tempfile::tempdir().expect("a scratch folder");
    let page = folder.path().join("report.html");
    let text = html(&example().report()).replace("addEventListener(\"hashchange\", reveal);", HASH_AT_ONCE);
    if let Some(copy) = std::env::var_os("BRANCHWISE_EXAMPLE_REPORT") {
        std::fs::write(copy, html(&example().report())).expect("the copy can be written");
    }
    std::fs::write(&page, text.replace("</body>", &format!("{SELF_CHECK}</body>")))
        .expect("scratch is writable");
    for size in ["1200,1600", "390,844"] {
        let (dom, log) = open(browser, &page, &folder.path().join("profile"), size);
        assert!(
            dom.contains("<title>ALL RIGHT</title>"),
            "{}\n{log}",
            dom.lines().find(|l| l.contains("<title>")).unwrap_or(&dom)
        );
        assert!(!log.contains("CONSOLE"), "{log}");
    }
}

/// The browser reports a new hash after the script has ended; the self-check looks at once.
const HASH_AT_ONCE: &str = "document.addEventListener(\"click\", (e) => { const a = e.target.closest('a[href^=\"#\"]'); if (a) { location.hash = a.getAttribute(\"href\"); reveal(); } });";

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
}

fn open(browser: &str, page: &Path, profile: &Path, size: &str) -> (String, String) {
    let out = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--window-size={size}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser starts");
    (String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
}

fn attributes<'a>(page: &'a str, start: &str) -> Vec<&'a str> {
    page.split(start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Tags nest. Style and script are skipped: their text is not markup.
fn assert_well_formed(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..at + rest[at..].find('>').expect("a tag ends")];
        rest = &rest[at + tag.len() + 2..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "before {}", &rest[..rest.len().min(200)]);
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
            if name == "script" || name == "style" {
                rest = &rest[rest.find(&format!("</{name}>")).expect("it ends")..];
            }
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
}
