//! Obligations as XML.

use super::{
    ConditionObligations, DecisionObligations, FileObligations, FunctionObligations, OBLIGATIONS_VERSION,
    ObligationFault, ObligationPlace, Obligations, PairObligation, VectorObligation, WantedVector, fault,
};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use roxmltree::{Document, Node};
use std::io;

const BITWISE: &str = "bitwise-decisions";

type Out = Writer<Vec<u8>>;

pub(super) fn write(all: &Obligations) -> String {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    let version = OBLIGATIONS_VERSION.to_string();
    let written = out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None))).and_then(|()| {
        let root = out.create_element("obligations");
        let root = root.with_attributes([("version", version.as_str()), ("mcdc", all.mcdc.as_str())]);
        let root = root.with_attributes(all.bitwise_decisions.then_some((BITWISE, "true")));
        root.write_inner_content(|out| all.files.iter().try_for_each(|of| file(out, of)))
    });
    written.expect("memory can be written to");
    let mut text = String::from_utf8(out.into_inner()).expect("text was written");
    text.push('\n');
    text
}

fn file(out: &mut Out, of: &FileObligations) -> io::Result<()> {
    let element = out.create_element("file").with_attribute(("path", of.path.as_str()));
    element.write_inner_content(|out| of.functions.iter().try_for_each(|of| function(out, of)))?;
    Ok(())
}

fn function(out: &mut Out, of: &FunctionObligations) -> io::Result<()> {
    let element = out.create_element("function").with_attribute(("name", of.name.as_str()));
    element.write_inner_content(|out| of.decisions.iter().try_for_each(|of| decision(out, of)))?;
    Ok(())
}

fn decision(out: &mut Out, of: &DecisionObligations) -> io::Result<()> {
    let complete = of.complete.to_string();
    let place = place(&of.place);
    let element = out
        .create_element("decision")
        .with_attributes(place.iter().map(|(name, value)| (*name, value.as_str())))
        .with_attributes([("complete", complete.as_str()), ("form", &of.form), ("text", &of.text)]);
    element.write_inner_content(|out| {
        of.conditions.iter().try_for_each(|of| condition(out, of))?;
        for vector in &of.vectors {
            let (number, outcome) = (vector.number.to_string(), vector.outcome.to_string());
            let attributes = [("number", number.as_str()), ("values", &vector.values), ("outcome", &outcome)];
            out.create_element("vector").with_attributes(attributes).write_empty()?;
        }
        let plan: Vec<String> = of.plan.iter().map(usize::to_string).collect();
        out.create_element("plan").with_attribute(("vectors", plan.join(" ").as_str())).write_empty()?;
        let Some(wanted) = &of.wanted else { return Ok(()) };
        let vector = |out: &mut Out, vector: &WantedVector| {
            let element = out.create_element("vector").with_attribute(("values", vector.values.as_str()));
            element.write_empty().map(|_| ())
        };
        out.create_element("wanted")
            .write_inner_content(|out| wanted.iter().try_for_each(|one| vector(out, one)))?;
        Ok(())
    })?;
    Ok(())
}

fn condition(out: &mut Out, of: &ConditionObligations) -> io::Result<()> {
    let place = place(&of.place);
    let constant = of.constant.map(|value| value.to_string());
    let element = out
        .create_element("condition")
        .with_attribute(("letter", of.letter.as_str()))
        .with_attributes(place.iter().map(|(name, value)| (*name, value.as_str())))
        .with_attribute(("text", of.text.as_str()))
        .with_attributes(constant.as_ref().map(|value| ("constant", value.as_str())));
    element.write_inner_content(|out| {
        for PairObligation { vectors: [one, other], .. } in &of.pairs {
            let (one, other) = (one.to_string(), other.to_string());
            let attributes = [("false", one.as_str()), ("true", other.as_str())];
            out.create_element("pair").with_attributes(attributes).write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

fn place(of: &ObligationPlace) -> Vec<(&'static str, String)> {
    let ends =
        [("line", of.line), ("column", of.column), ("end-line", of.end_line), ("end-column", of.end_column)];
    let ends = ends.map(|(name, number)| (name, number.to_string()));
    of.file.iter().map(|file| ("file", file.clone())).chain(ends).collect()
}

pub(super) fn read(text: &str) -> Result<Obligations, ObligationFault> {
    const HINT: &str =
        "obligations are what `branchwise obligations` prints: XML, or JSON that begins with {";
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return fault(error.pos().row as usize, format!("no XML: {error}"), HINT),
    };
    let root = Element { node: document.root_element(), document: &document };
    if root.node.tag_name().name() != "obligations" {
        return fault(root.line(), format!("<{}> is no <obligations>", root.node.tag_name().name()), HINT);
    }
    let version = root.text("version")?;
    if version != OBLIGATIONS_VERSION.to_string() {
        return super::json::unknown_version(root.line(), &version);
    }
    root.expect(&["version", "mcdc", BITWISE], &["file"])?;
    Ok(Obligations {
        mcdc: root.text("mcdc")?,
        bitwise_decisions: root.truth(BITWISE)?.unwrap_or_default(),
        files: root.each("file", read_file)?,
        at: root.line(),
    })
}

fn read_file(file: Element<'_, '_>) -> Result<FileObligations, ObligationFault> {
    file.expect(&["path"], &["function"])?;
    let functions = file.each("function", |function| {
        function.expect(&["name"], &["decision"])?;
        Ok(FunctionObligations {
            name: function.text("name")?,
            decisions: function.each("decision", read_decision)?,
            at: function.line(),
        })
    })?;
    Ok(FileObligations { path: file.text("path")?, functions, at: file.line() })
}

fn read_decision(decision: Element<'_, '_>) -> Result<DecisionObligations, ObligationFault> {
    decision.expect(
        &["file", "line", "column", "end-line", "end-column", "complete", "form", "text"],
        &["condition", "vector", "plan", "wanted"],
    )?;
    let vectors = decision.each("vector", |vector| {
        vector.expect(&["number", "values", "outcome"], &[])?;
        Ok(VectorObligation {
            number: vector.value("number", "a number")?,
            values: vector.text("values")?,
            outcome: vector.value("outcome", "true or false")?,
            at: vector.line(),
        })
    })?;
    let plans = decision.each("plan", |plan| {
        plan.expect(&["vectors"], &[])?;
        let numbers = plan.text("vectors")?;
        let number = |word: &str| plan.parsed("vectors", word, "numbers");
        numbers.split_whitespace().map(number).collect::<Result<Vec<usize>, _>>()
    })?;
    let mut wanted = decision.each("wanted", |wanted| {
        wanted.expect(&[], &["vector"])?;
        wanted.each("vector", |vector| {
            vector.expect(&["values"], &[])?;
            Ok(WantedVector { values: vector.text("values")?, at: vector.line() })
        })
    })?;
    if wanted.len() > 1 {
        return fault(decision.line(), "more than one <wanted>", "put all vectors into one");
    }
    Ok(DecisionObligations {
        place: decision.place()?,
        text: decision.text("text")?,
        form: decision.text("form")?,
        complete: decision.value("complete", "true or false")?,
        conditions: decision.each("condition", read_condition)?,
        vectors,
        plan: plans.concat(),
        wanted: wanted.pop(),
        at: decision.line(),
    })
}

fn read_condition(condition: Element<'_, '_>) -> Result<ConditionObligations, ObligationFault> {
    condition.expect(
        &["letter", "file", "line", "column", "end-line", "end-column", "text", "constant"],
        &["pair"],
    )?;
    let pairs = condition.each("pair", |pair| {
        pair.expect(&["false", "true"], &[])?;
        let vectors = [pair.value("false", "a number")?, pair.value("true", "a number")?];
        Ok(PairObligation { vectors, at: pair.line() })
    })?;
    Ok(ConditionObligations {
        letter: condition.text("letter")?,
        place: condition.place()?,
        text: condition.text("text")?,
        constant: condition.truth("constant")?,
        pairs,
        at: condition.line(),
    })
}

#[derive(Clone, Copy)]
struct Element<'d, 'i> {
    node: Node<'d, 'i>,
    document: &'d Document<'i>,
}

impl<'d, 'i> Element<'d, 'i> {
    fn line(&self) -> usize {
        self.document.text_pos_at(self.node.range().start).row as usize
    }

    fn name(&self) -> &str {
        self.node.tag_name().name()
    }

    /// Something misspelt must not be taken for something left out.
    fn expect(&self, attributes: &[&str], elements: &[&str]) -> Result<(), ObligationFault> {
        const HINT: &str = "docs/OBLIGATIONS.md has all elements and attributes";
        let odd = self.node.attributes().find(|attribute| !attributes.contains(&attribute.name()));
        if let Some(odd) = odd {
            return fault(self.line(), format!("<{}> has no attribute `{}`", self.name(), odd.name()), HINT);
        }
        for child in self.node.children() {
            let line = self.document.text_pos_at(child.range().start).row as usize;
            if child.is_element() && !elements.contains(&child.tag_name().name()) {
                let message = format!("there is no <{}> in <{}>", child.tag_name().name(), self.name());
                return fault(line, message, HINT);
            }
            if child.is_text() && !child.text().unwrap_or_default().trim().is_empty() {
                return fault(line, format!("there is no text in <{}>", self.name()), HINT);
            }
        }
        Ok(())
    }

    fn each<T>(
        &self,
        name: &str,
        read: impl Fn(Element<'d, 'i>) -> Result<T, ObligationFault>,
    ) -> Result<Vec<T>, ObligationFault> {
        let children = self.node.children().filter(|child| child.is_element() && child.has_tag_name(name));
        children.map(|node| read(Element { node, document: self.document })).collect()
    }

    fn text(&self, name: &str) -> Result<String, ObligationFault> {
        match self.node.attribute(name) {
            Some(text) => Ok(text.to_owned()),
            None => {
                let message = format!("<{}> lacks its attribute `{name}`", self.name());
                fault(self.line(), message, "docs/OBLIGATIONS.md has all elements and attributes")
            }
        }
    }

    fn parsed<T: std::str::FromStr>(&self, name: &str, word: &str, kind: &str) -> Result<T, ObligationFault> {
        let wrong = || format!("`{word}` in `{name}` of <{}> is not {kind}", self.name());
        word.parse().or_else(|_| fault(self.line(), wrong(), "see docs/OBLIGATIONS.md"))
    }

    fn value<T: std::str::FromStr>(&self, name: &str, kind: &str) -> Result<T, ObligationFault> {
        self.parsed(name, &self.text(name)?, kind)
    }

    /// An attribute that may be absent.
    fn truth(&self, name: &str) -> Result<Option<bool>, ObligationFault> {
        self.node.attribute(name).map(|word| self.parsed(name, word, "true or false")).transpose()
    }

    fn place(&self) -> Result<ObligationPlace, ObligationFault> {
        Ok(ObligationPlace {
            file: self.node.attribute("file").map(str::to_owned),
            line: self.value("line", "a number")?,
            column: self.value("column", "a number")?,
            end_line: self.value("end-line", "a number")?,
            end_column: self.value("end-column", "a number")?,
        })
    }
}
