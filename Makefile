# `make run` and `make test` do all set-up by themselves; `make help` lists the rest.
PYTHON := .venv/bin/python
STUDIO := $(PYTHON) -m studio
EXTRAS := dev editor
WORKERS ?= 3
ARGS ?=
# Every failure of `make test` ever; `python -m tools.second_chances` lists them.
FAILURES := build/failures.jsonl
GAZEBO := -m "gazebo and not soak" tests/runtime/gazebo tests/editor/gazebo/test_gazebo.py
PROJECT ?= projects/raptor_blocks_world
# Beside the files of pyproject.toml, where mypy would not forgive a pattern that matches nothing.
PROJECT_COMPONENTS := $(sort $(dir $(wildcard projects/*/components/*/*.py)))
PROGRAMS := $(wildcard components/*/Makefile projects/*/components/*/Makefile)
# Where a machine forbids Python to keep what it has compiled, every process that is started here would compile all of its
# libraries anew: a window takes seconds longer, and the tests start thousands of processes.
unexport PYTHONDONTWRITEBYTECODE
KERNELS := $(shell grep -ls '^def compiled_' studio/*/*/*.py studio/*/*/*/*.py components/*/*.py)

.DEFAULT_GOAL := help
.PHONY: help setup components run test test-gazebo check format bench soak docs-shots clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup:  ## make .venv and install what is missing (skipped when nothing changed)
	@sh tools/setup.sh $(EXTRAS)

components: setup  ## build the components that are written in C
	@MAKE="$(MAKE)" sh tools/build_components.sh $(PROGRAMS)

# Inner loops that become machine code: done once here, and not in the first seconds of the first run.
build/kernels: $(KERNELS) | setup
	@$(PYTHON) -m tools.compile_kernels $(KERNELS)
	@mkdir -p build && touch $@

run: components build/kernels  ## the window with the Raptor driving in it; another example: PROJECT=projects/first_steps
	@$(STUDIO) edit $(PROJECT) --run --picture build/run.png
	@echo "next: . .venv/bin/activate, then: studio --help; docs/guide/editor.md explains what you saw"

# A worker that is given whole files starts the systems that their tests share once; who is done takes from the others.
# Real processes on a busy machine can be late for a test's patience. What fails is tried once more, alone, and both
# results are printed; what is really broken fails again. Tests marked must_not_flake get no second chance: what is the same
# only every other time is broken.
test: components build/kernels  ## run all tests: ARGS="-k name" picks some
	@$(PYTHON) -m pytest -n $(WORKERS) --dist worksteal --record-failures=$(FAILURES) $(ARGS) || { \
		echo "make test: what failed is tried once more, by itself"; \
		$(PYTHON) -m pytest --second-chance --last-failed --last-failed-no-failures none --record-failures=$(FAILURES) $(ARGS); \
	}

test-gazebo: setup  ## tests against real Gazebo programs, which are fetched once into your cache
	@$(PYTHON) -m pytest $(GAZEBO) --record-failures=$(FAILURES) $(ARGS) || { \
		echo "make test-gazebo: what failed is tried once more, by itself"; \
		$(PYTHON) -m pytest $(GAZEBO) --second-chance --last-failed --last-failed-no-failures none --record-failures=$(FAILURES) $(ARGS); \
	}

check: setup  ## ruff (lint and format), mypy and import-linter
	@status=0; \
	$(PYTHON) -m ruff check --quiet --output-format concise || status=1; \
	$(PYTHON) -m ruff format --check --quiet --output-format concise || status=1; \
	$(PYTHON) -m mypy --no-error-summary || status=1; \
	imports=$$($(dir $(PYTHON))lint-imports --no-logo --cache-dir build/import_linter) || { echo "$$imports"; status=1; }; \
	$(if $(PROJECT_COMPONENTS),$(PYTHON) -m mypy --no-error-summary $(PROJECT_COMPONENTS) || status=1;) \
	exit $$status

format: setup  ## let ruff fix and format
	@$(PYTHON) -m ruff check --quiet --fix
	@$(PYTHON) -m ruff format --quiet

bench:  ## side-by-side benchmarks against peers (installs the peers): ARGS="messages"
	@sh tools/setup.sh $(EXTRAS) bench
	@$(STUDIO) bench $(or $(ARGS),--all)

soak: components  ## the long versions of the tests: a million mutations, a thousand kills
	@$(PYTHON) -m pytest --soak $(ARGS)

docs-shots: components build/kernels  ## the pictures of the documentation, by mouse and keys: ARGS="--jobs 2 walk viewers"
	@$(PYTHON) tools/docs_shots.py $(ARGS)

clean:  ## remove .venv, every cache and what was built
	@for file in $(PROGRAMS); do $(MAKE) --silent --no-print-directory -C $$(dirname $$file) clean; done
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
