# Everything a checkout needs is a Python (>= 3.10) and make; the rest is installed into .venv.
PYTHON ?= python3
PYTEST_ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python -m

.PHONY: help demo test lint clean

help:
	@echo 'make demo   install into $(VENV) and score the traces of examples/'
	@echo 'make test   all tests, ruff and mypy; PYTEST_ARGS="-k WORD" passes words on to pytest'
	@echo 'make lint   ruff and mypy only'
	@echo 'make clean  remove $(VENV) and the caches'

demo: $(VENV)/.installed
	@$(VENV)/bin/python examples/demo.py

test: lint
	$(RUN) pytest -n 2 $(PYTEST_ARGS)

lint: $(VENV)/.installed-for-tests
	$(RUN) ruff format --check --quiet .
	$(RUN) ruff check .
	$(RUN) mypy

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed, $(PYTHON) is %d.%d" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(RUN) pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.installed-for-tests: $(VENV)/.installed
	$(RUN) pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis
