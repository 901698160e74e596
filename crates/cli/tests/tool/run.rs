//! `branchwise run`: whole programs and harnesses, one fixture for every way of input and for everything in the world
//! that a program may do.

use crate::support::{Desk, Ended, PATIENCE, c_files, on_all, run};
use report::{ProgramTestSummary, State, Summary};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the first line of a run says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    covered: usize,
    unknown: usize,
    tests: usize,
    findings: usize,
    executions: usize,
}

impl Told {
    /// `8 covered, 1 infeasible, 0 unknown; 5 tests, 0 findings, 227 executions, 0.2 s`.
    fn read(stdout: &str) -> Told {
        let line = stdout.lines().find(|line| line.contains(" covered, ")).expect("a line of totals");
        let words: Vec<&str> = line.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
        let number = |name: &str| {
            let pair =
                words.windows(2).find(|pair| pair[1] == name).unwrap_or_else(|| panic!("{name}: {line}"));
            pair[0].parse().unwrap_or_else(|_| panic!("{name}: {line}"))
        };
        Told {
            covered: number("covered"),
            unknown: number("unknown"),
            tests: number("tests"),
            findings: number("findings"),
            executions: number("executions"),
        }
    }
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/programs")
        .canonicalize()
        .expect("the fixtures")
}

fn explore(desk: &Desk, program: &Path, arguments: &[&str]) -> Ended {
    let mut command = desk.branchwise(["run".as_ref(), program.as_os_str()]);
    if !arguments.contains(&"--budget") {
        command.args(["--budget", "30000x"]);
    }
    command.arg("--out").arg(desk.path("out")).args(arguments);
    run(&mut command, PATIENCE)
}

/// The line of a fixture's header that begins so.
fn header<'a>(text: &'a str, name: &str) -> &'a str {
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '*']));
    lines
        .filter_map(|line| line.strip_prefix(name))
        .map(str::trim)
        .next()
        .unwrap_or_else(|| panic!("no {name}"))
}

/// `7 covered`, `7+ covered`, `1 covered, 1 findings`: nothing is found unless it is said.
fn expect(text: &str, told: &Told) {
    let wanted = header(text, "goals:");
    let mut findings = 0;
    for part in wanted.split(", ") {
        match part.split_once(' ').expect("a number and a word") {
            (number, "covered") => match number.strip_suffix('+') {
                Some(least) => {
                    assert!(told.covered >= least.parse().expect("a number"), "{wanted}: {told:?}")
                }
                None => assert_eq!(told.covered.to_string(), number, "{told:?}"),
            },
            (number, "findings") => findings = number.parse().expect("a number"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told.findings, findings, "{told:?}");
    assert!(told.tests > 0 && told.executions > 0, "{told:?}");
}

/// The emitted suite passes with a plain build, and llvm-cov finds in it what was claimed. A fixture whose header says
/// `world:` does something else outside of the sandbox; `unmeasured:`, llvm-cov does not see all of it.
fn expect_suite_repeats(desk: &Desk, text: &str) {
    if text.contains(" * world: ") {
        return;
    }
    let made = crate::support::make(&desk.path("out"), &["check"]).expect(0);
    assert!(made.stdout.contains(" 0 failed"), "{}", made.stdout);
    if text.contains(" * unmeasured: ") {
        return;
    }
    let mut check = desk.branchwise(["check".as_ref(), desk.path("out").as_os_str()]);
    run(&mut check, PATIENCE).expect(0);
}

/// Whether the system lets plain programs have a `/tmp` of their own.
fn has_own_tmp(desk: &Desk) -> bool {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_branchwise-worker"));
    let scratch = desk.path("confined");
    std::fs::create_dir(&scratch).expect("a folder");
    worker.args(["--confined", "10"]).arg(scratch).args(["--", "sh", "-c", "echo >/tmp/own"]);
    run(&mut worker, PATIENCE).code == Some(0)
}

/// `plain: 1 output-differs`: the plain program does the same in all tests but these.
fn expect_plain(text: &str, summary: &Summary) {
    let program = summary.program.as_ref().expect("a program");
    assert!(program.left_out.is_empty(), "{:?}", program.left_out);
    let others = program.plain.iter().filter(|count| count.plain != "same");
    let others: Vec<String> = others.map(|count| format!("{} {}", count.count, count.plain)).collect();
    let wanted = if text.contains(" * plain: ") { header(text, "plain:") } else { "" };
    assert_eq!(others.join(", "), wanted);
}

#[test]
fn every_program_is_explored_as_its_author_says() {
    on_all(&c_files(&programs()), |program| {
        let desk = Desk::new();
        let text = std::fs::read_to_string(program).expect("a fixture");
        let arguments: Vec<&str> = header(&text, "run:").split_whitespace().collect();
        let ended = explore(&desk, program, &arguments).expect(0);
        expect(&text, &Told::read(&ended.stdout));
        if !text.contains(" * tmp: ") || has_own_tmp(&desk) {
            expect_plain(&text, &desk.summary("out"));
        }
        expect_suite_repeats(&desk, &text);
        desk.expect_no_processes();
        assert_eq!(desk.litter(), Vec::<PathBuf>::new());
    });
}

/// Maps a file for writing, which the surroundings cannot, or sleeps, which they need no time for.
const ELSEWHERE: &str = r#"#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    int c = getchar();
    if (c == 'm') {
        int file = open("map", O_RDWR | O_CREAT, 0600);
        if (ftruncate(file, 8) == 0 && mmap(NULL, 8, PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED)
            return 5;
    }
    if (c == 's')
        return sleep(60) == 0 ? 6 : 7;
    return 0;
}
"#;

#[test]
fn a_test_that_ends_otherwise_in_a_plain_build_is_left_out_with_its_goals() {
    let desk = Desk::new();
    let program = desk.write("elsewhere.c", ELSEWHERE);
    let ended = explore(&desk, &program, &["--sym-stdin", "1"]).expect(0);
    let told = Told::read(&ended.stdout);
    for line in ["1 test: the plain program ends otherwise", "1 test: the plain program did not end in time"]
    {
        assert!(ended.stdout.contains(line), "{line}: {}", ended.stdout);
    }
    let summary = desk.summary("out");
    let tests = summary.program.as_ref().expect("a program");
    let of = |stdin: &str, plain: &str| {
        let is_it = |test: &&ProgramTestSummary| test.stdin.as_deref() == Some(stdin);
        assert_eq!(tests.left_out.iter().find(is_it).and_then(|test| test.plain.as_deref()), Some(plain));
        assert_eq!(tests.tests.iter().find(is_it), None);
    };
    of(r#""m""#, "end-differs");
    of(r#""s""#, "timed-out");
    let goals: Vec<_> = summary.functions.iter().flat_map(|function| &function.goals).collect();
    let left_out = goals.iter().filter(|goal| goal.reason.as_deref() == Some("left-out"));
    let lines: Vec<(u32, bool)> = left_out.map(|goal| (goal.place.line, goal.outcome)).collect();
    assert_eq!(lines, [(8, true), (10, true), (10, true), (13, true), (14, true)]);
    let covered = goals.iter().filter(|goal| goal.state == State::Covered).count();
    assert_eq!((told.covered, told.tests), (covered, tests.tests.len()));
    expect_suite_repeats(&desk, ELSEWHERE);
}

/// Tests of a program that cannot be built anew are as good as what was observed, and that is said.
#[test]
fn a_program_that_cannot_be_built_plainly_keeps_its_tests() {
    let desk = Desk::new();
    // The search does not look at this variable of the environment, make does.
    let program = desk.write(
        "odd.c",
        "#include <stdio.h>\n#ifdef PLAIN\n#error\n#endif\nint main(void) { if (getchar() == 'x') return 1; return 0; }\n",
    );
    let mut command = desk.branchwise(["run".as_ref(), program.as_os_str()]);
    command.args(["--sym-stdin", "1", "--budget", "1000x", "--out"]).arg(desk.path("out"));
    let ended = run(command.env("CFLAGS", "-DPLAIN"), PATIENCE).expect(0);
    assert!(ended.stdout.contains("2 tests: not tried on the plain program, which could not be built"));
    assert_eq!(Told::read(&ended.stdout).tests, 2);
}

#[test]
fn a_program_with_temporary_files_keeps_its_tests_where_there_is_no_tmp_for_it() {
    let desk = Desk::new();
    let arguments = ["--sym-stdin", "1", "--budget", "1000x", "--out", "out"];
    let mut direct = desk.branchwise(["run".as_ref(), programs().join("world_temporary.c").as_os_str()]);
    direct.args(arguments);
    let mut command = match has_own_tmp(&desk) {
        false => direct,
        true => {
            // A system that grants no user namespaces.
            let mut outer = Command::new("unshare");
            let script = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
            outer.args(["--user", "--map-root-user", "sh", "-c", script]).arg(direct.get_program());
            outer.args(direct.get_args()).current_dir(desk.path(".")).env("TMPDIR", desk.path("tmp"));
            outer
        }
    };
    let ended = run(&mut command, PATIENCE).expect(0);
    let line = "2 tests: not tried on the plain program: it makes temporary files";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
    assert_eq!(Told::read(&ended.stdout).tests, 2);
}

#[test]
fn formats_without_expectations_keep_all_tests() {
    let desk = Desk::new();
    let program = desk.write("elsewhere.c", ELSEWHERE);
    let ended = explore(&desk, &program, &["--sym-stdin", "1", "--emit", "ktest"]).expect(0);
    assert!(ended.stdout.contains("not tried on the plain program: the format holds inputs only"));
    let summary = desk.summary("out");
    assert!(summary.program.is_some_and(|program| program.left_out.is_empty() && program.tests.len() > 2));
}

#[test]
fn the_same_budget_and_seed_find_the_same() {
    for name in ["in_scanf.c", "world_clock.c", "world_threads.c"] {
        let path = programs().join(name);
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let arguments: Vec<&str> = header(&text, "run:").split_whitespace().collect();
        let told = [(); 2].map(|()| Told::read(&explore(&Desk::new(), &path, &arguments).expect(0).stdout));
        assert_eq!(told[0], told[1], "{name}");
    }
}

#[test]
fn a_program_in_which_nothing_varies_is_refused() {
    let desk = Desk::new();
    for text in [
        "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n",
        "#include <klee/klee.h>\nint main(int argc, char **argv) { klee_assume(argc > 0); return argc > 1; }\n",
        "void reach_error(void);\nint main(int argc, char **argv) { if (argc > 1) reach_error(); return 0; }\n",
    ] {
        let program = desk.write("same.c", text);
        explore(&desk, &program, &[]).expect(2).complains(&["nothing varies", "--sym-stdin"]);
    }
}

#[test]
fn a_program_without_a_beginning_is_refused() {
    let desk = Desk::new();
    let program = desk.write("library.c", "int twice(int a) { return 2 * a; }\n");
    explore(&desk, &program, &["--sym-stdin", "4"]).expect(2).complains(&["`main`"]);
}

/// The user's headers and functions come before ours.
#[test]
fn a_harness_may_bring_its_own_interface() {
    let desk = Desk::new();
    desk.write("crest.h", "void __CrestInt(int *);\n#define OWN(x) __CrestInt(&x)\n");
    let program = desk.write(
        "own.c",
        "#include \"crest.h\"
void reach_error(void) {}
void klee_assume(unsigned long condition) { if (!condition) reach_error(); }
int main(void) { int x; OWN(x); klee_assume(x > 5); return x == 77 ? 1 : 0; }
",
    );
    assert_eq!(Told::read(&explore(&desk, &program, &[]).expect(0).stdout).covered, 4);
}

/// Built by make, found again in the program, with the headers in their place.
#[test]
fn programs_of_branchwise_cc_are_explored() {
    let desk = Desk::new();
    desk.write(
        "lib.c",
        "int weigh(const char *s) { int n = 0; for (; *s; s++) n += *s == 'w' ? 5 : 1; return n; }\n",
    );
    desk.write(
        "main.c",
        "#include <branchwise.h>
#include <stdio.h>
int weigh(const char *s);
int main(int argc, char **argv)
{
    char line[8];
    if (argc > 1 && fgets(line, sizeof line, stdin))
        return weigh(line) > 12 && argv[1][0] == '-' ? 2 : 1;
    return 0;
}
",
    );
    desk.write("Makefile", "prog: main.o libw.a\n\t$(CC) -o $@ $^\nlibw.a: lib.o\n\t$(AR) rcs $@ $^\n");
    let cc = format!("CC={} cc", env!("CARGO_BIN_EXE_branchwise"));
    crate::support::make(&desk.path("."), &[&cc]).expect(0);
    let ended = explore(&desk, &desk.path("prog"), &["--sym-arg", "1=2", "--sym-stdin", "6"]).expect(0);
    let told = Told::read(&ended.stdout);
    let same = format!("{} tests: the plain program does the same", told.tests);
    assert!(ended.stdout.contains(&same), "{}", ended.stdout);
    // There is always an argument: one side of `argc > 1` cannot be.
    assert_eq!((told.covered, told.findings), (11, 0), "{told:?}");
}

/// Functions and variables of the library in whose place the surroundings stand.
const RENAMED: [&str; 16] = [
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "scanf",
    "__isoc99_scanf",
    "getchar",
    "ungetc",
    "fgets",
    "fread",
    "feof",
    "getline",
    "exit",
];

/// Compiles a program with clang, as it is and with our surroundings in the place of the library.
struct Pair {
    desk: Desk,
}

impl Pair {
    fn new(text: &str) -> Pair {
        let desk = Desk::new();
        desk.write("macros.h", "#define BW_SOURCES SOURCE(0, stdin_, \"\", 256)\n#define BW_ARGUMENTS\n#define BW_VALUES 1\n#define BW_BLOCK_BYTES 1\n#define BW_NAME 2\n");
        desk.write(
            "begin.c",
            "#include \"start.c\"
void bwp_alone(void) {}
_Noreturn void bwp_reject(void) { abort(); }
extern int program_main(int, char **, char **) __asm__(\"bwp_main\");
int main(int argc, char **argv)
{
    stdin_length = fread(stdin_bytes, 1, sizeof stdin_bytes, stdin);
    bw_exit(program_main(argc, argv, NULL));
}
",
        );
        let program = desk.write("program.c", text);
        let around = Path::new(env!("CARGO_MANIFEST_DIR")).join("../c-frontend/program");
        let clang = || {
            let mut command = Command::new("clang-19");
            command.current_dir(desk.path(".")).args(["-w", "-std=gnu17", "-o"]);
            command
        };
        run(clang().arg("plain").arg(&program), PATIENCE).expect(0);
        run(clang().args(["ours.o", "-c"]).arg(&program), PATIENCE).expect(0);
        let names = RENAMED.iter().map(|name| format!("--redefine-sym={name}=bw_{name}"));
        let mut rename = Command::new("objcopy");
        rename.current_dir(desk.path(".")).arg("--redefine-sym=main=bwp_main").args(names).arg("ours.o");
        run(&mut rename, PATIENCE).expect(0);
        // The streams in memory are those of unit tests.
        let others = ["start.c", "memory.c"];
        let parts =
            c_files(&around).into_iter().filter(|path| !others.iter().any(|name| path.ends_with(name)));
        let mut whole = clang();
        whole
            .args(["ours", "-include", "macros.h", "-I"])
            .arg(&around)
            .args(["begin.c", "ours.o"])
            .args(parts);
        run(&mut whole, PATIENCE).expect(0);
        Pair { desk }
    }

    /// Both must say the same and end the same way.
    fn compare(&self, stdin: &str, arguments: &[&str]) {
        use std::os::unix::process::CommandExt;
        self.desk.write("input", stdin);
        let [plain, ours] = ["plain", "ours"].map(|name| {
            let mut command = Command::new(self.desk.path(name));
            let input = std::fs::File::open(self.desk.path("input")).expect("input");
            let output =
                command.arg0("program").args(arguments).env_clear().stdin(input).output().expect("a run");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        });
        assert_eq!(plain, ours, "{stdin:?} {arguments:?}");
    }
}

#[test]
fn options_are_read_as_by_the_library() {
    let pair = Pair::new(
        r#"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    static int flag;
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'}, {"also", no_argument, NULL, 'A'}, {"size", required_argument, NULL, 's'},
        {"color", optional_argument, NULL, 'c'}, {"colour", optional_argument, NULL, 'c'},
        {"flag", no_argument, &flag, 5}, {0}};
    const char *kind = argv[1], *shorts = argv[2];
    argv += 2;
    argc -= 2;
    argv[0] = "program";
    if (*kind == 'q')
        opterr = 0;
    for (int c, index = -1;; index = -1) {
        c = strchr(kind, 'o') ? getopt_long_only(argc, argv, shorts, options, &index)
            : strchr(kind, 'l') ? getopt_long(argc, argv, shorts, options, &index) : getopt(argc, argv, shorts);
        printf("%d %s %d %d %d %d\n", c, optarg ? optarg : "-", optind, c == '?' || c == ':' ? optopt : 0, index, flag);
        if (c == -1)
            break;
    }
    for (int i = 0; i < argc; i++)
        printf("<%s>", argv[i]);
    return 0;
}
"#,
    );
    let lists: [&[&str]; 20] = [
        &[],
        &["-a", "-b", "x", "y"],
        &["y", "-a", "z", "-bx", "-c", "-cfoo"],
        &["-abx", "--", "-a", "q"],
        &["q", "--", "-a"],
        &["-z", "-a"],
        &["-b"],
        &["-", "-a", "-"],
        &["--all", "--size=4", "--size", "5", "rest"],
        &["--al", "x"],
        &["--also", "--siz=7", "--color", "--color=red", "--col=x"],
        &["--nope", "--all=3"],
        &["--size"],
        &["a", "b", "--flag", "c", "-a", "--", "d", "-b"],
        &["-a=", "--=x"],
        &["-s", "-all", "-size", "4", "-flag"],
        &["", "-a", ""],
        &["-:", "-;", "-W"],
        &["--size", "", "-b", ""],
        &["x", "-a", "y", "-a", "z", "w", "-b", "v"],
    ];
    for kind in ["s", "l", "ql", "o"] {
        for shorts in ["ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:"] {
            for list in lists {
                pair.compare("", &[&[kind, shorts], list].concat());
            }
        }
    }
}

#[test]
fn input_is_read_as_by_the_library() {
    let pair = Pair::new(
        r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    long l = -1;
    int i = -1, j = -1, n = -1, done;
    unsigned u = 7;
    char text[40] = "", more[40] = "", c = '.';
    short h = -1;
    double d = -1;
    float f = -1;
    switch (argv[1][0]) {
    case '1': done = scanf("%d %c %d%n", &i, &c, &j, &n); break;
    case '2': done = scanf("%5s%[a-c]%39[^\n]", text, more, more + 20); break;
    case '3': done = scanf("%i,%x;%ld%hd", &i, &u, &l, &h); break;
    case '4': done = scanf("%lf %f %2d%*d %d", &d, &f, &i, &j); break;
    case '5': done = scanf("a%%b%3c", text); break;
    case '6':
        for (char line[6]; fgets(line, sizeof line, stdin);)
            printf("[%s]%d", line, feof(stdin));
        done = feof(stdin);
        break;
    case '7':
        c = getchar();
        ungetc('u', stdin);
        done = fread(text, 3, 4, stdin);
        break;
    default: {
        char *line = NULL;
        size_t room = 0;
        for (long n; (n = getline(&line, &room, stdin)) >= 0;)
            printf("%ld:%s|", n, line);
        done = getchar();
    }
    }
    printf("%d %d %c %d %d %s %s %s %u %ld %d %g %g\n", done, i, c, j, n, text, more, more + 20, u, l, h, d, f);
    exit(argc);
}
"#,
    );
    let inputs = [
        "",
        "\n",
        "12 + 30",
        "-7x8",
        "+",
        " 5",
        "0x1F,ff;-99 17",
        "017,0xg;3",
        "99999999999",
        "hello abc xyz\nnext",
        "abcab def",
        "ab",
        "a%bcde",
        "a%b",
        "1.5e3 -2.25 1234567 8",
        "12\n34\n\nlonger line\nend",
        "x\0y\nz",
        "- 4",
        "0x",
        "3 4 5",
        "nan 2",
        "\t\n 42 z 7 trailing",
    ];
    for kind in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        for input in inputs {
            pair.compare(input, &[kind]);
        }
    }
}
