//! Names that nobody defines do not keep a program from being built.

use c_frontend::{Clang, SourceUnit, build};

/// GNU ld stops at the hidden variable and says nothing of what comes behind it.
const SOURCE: &str = r#"
    extern const char table[] __attribute__((visibility("hidden")));
    extern int first(int);
    extern int second(int) __attribute__((visibility("hidden")));
    int looks(int i) { return i > 3 ? table[1] : 0; }
    int calls(int i) { return i > 3 ? first(i) : 0; }
    int calls_more(int i) { return i > 3 ? second(i) : 0; }
"#;

/// `_Zge…` would be `operator>=` in C++.
#[test]
fn names_are_those_of_c() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("names.c");
    std::fs::write(&path, "int _Zgetc(void); int reads(void) { return _Zgetc(); }").unwrap();
    let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
    assert_eq!(build(&[unit], &Clang::default(), work.path()).unwrap().program.undefined, ["_Zgetc"]);
}

#[test]
fn all_undefined_names_are_found_even_if_the_linker_stops_early() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("undefined.c");
    std::fs::write(&path, SOURCE).unwrap();
    let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
    let built = build(&[unit], &Clang::default(), work.path()).unwrap();
    assert_eq!(built.program.undefined, ["first", "second", "table"]);
    assert_eq!(built.program.undefined_variables, ["table"]);
    assert!(built.image.exists());
}
