//! Files that a test makes for itself, and the helpers that make them.
//!
//! ```java
//! File file = file("key=value");
//! File folder = folder("one", "two");
//! ```
//!
//! Their names are the same in every run, as are those that the search saw, so that tests can expect them; the folder that they are in is
//! another one every time, and is gone afterwards.

use crate::body::Writer;
use crate::imports::Imports;
use java_classfile::Type;
use java_wire::Argument;

/// Which helpers the tests of a class need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct OwnFiles {
    file: bool,
    folder: bool,
}

/// Who has a folder for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// A field that JUnit 5 fills.
    TempDir,
    /// A rule of JUnit 4.
    TemporaryFolder,
    /// Nobody: a program has one of its own.
    Plain,
}

impl Writer<'_, '_> {
    /// The call of a helper.
    pub(crate) fn own_file(&mut self, is_folder: bool, arguments: &[Argument]) -> String {
        let needed = if is_folder { &mut self.own_files.folder } else { &mut self.own_files.file };
        *needed = true;
        let text = Type::Object("java/lang/String".to_owned());
        // A single null in place of several texts would be no array at all.
        let exact = is_folder && arguments.len() == 1;
        let texts: Vec<String> =
            arguments.iter().map(|&text_of| self.argument(text_of, &text, exact)).collect();
        format!("{}({})", if is_folder { "folder" } else { "file" }, texts.join(", "))
    }
}

impl OwnFiles {
    /// The members that stand before the tests.
    pub(crate) fn fields(self, home: Home, imports: &mut Imports<'_>) -> Vec<String> {
        if !self.file && !self.folder {
            return Vec::new();
        }
        let file = imports.name("java/io/File");
        let place = match home {
            Home::TempDir => {
                format!("    @{}\n    {file} home;\n", imports.name("org/junit/jupiter/api/io/TempDir"))
            }
            Home::TemporaryFolder => {
                let rule = imports.name("org/junit/Rule");
                let folder = imports.name("org/junit/rules/TemporaryFolder");
                format!("    @{rule}\n    public final {folder} home = new {folder}();\n")
            }
            Home::Plain => return vec!["    private static int files;\n".to_owned()],
        };
        vec![place, "    private int files;\n".to_owned()]
    }

    /// The helpers, which stand behind the tests.
    pub(crate) fn methods(self, home: Home, imports: &mut Imports<'_>) -> Vec<String> {
        let mut helpers = Vec::new();
        if !self.file && !self.folder {
            return helpers;
        }
        let [file, text, files, utf8, fails] = [
            "java/io/File",
            "java/lang/String",
            "java/nio/file/Files",
            "java/nio/charset/StandardCharsets",
            "java/io/IOException",
        ]
        .map(|class| imports.name(class));
        let (modifiers, root) = match home {
            Home::TempDir => ("private", "home".to_owned()),
            Home::TemporaryFolder => ("private", "home.getRoot()".to_owned()),
            Home::Plain => ("private static", format!("{files}.createTempDirectory(\"files\").toFile()")),
        };
        let write = format!("{files}.write(file.toPath(), text.getBytes({utf8}.UTF_8));");
        if self.file {
            helpers.push(format!(
                "    /** A file with this text; without a text there is none by that name. */\n    \
                 {modifiers} {file} file({text} text) throws {fails} {{\n        \
                 {file} file = new {file}({root}, \"file\" + ++files);\n        \
                 if (text != null) {{\n            {write}\n        }}\n        \
                 return file;\n    }}\n"
            ));
        }
        if self.folder {
            helpers.push(format!(
                "    /** A folder with a file for each text, and with a folder in place of each that is null. */\n    \
                 {modifiers} {file} folder({text}... texts) throws {fails} {{\n        \
                 {file} folder = new {file}({root}, \"folder\" + ++files);\n        \
                 folder.mkdir();\n        \
                 for ({text} text : texts) {{\n            \
                 {file} file = new {file}(folder, \"file\" + ++files);\n            \
                 if (text == null) {{\n                file.mkdir();\n            }} else {{\n                \
                 {write}\n            }}\n        }}\n        \
                 return folder;\n    }}\n"
            ));
        }
        helpers
    }
}
