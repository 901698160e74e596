#!/bin/sh
# Runs the tests of this folder, each in a fresh folder with its files in it, and compares.
#
#     sh run.sh                              all tests
#     sh run.sh tests/test_001 ...           some of them
#     sh run.sh --show crashes/crash_1 ...   nothing is compared, everything the program prints is shown
#
#     PROGRAM     the program under test; if not set, the one in this folder that make builds
#     TIME_LIMIT  seconds for a test, 10 if not set, where there is a command timeout
#
# A test is a folder. What is not there is empty.
#
#     args             an argument a line; \n, \t, \\ and \0ooo (octal) stand for bytes that would not fit in
#     stdin            standard input
#     files/           files that are there when the program starts
#     values           what a harness is asked for, in order
#     expected_stdout  what the program prints; not compared if it is not there
#     expected_status  its exit status; or how else it ends: abort, crash, hang
#
# The program is called by the name "program" and has an empty environment, but for LLVM_PROFILE_FILE where set.
# Standard input, output and error are pipes.

LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
shown=no
if [ "${1-}" = --show ]; then
    shown=yes
    shift
fi

program=${PROGRAM:-$here/program}
case $program in
/*) ;;
*) program=$PWD/$program ;;
esac
if [ ! -x "$program" ]; then
    echo "no program $program; build it with make, or set PROGRAM" >&2
    exit 2
fi

scratch=${TMPDIR:-/tmp}/branchwise-run.$$
mkdir -m 700 "$scratch" && mkdir "$scratch/bin" && ln -s "$program" "$scratch/bin/program" || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout ${TIME_LIMIT:-10}"
ulimit -c 0 2>/dev/null

# Reads the arguments of the test in $test, then starts the program with them.
start() {
    set --
    if [ -f "$test/args" ]; then
        while IFS= read -r line; do
            word=$(printf '%b.' "$line")
            set -- "$@" "${word%.}"
        done <"$test/args"
    fi
    values=
    [ -f "$test/values" ] && values=$test/values
    # The inner shell finds the program by its name in a PATH that it keeps for itself. The parentheses make shells
    # forget how deep they are nested.
    cd "$scratch/work" && $limit env -i \
        ${values:+"BRANCHWISE_VALUES=$values"} \
        ${LLVM_PROFILE_FILE:+"LLVM_PROFILE_FILE=$LLVM_PROFILE_FILE"} \
        /bin/sh -c '(PATH=$0; unset PWD OLDPWD SHLVL _; exec program "$@")' "$scratch/bin" "$@"
}

# Gives the program its standard input, and notes how it ends.
feed() {
    input=/dev/null
    [ -f "$test/stdin" ] && input=$test/stdin
    cat "$input" | (start)
    echo $? >"$scratch/status"
}

# Says in $why how the end of the test differs from what is expected; in nothing if it does not.
compare() {
    read -r expected <"$test/expected_status"
    why="ended with $status instead of $expected"
    case $expected in
    abort) [ "$status" -eq 134 ] && why= ;;
    crash) [ "$status" -gt 128 ] && why= ;;
    hang) [ "$status" -eq 124 ] && why= ;;
    *) [ "$status" -eq "$expected" ] && why= ;;
    esac
    if [ -z "$why" ] && [ -f "$test/expected_stdout" ]; then
        cmp -s "$scratch/stdout" "$test/expected_stdout" || why="prints something else than expected_stdout"
    fi
}

passed=0
failed=0
run() {
    rm -rf "$scratch/work"
    mkdir "$scratch/work"
    [ -d "$test/files" ] && cp -R "$test/files/." "$scratch/work"
    if [ $shown = yes ]; then
        echo "== $test"
        feed 2>&1 | cat
        echo "== ended with $(cat "$scratch/status")"
        return
    fi
    { feed | cat >"$scratch/stdout"; } 2>&1 | cat >"$scratch/stderr"
    read -r status <"$scratch/status"
    compare
    if [ -z "$why" ]; then
        echo "PASS ${test##*/}"
        passed=$((passed + 1))
    else
        echo "FAIL ${test##*/}: $why"
        failed=$((failed + 1))
    fi
}

[ $# -gt 0 ] || set -- "$here"/tests/*/
for test in "$@"; do
    test=${test%/}
    case $test in
    /*) ;;
    *) [ -d "$PWD/$test" ] && test=$PWD/$test || test=$here/$test ;;
    esac
    if [ ! -f "$test/expected_status" ]; then
        # A suite without tests: the pattern stands for itself.
        [ "${test##*/}" = '*' ] && continue
        echo "FAIL ${test##*/}: no such test"
        failed=$((failed + 1))
        continue
    fi
    run
done
[ $shown = yes ] && exit 0
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
