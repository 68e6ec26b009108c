# Each target needs only Rust, CPython 3.11 or newer, a C compiler, make and git:
# the targets install everything else into .venv.

PYTHON ?= python3
VENV   := $(CURDIR)/.venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps

# One interpreter for every build of the bindings, so that cargo and pip share what they compiled.
export PYO3_PYTHON := $(BIN)/python
export PATH := $(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_QUIET := 1

# The profile that guides the release build; kept until the compiler changes or `make profile` renews it.
PROFDATA := target/profile/celltrain.profdata
PACKAGE := pyproject.toml Cargo.toml Cargo.lock \
	$(shell find crates -path '*/tests' -prune -o \( -name '*.rs' -o -name Cargo.toml \) -print) \
	$(wildcard $(PROFDATA))
SYSTEMS := aarch64-apple-darwin x86_64-pc-windows-msvc
NEW_PYTHON := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "celltrain needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
SCHEMA := docs/reference/scenario.schema.json
PLAN_SCHEMA := docs/reference/plan.schema.json
FUZZ := crates/celltrain-fuzz/fuzz
FUZZ_SECONDS ?= 60
HUNT_SECONDS ?= 3600
HUNT_SEED ?= $(shell date +%s)
HUNT_JOBS ?= $(shell nproc)
CAN_FUZZ := cargo fuzz --version >/dev/null 2>&1 && cargo +nightly --version >/dev/null 2>&1
CANNOT_FUZZ := NOT FUZZED: install the missing tools: cargo install cargo-fuzz --locked; rustup toolchain install nightly
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
CAN_SANITIZE := cargo +nightly --version >/dev/null 2>&1
CANNOT_SANITIZE := NOT RUN under the address sanitizer: rustup toolchain install nightly
# The oldest supported compiler. rustup installs it; the sources are compiled, not run.
OLDEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
CAN_COMPILE := cargo +$(OLDEST) --version >/dev/null 2>&1
CANNOT_COMPILE := NOT COMPILED with the oldest compiler, Rust $(OLDEST): rustup toolchain install $(OLDEST) --profile minimal

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo dist profile test test-all check lint fmt trust bench bench-peers bench-sweep bench-line bench-dbs fuzz sanitize hunt same-bits mutate docs schema reference commands gallery golden conformance drawings compiler systems clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMPS)/dev ## Make .venv with the package (release build) and the development tools

# The stamp of an installation for development, if there is one: it is brought up to date, and used.
DEVELOPING := $(firstword $(wildcard $(STAMPS)/package))

demo: $(if $(WHEEL),,$(DEVELOPING)) ## Install the package and reproduce figure 4 of the ADSL study in results/; WHEEL=FILE compiles nothing
	@$(NEW_PYTHON)
	@$(PYTHON) tools/demo.py $(if $(WHEEL),--wheel '$(WHEEL)',$(if $(DEVELOPING),--installed))

dist: $(STAMPS)/dist ## Make a release in dist/: wheels, source distribution, checksums, bill of materials; VERSION=1.2.3 makes it that version
	PYTHONPATH=tools python -m release dist $(if $(VERSION),--version $(VERSION)) $(ARGS)

profile: $(STAMPS)/venv ## Renew the profile that guides the release build; any target with PROFILE= builds without it
	python tools/pgo.py --fresh

test: $(STAMPS)/dev ## Run all quick tests: Rust, Python and their doc tests; says which were skipped and why
	cargo test --workspace --locked --quiet
	python -m pytest --quiet -rs --durations 15 -n auto --maxprocesses 4 --dist loadfile -m "not alone"
	python -m pytest --quiet -rs --durations 30 -m alone

# Each step fails by its exit status. A step whose tool is not installed is skipped with a message in capitals.
# `celltrain trust` exits with 1 while any target is missed, as docs/reference/trust.md records for some; the line after
# it fails if a row has become worse.
test-all: check docs $(STAMPS)/dev ## Run check, docs, slow tests, a smoke test of every experiment, and test
	PROPTEST_CASES=200000 cargo test --locked --quiet --release -p celltrain-dbs --lib
	CELLTRAIN_SEEDS=10000 cargo test --locked --quiet --release -p celltrain-dbs --test simulated
	CELLTRAIN_FUZZ=200000 cargo test --locked --quiet --release -p celltrain-fuzz
	@if $(CAN_SANITIZE); then $(MAKE) --no-print-directory sanitize; else echo "$(CANNOT_SANITIZE)" >&2; fi
	@if $(CAN_FUZZ); then $(MAKE) --no-print-directory fuzz; else echo "$(CANNOT_FUZZ)" >&2; fi
	CELLTRAIN_CASES=4000 cargo test --locked --quiet --release -p celltrain-sim --test engines
	CELLTRAIN_HUNT=3000 cargo test --locked --quiet --release -p celltrain-hunt --test networks
	CELLTRAIN_DAMAGES=600 CELLTRAIN_FAULTS=100 python -m pytest --quiet tests/python/test_damaged_results.py tests/python/test_faults.py
	CELLTRAIN_FUZZ=20000 python -m pytest --quiet tests/python/test_fuzz.py --timeout 7200
	CELLTRAIN_KILLS=1000 CELLTRAIN_LINE_KILLS=200 python -m pytest --quiet -rs tests/python/test_sweep_survives.py tests/python/test_live_survives.py
	CELLTRAIN_EVERY_POINT=1 python -m pytest --quiet tests/python/test_engines.py
	CELLTRAIN_EVERY_PEER=1 python -m pytest --quiet -rs tests/python/test_bench_peers.py
	celltrain trust --out out/trust || [ $$? -eq 1 ]
	python tools/trust_held.py out/trust/trust.md
	celltrain reproduce --all --quick --out out/quick
	$(MAKE) --no-print-directory test

check: $(STAMPS)/dev ## Check formatting, lints, types, sizes, import cycles, quoted figures, spelling, dependencies, the oldest compiler, and build the documentation
	cargo fmt --all --check
	PYTHONPATH=tools python -m import_cycles
	python tools/sizes.py
	python tools/quoted.py
	python tools/spelling
	python tools/dependencies.py
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
# By itself: in the workspace other crates bring std, and with it functions of f64 that must come from libm.
	cargo check --package celltrain-proto --locked --quiet
	@if $(CAN_COMPILE); then $(MAKE) --no-print-directory compiler; else echo "$(CANNOT_COMPILE)" >&2; fi
	ruff check --quiet
	ruff format --check --quiet
	mypy
	python -m mypy.stubtest celltrain._native
	$(pages)

lint: check ## Another name for check

# Warnings, such as a broken link or a page outside every table of contents, are errors.
define pages
python -m sphinx -W --keep-going -q -b html docs out/docs
RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked --quiet
endef

fmt: $(STAMPS)/dev ## Format Rust and Python
	cargo fmt --all
	ruff check --quiet --select I --fix
	ruff format --quiet

# The command exits with 1 if a target is missed; the page is written nevertheless.
trust: $(STAMPS)/package ## Compare our TCP with ns-2, formulas and rules, and write docs/reference/trust.md; ARGS="--kernel-lines 30 --scripts DIR" adds more
	celltrain trust --out out/trust $(ARGS) || [ $$? -eq 1 ]
	cp out/trust/trust.md docs/reference/trust.md

bench: $(STAMPS)/dev ## Measure the engines on all workloads; ARGS=--record stores the figures, ARGS=--check compares instructions
	PYTHONPATH=benches python -m harness.bench $(ARGS)

bench-peers: $(STAMPS)/dev ## Measure ns-3, ns-2, SimPy and bare loops on the same workloads, and compare what they simulate
	PYTHONPATH=benches python -m harness.peers $(ARGS)

bench-sweep: $(STAMPS)/package ## Measure the overhead of a sweep, on one core and on two
	python benches/sweep.py $(ARGS)

bench-line: $(STAMPS)/dev ## Compare the timing accuracy of lines in real time with tc (Linux, root); ARGS=--check fails on a missed target
	python benches/line.py --realtime $(ARGS)

bench-dbs: $(STAMPS)/package ## Compare the speed of two measuring daemons over loopback with iperf3 (Linux)
	python benches/dbs.py $(ARGS)

fuzz: ## Fuzz all that reads input in Rust, FUZZ_SECONDS=60 for each target (cargo-fuzz, nightly)
	@$(CAN_FUZZ) || { echo "$(CANNOT_FUZZ)" >&2; exit 2; }
	for target in $(notdir $(wildcard $(FUZZ)/seeds/*)); do \
		mkdir -p $(FUZZ)/corpus/$$target && \
		cargo +nightly fuzz run --fuzz-dir $(FUZZ) $$target $(FUZZ)/corpus/$$target $(FUZZ)/seeds/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=16384 -verbosity=0 -print_final_stats=1 \
			|| exit 1; \
	done

same-bits: $(STAMPS)/dev ## Compare digests of 200 random networks in other builds, on threads, on aarch64 by emulation; ARGS="--networks 20"
	python tools/same_bits.py $(ARGS)

# The thread sanitizer also needs the standard library's sources, and compiles them.
sanitize: ## Run the tests of the measuring daemons, which have the only system call of ours, under the address sanitizer (nightly)
	@$(CAN_SANITIZE) || { echo "$(CANNOT_SANITIZE)" >&2; exit 2; }
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --locked --quiet -p celltrain-dbs -p celltrain-line \
		--target $(HOST) --target-dir target/sanitized --lib --tests

hunt: ## Run all checks on random networks of the whole language, for HUNT_SECONDS=3600; failures are saved in out/hunt
	cargo run --locked --quiet --release -p celltrain-hunt -- hunt --networks 1000000000 --seed $(HUNT_SEED) \
		--seconds $(HUNT_SECONDS) --jobs $(HUNT_JOBS) --corpus out/hunt

mutate: $(STAMPS)/dev ## Remove each condition of the train engine in turn and record which random network detects it: 20 minutes on two cores
	python tools/mutate.py $(ARGS)

docs: conformance drawings reference commands $(STAMPS)/dev ## Build the documentation into out/docs and target/doc; warnings are errors
	$(pages)

schema: $(STAMPS)/dev ## Write the JSON Schemas of scenarios and plans, and the reference pages made from them
	celltrain schema > $(SCHEMA).new && mv $(SCHEMA).new $(SCHEMA)
	celltrain dbs schema > $(PLAN_SCHEMA).new && mv $(PLAN_SCHEMA).new $(PLAN_SCHEMA)
	python tools/reference.py

reference: $(STAMPS)/dev ## Write the reference pages of results, scenarios, algorithms and conditions of the engine, the pages of lessons, and the notebooks
	python tools/reference.py
	python tools/mutation_page.py
	python tools/lessons.py
	python tools/notebooks.py

commands: $(STAMPS)/dev ## Write the pages and man pages of all commands from their help
	PYTHONPATH=tools python -m commands

# A full reproduction takes about half an hour of two cores: celltrain reproduce --all --out out/studies
gallery: $(STAMPS)/dev ## Write the gallery of figures of the documentation; RESULTS=out/studies takes new figures from a folder of reproductions
	PYTHONPATH=tools python -m gallery $(RESULTS)

golden: $(STAMPS)/dev ## Write the golden tables, tests/golden: throughput and cwnd by TCP variant, ACR by switch algorithm
	python tests/python/golden.py

conformance: ## Write the table of the tests that cover each rule of the standards
	$(PYTHON) tools/conformance.py

drawings: ## Write the drawings of the documentation into docs/images, from docs/drawings
	$(PYTHON) tools/drawings.py

compiler: $(STAMPS)/venv ## Compile everything with the oldest compiler that Cargo.toml supports; rustup installs it
	$(CAN_COMPILE) || rustup toolchain install $(OLDEST) --profile minimal
	cargo +$(OLDEST) check --workspace --all-targets --locked --quiet --target-dir target/oldest

systems: ## Check what compiles on macOS and Windows, with the lints; rustup gets their standard libraries
	rustup target add $(SYSTEMS)
	for system in $(SYSTEMS); do \
		cargo clippy -p celltrain-py -p celltrain-benches --features pyo3/extension-module --locked --quiet \
			--target $$system --target-dir target/systems -- -D warnings || exit 1; \
	done

clean: ## Remove everything that these targets made, .venv and results included
	rm -rf .venv target out results python/celltrain/_native*.so
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- What the targets need. A stamp is newer than the files that its installation depends on. ----

$(STAMPS)/venv:
	@$(NEW_PYTHON)
	$(PYTHON) -m venv $(VENV)
	python -m pip install 'maturin>=1.9'
	@mkdir -p $(STAMPS) && touch $@

# Zig links for other systems, and for old versions of the C library of this one.
$(STAMPS)/dist: | $(STAMPS)/venv
	python -m pip install ziglang
	@touch $@

# Editable, so that changes of Python sources need no new install; without build isolation, maturin comes from .venv.
# The release build is profile-guided; the profile is made first if there is none.
install = python tools/pgo.py python -m pip install --no-build-isolation --editable

$(STAMPS)/package: $(PACKAGE) | $(STAMPS)/venv
	$(install) '.[all]'
	@touch $@

$(STAMPS)/dev: $(PACKAGE) | $(STAMPS)/venv
	$(install) '.[dev]'
	@touch $(STAMPS)/package $@
