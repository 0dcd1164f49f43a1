PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench hub clean

help:  ## Say what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/installed  ## Build the embedded sample into ./release, load it back and show it
	$(BIN)/blend build --out release
	$(BIN)/blend show release

test: $(VENV)/installed-test  ## Check style and run all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest -n auto --dist worksteal

lint: $(VENV)/installed-test  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python .ci/installed_layout.py build/installed
	MYPYPATH=build/installed $(BIN)/mypy -p blend

docs: $(VENV)/installed-docs  ## Write the documentation with its API reference into build/site
	$(BIN)/python .ci/installed_layout.py build/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/installed-test  ## Measure the tables of docs/performance.md anew
	$(BIN)/python benchmarks/build_scale.py

hub: $(VENV)/installed  ## Serve a Hub on this machine to try publishing on, and print its address and a token
	$(BIN)/python tests/hub/hub_server.py hub

clean:  ## Remove what the other targets made
	rm -rf $(VENV) release hub build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e .
	@touch $@

$(VENV)/installed-test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e ".[test,judge,embed,eval,report,wikidata,hausastemmer,jieba,kiwipiepy,opencc,stanza,sudachipy]"
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e ".[docs]"
	@touch $@ $(VENV)/installed
