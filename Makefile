# The front door: every target makes or reuses the virtual environment by itself.
#
#   make demo                        index the sample manual and ask it three questions
#   make test | lint | types | docs  what .ci/run checks, one at a time
#   make bench DATA=../shared/data   trees, ranks, speed, memory and imports on evaluation data, with scores;
#                                    RIVAL_PYTHON=… names a Python that has the package pageindex, to time it too
#   make floors DATA=../shared/data  fails where a figure on evaluation data fell below tests/benchmarks/floors.json;
#                                    PIN=1 raises the floors, ALLOW_REGRESSION=1 with it lowers them too
#   make hybrid-floors DATA=../shared/data  the same for hybrid search, with a real embedding model (installs torch)
#   make limits DATA=../shared/data  fails where speed, memory or the time of a question pass their limits (idle machine)
#   make build | check | clean

PYTHON ?= python3
VENV ?= .venv
DATA ?=
RIVAL_PYTHON ?= $(PY)

BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check
OUT := bench-out
WRITE := $(PY) tests/benchmarks
SCORE = $(PY) $(DATA)/../bench/score.py

.PHONY: demo test lint types docs bench floors hybrid-floors limits build check clean bench-data
.DEFAULT_GOAL := test

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "Making $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

# The demo needs no more than a user of the package does.
$(VENV)/.installed-base: pyproject.toml | $(PY)
	@echo "Installing into $(VENV) …"
	@$(PIP) install -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(PY)
	@echo "Installing with all extras into $(VENV) (a minute or two the first time) …"
	@$(PIP) install -e '.[all,dev]'
	@touch $(VENV)/.installed-base $@

$(VENV)/.installed-hybrid: $(VENV)/.installed-dev
	@$(PIP) install -e '.[hybrid-bench]'
	@touch $@

demo: $(VENV)/.installed-base
	@$(PY) examples/demo.py

test: $(VENV)/.installed-dev
	@$(PY) -m pytest

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

types: $(VENV)/.installed-dev
	@$(BIN)/mypy

docs: $(VENV)/.installed-dev
	@$(PY) -m pytest tests/test_readme.py

build: $(VENV)/.installed-dev
	@rm -rf dist
	@$(PY) -m build --outdir dist . > /dev/null
	@$(PY) .ci/check_wheel.py dist/*.whl

check:
	@.ci/run

bench-data:
	@test -n "$(DATA)" || { echo "Name the evaluation data: make bench DATA=../shared/data" >&2; exit 2; }
	@for part in pdfs outlines.jsonl financebench.jsonl mmlongbench.jsonl ../bench/score.py; do \
	    test -e "$(DATA)/$$part" || { echo "$(DATA)/$$part is missing: DATA has to name the evaluation data." >&2; exit 2; }; \
	done

# Eight documents of 30 to 220 pages, spread evenly over their lengths.
SPEED_DOCS = $$($(PY) -c 'import json, sys; \
    docs = sorted((row["pages"], row["doc"]) for row in map(json.loads, open(sys.argv[1])) if 30 <= row["pages"] <= 220); \
    print(",".join(docs[at * len(docs) // 8][1] for at in range(min(8, len(docs)))))' $(DATA)/outlines.jsonl)

# The first of 100 pages or more: it is to be indexed and searched in 250 MB.
MEMORY_DOC = $$($(PY) -c 'import json, sys; \
    print(next(row["doc"] for row in map(json.loads, open(sys.argv[1])) if row["pages"] >= 100))' $(DATA)/outlines.jsonl)

LONGEST_DOC = $$($(PY) -c 'import json, sys; \
    print(max((row["pages"], row["doc"]) for row in map(json.loads, open(sys.argv[1])))[1])' $(DATA)/outlines.jsonl)

# A document that cannot be read is named and the rest goes on; the exit code says in the end that something failed.
bench: bench-data $(VENV)/.installed-dev
	@mkdir -p $(OUT)
	@failed=0; \
	echo "== headings, bookmarks ignored"; \
	$(WRITE)/write_trees.py --pdfs $(DATA)/pdfs --docs $(DATA)/outlines.jsonl --ignore-bookmarks --out $(OUT)/trees || failed=1; \
	$(SCORE) headings $(DATA)/outlines.jsonl $(OUT)/trees || failed=1; \
	for set in financebench mmlongbench; do \
	    echo "== pages, $$set"; \
	    $(WRITE)/write_ranks.py --pdfs $(DATA)/pdfs --questions $(DATA)/$$set.jsonl --out $(OUT)/$$set.jsonl || failed=1; \
	    $(SCORE) pages $(DATA)/$$set.jsonl $(OUT)/$$set.jsonl || failed=1; \
	    echo "== pages, $$set, all documents together"; \
	    $(WRITE)/write_ranks.py --pdfs $(DATA)/pdfs --questions $(DATA)/$$set.jsonl --together --out $(OUT)/$$set-together.jsonl || failed=1; \
	    $(SCORE) pages $(DATA)/$$set.jsonl $(OUT)/$$set-together.jsonl || failed=1; \
	    echo "== map, $$set, bookmarks ignored, merged"; \
	    $(WRITE)/write_trees.py --pdfs $(DATA)/pdfs --docs $(DATA)/$$set.jsonl --ignore-bookmarks --optimize merge --out $(OUT)/trees-$$set || failed=1; \
	    $(SCORE) map $(DATA)/$$set.jsonl $(OUT)/trees-$$set || failed=1; \
	done; \
	echo "== speed"; \
	$(WRITE)/speed.py --pdfs $(DATA)/pdfs --docs "$(SPEED_DOCS)" --rival-python $(RIVAL_PYTHON) || failed=1; \
	echo "== memory"; \
	$(WRITE)/memory.py --pdf "$(DATA)/pdfs/$(MEMORY_DOC).pdf" || failed=1; \
	echo "== imports"; \
	$(WRITE)/import_time.py || failed=1; \
	exit $$failed

floors: bench-data $(VENV)/.installed-dev
	@$(WRITE)/gate.py --data $(DATA) $(if $(PIN),--pin) $(if $(ALLOW_REGRESSION),--allow-regression)

hybrid-floors: bench-data $(VENV)/.installed-hybrid
	@$(WRITE)/gate.py --data $(DATA) --hybrid --vectors $(OUT)/vectors $(if $(PIN),--pin) \
	    $(if $(ALLOW_REGRESSION),--allow-regression)

# Times and memory have limits with a margin for the machine; run them on an idle one. Reached: docs/performance.md.
limits: bench-data $(VENV)/.installed-dev
	@failed=0; \
	$(WRITE)/speed.py --pdfs $(DATA)/pdfs --docs "$(SPEED_DOCS)" --rival-python $(RIVAL_PYTHON) --clock processor \
	    --most-median 3.0 --most-worst 5.0 || failed=1; \
	$(WRITE)/long_files.py --pdf "$(DATA)/pdfs/$(LONGEST_DOC).pdf" --as-is --limit-mb 350 || failed=1; \
	$(WRITE)/long_files.py --pdf "$(DATA)/pdfs/$(MEMORY_DOC).pdf" --pages 1000,3000 --limit-mb 600 || failed=1; \
	$(WRITE)/big_library.py --pdfs $(DATA)/pdfs --questions $(DATA)/financebench.jsonl $(DATA)/mmlongbench.jsonl \
	    --most-median 30 --most-high 100 || failed=1; \
	$(WRITE)/big_library.py --generate 10000 --most-median 60 || failed=1; \
	exit $$failed

clean:
	rm -rf build dist $(OUT) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find core pageindex_langchain pageindex_llamaindex tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
