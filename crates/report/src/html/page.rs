//! The frame of the page and the escaping of everything put into it.

/// Text that is safe between tags and inside double-quoted attributes. Control characters that HTML forbids
/// become a visible replacement.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The whole document. `body` is markup, `title` is text.
pub(super) fn shell(title: &str, style: &str, script: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{} – branchwise</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#functions\">Skip to the functions</a>\n{}\
         <main>\n{body}</main>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n\
         <script>\n{script}</script>\n</body>\n</html>\n",
        escape(title),
        TOP,
    )
}

const TOP: &str = "<header class=\"top\"><span class=\"brand\">\
    <svg viewBox=\"0 0 24 24\" width=\"22\" height=\"22\" aria-hidden=\"true\"><g fill=\"none\" stroke=\"currentColor\" \
    stroke-width=\"2\" stroke-linecap=\"round\"><path d=\"M6 21V3\"/><path d=\"M6 14c0-5 10-3 10-8\"/></g>\
    <circle cx=\"16\" cy=\"5\" r=\"2.6\" fill=\"currentColor\"/><circle cx=\"6\" cy=\"4\" r=\"2.6\" fill=\"currentColor\"/></svg>\
    branchwise</span><button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\">\
    <span aria-hidden=\"true\">◐</span> Theme</button></header>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_from_text_or_attributes() {
        assert_eq!(
            escape("<script>\"a\" & 'b'\u{0}\u{1b}</script>\n"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\u{fffd}\u{fffd}&lt;/script&gt;\n"
        );
    }
}
