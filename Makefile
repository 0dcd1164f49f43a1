PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STUDIO := .venv-label-studio

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench hub label-studio pictures clean

help:  ## Say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/installed  ## Build the embedded sample into ./release, load it back and show it
	$(BIN)/blend build --out release
	$(BIN)/blend show release

test:  ## Check style and run all tests
	@# Label Studio's server is installed beside; without it its tests are skipped, or fail where all must run.
	@$(MAKE) --no-print-directory -j2 -k $(VENV)/installed-test $(STUDIO)/installed || test -e $(VENV)/installed-test
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

label-studio: $(VENV)/installed $(STUDIO)/installed  ## Serve Label Studio on this machine to try annotation with, and print address and token
	$(BIN)/python tests/label_studio/studio_server.py label-studio

pictures: $(VENV)/installed-test $(STUDIO)/installed  ## Take the pictures of docs/annotating.md anew, in a browser
	$(BIN)/python tests/label_studio/pictures.py docs/images

clean:  ## Remove what the other targets made
	rm -rf $(VENV) $(STUDIO) release hub label-studio build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e .
	@touch $@

$(VENV)/installed-test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e ".[test,dask,extrinsic,judge,numba,embed,eval,report,vectors,wikidata,hausastemmer,jieba,kiwipiepy,opencc,stanza,sudachipy]" appdirs httpx jsf lxml pandas PyJWT xmljson
	@# The extra annotate without opencv, black and what else its SDK asks for and does not use here: they hold numpy
	@# below 2.3, and everything would be tested with that.
	$(BIN)/pip install --quiet --no-deps "label-studio-sdk>=2.1,<3"
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e ".[docs]"
	@touch $@ $(VENV)/installed

# Its own environment, and one version: the server pins what it needs to versions of its own.
$(STUDIO)/installed: Makefile
	$(PYTHON) -m venv $(STUDIO)
	$(STUDIO)/bin/pip install --quiet label-studio==1.23.2
	@touch $@
