//! What builds and runs the tests: a Maven project, a Gradle one, and a script for machines with nothing but a JDK and JUnit.

use crate::{EmittedFile, JavaJob};

/// Where test sources are, for Maven and Gradle alike.
pub(crate) const SOURCES: &str = "src/test/java";

/// What depends on the version of JUnit.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Project {
    group: &'static str,
    artifact: &'static str,
    version: &'static str,
    /// What Gradle needs at run time besides it.
    launcher: &'static str,
    /// What Gradle is told besides the dependency.
    gradle: &'static str,
    /// Jars under `/usr/share/java` and the packages that install them.
    jars: &'static [&'static str],
    packages: &'static str,
    /// The command that runs test classes, and what stands before each class.
    runner: &'static str,
    selector: &'static str,
    /// A program for awk that prints how many tests passed and failed.
    tally: &'static str,
}

pub(crate) const JUNIT_4: Project = Project {
    group: "junit",
    artifact: "junit",
    version: "4.13.2",
    launcher: "",
    gradle: "useJUnit()",
    jars: &["junit4", "hamcrest"],
    packages: "junit4 libhamcrest-java",
    runner: "org.junit.runner.JUnitCore",
    selector: "",
    tally: r#"/^OK \(/ { print substr($2, 2), 0 } /^Tests run: / { print $3 - $5, $5 + 0 }"#,
};

pub(crate) const JUNIT_5: Project = Project {
    group: "org.junit.jupiter",
    artifact: "junit-jupiter",
    version: "5.9.2",
    launcher: "    testRuntimeOnly 'org.junit.platform:junit-platform-launcher:1.9.2'\n",
    gradle: "useJUnitPlatform()",
    jars: &[
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-platform-commons",
        "junit-platform-console",
        "junit-platform-engine",
        "junit-platform-launcher",
        "junit-platform-reporting",
        "apiguardian-api",
        "opentest4j",
        "picocli",
    ],
    packages: "junit5",
    runner: "org.junit.platform.console.ConsoleLauncher --disable-banner --details=summary",
    selector: "--select-class=",
    tally: r#"/ tests successful / { passed = $2 } / tests failed / { print passed, $2 }"#,
};

/// The files besides the test classes.
pub(crate) fn files(project: &Project, job: &JavaJob<'_>, classes: &[&str]) -> Vec<EmittedFile> {
    let file = |path: &str, contents: String, executable| EmittedFile {
        path: path.to_owned(),
        contents,
        executable,
    };
    vec![
        file("pom.xml", pom(project, job), false),
        file("build.gradle", gradle(project, job), false),
        file("settings.gradle", "rootProject.name = 'tests'\n".to_owned(), false),
        file("run-tests.sh", script(project, job, classes), true),
    ]
}

/// Maven puts what is in class folders beside the tests before it compiles them; jars are dependencies that nobody has to fetch. A folder cannot be
/// one.
fn pom(project: &Project, job: &JavaJob<'_>) -> String {
    let Project { group, artifact, version, .. } = project;
    let mut sources = String::new();
    if let Some(folder) = &job.sources {
        sources = format!("\n    <sourceDirectory>{}</sourceDirectory>", xml(folder));
    }
    let folders: String =
        job.class_path.iter().filter(|path| !is_jar(path)).map(|path| resource(path)).collect();
    if !folders.is_empty() {
        sources += &format!("\n    <resources>{folders}\n    </resources>");
    }
    let jars = job.class_path.iter().filter(|path| is_jar(path));
    let jars: String = (1..).zip(jars).map(|(number, path)| dependency(number, path)).collect();
    let java = job.facts.java();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>branchwise</groupId>
  <artifactId>tests</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>{java}</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>{jars}
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>{sources}
    <plugins>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.10.1</version>
      </plugin>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.0.0</version>
      </plugin>
    </plugins>
  </build>
</project>
"#
    )
}

fn is_jar(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".jar")
}

/// A folder of classes that is copied to those of the project.
fn resource(path: &str) -> String {
    format!(
        "
      <resource>
        <directory>{}</directory>
      </resource>",
        xml(path)
    )
}

/// A jar of this machine.
fn dependency(number: usize, path: &str) -> String {
    let path = if path.starts_with('/') { xml(path) } else { format!("${{project.basedir}}/{}", xml(path)) };
    format!(
        "
    <dependency>
      <groupId>under-test</groupId>
      <artifactId>jar-{number}</artifactId>
      <version>1</version>
      <scope>system</scope>
      <systemPath>{path}</systemPath>
    </dependency>"
    )
}

fn gradle(project: &Project, job: &JavaJob<'_>) -> String {
    let Project { group, artifact, version, launcher, gradle, .. } = project;
    let quoted = |path: &str| path.replace('\\', "\\\\").replace('\'', "\\'");
    let files = job.class_path.iter().map(|path| format!("    implementation files('{}')\n", quoted(path)));
    let files: String = files.collect();
    let sources = match &job.sources {
        Some(folder) => format!("sourceSets.main.java.srcDirs = ['{}']\n\n", quoted(folder)),
        None => String::new(),
    };
    format!(
        "plugins {{
    id 'java'
}}

repositories {{
    mavenCentral()
}}

{sources}dependencies {{
{files}    testImplementation '{group}:{artifact}:{version}'
{launcher}}}

compileTestJava {{
    options.encoding = 'UTF-8'
}}

test {{
    {gradle}
    enableAssertions = true
}}
"
    )
}

fn script(project: &Project, job: &JavaJob<'_>, classes: &[&str]) -> String {
    let Project { jars, packages, runner, selector, tally, .. } = project;
    let class_path = shell(&job.class_path.join(":"));
    let selected: String =
        classes.iter().map(|class| format!(" \\\n    {}", shell(&format!("{selector}{class}")))).collect();
    let run = if classes.is_empty() {
        "echo '0 passed, 0 failed'\n".to_owned()
    } else {
        format!(
            r#"find {SOURCES} -name '*.java' > "$build/sources"
"$javac" -encoding UTF-8 -d "$build" -cp "$classes:$jars" "@$build/sources" || exit 2
# Assertions of the code under test are on: some tests expect them to fail.
"$java" -ea -cp "$build:$classes:$jars" {runner}{selected} > "$build/log" 2>&1
cat "$build/log"

set -- $(awk '{tally}' "$build/log" | tail -n 1)
if [ $# -ne 2 ]; then
    echo "The tests did not come to an end." >&2
    exit 2
fi
echo "$1 passed, $2 failed"
[ "$2" -eq 0 ]
"#
        )
    };
    format!(
        r#"#!/bin/sh
# Compiles the tests and runs them. The last line is "N passed, M failed"; the status is 0 if none failed.
#
#   CLASSES     class path of the code under test
#   JUNIT_JARS  class path of JUnit, instead of the Debian packages: {packages}
#   JAVA_HOME   the JDK, instead of the one on the path
set -u
cd "$(dirname "$0")" || exit 2

java=${{JAVA_HOME:+$JAVA_HOME/bin/}}java
javac=${{JAVA_HOME:+$JAVA_HOME/bin/}}javac
[ -x "$javac" ] || javac=javac

classes=${{CLASSES:-{class_path}}}
jars=${{JUNIT_JARS:-}}
if [ -z "$jars" ]; then
    for name in {names}; do
        jar=/usr/share/java/$name.jar
        if [ ! -e "$jar" ]; then
            echo "There is no $jar: install {packages}, or set JUNIT_JARS." >&2
            exit 2
        fi
        jars=$jars:$jar
    done
    jars=${{jars#:}}
fi
build=$(mktemp -d) || exit 2
trap 'rm -rf "$build"' EXIT

{run}"#,
        names = jars.join(" "),
    )
}

fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
