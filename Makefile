# make demo     set up, build, test a shipped example, show the result
# make test     everything that guards the main branch
# make bench    measurements, see docs/BENCHMARKS.md
# make install  put branchwise on the PATH (PREFIX=/usr/local)

PREFIX ?= /usr/local
CARGO ?= cargo
BIN = target/release
export LLVM_SYS_191_PREFIX ?= /usr/lib/llvm-19

.PHONY: all setup build demo test lint bench install clean

all: build

setup:
	@scripts/setup

build: setup
	$(CARGO) build --release --locked

demo: build
	$(BIN)/branchwise gen fixtures/c/triangle.c --out out/demo
	@echo
	@sed -n '/^\/\* /,$$p' out/demo/test_triangle.c | head -40
	$(MAKE) --no-print-directory -C out/demo
	$(BIN)/branchwise check out/demo

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# One build for everything: the tests run the binaries of the same profile, and a build before them would be another one,
# without what dependencies have for tests only. Nothing is built again, so what incremental builds keep is of no use.
# The examples are in expr; the other two, which have none, ask for those parts of dependencies that the whole workspace asks for, or they
# would be compiled again.
# Lines of a backtrace are for who looks for an error, with `cargo test` then, and there are more crates to compile than processors: both
# together take a third less than what cargo does by itself. Build scripts do the same: they use crates of ours that are compiled once then.
# Many tests wait for machines that hang on purpose: one more than there are processors keeps these busy.
test: export RUST_TEST_THREADS ?= $(shell expr $$(nproc) + 1)
test: export CARGO_INCREMENTAL = 0
test: export CARGO_PROFILE_DEV_DEBUG = 0
test: export CARGO_PROFILE_DEV_CODEGEN_UNITS = 1
test: export CARGO_PROFILE_DEV_BUILD_OVERRIDE_CODEGEN_UNITS = 1
test: setup lint
	$(CARGO) test --workspace --locked --no-fail-fast --lib --bins --tests
	$(CARGO) test -p expr -p java-emit -p branchwise --doc --locked

bench: build
	scripts/bench

install: build
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN)/branchwise $(BIN)/branchwise-worker $(DESTDIR)$(PREFIX)/bin

clean:
	$(CARGO) clean
	rm -rf out
