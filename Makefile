# Everything a checkout needs is a Python (>= 3.10) and make; the rest is installed into .venv.
PYTHON ?= python3
PYTEST_ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python -m
PIP := pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

# The frameworks of tests/end_to_end have an environment of their own, and so has each older SDK; the newest is in $(VENV).
FRAMEWORKS := .venv-frameworks
SDKS := 1.27.0 1.36.0

.PHONY: help demo test test-sdks lint clean

help:
	@echo 'make demo   install into $(VENV) and score the traces of examples/'
	@echo 'make test   all tests, ruff and mypy; PYTEST_ARGS="-k WORD" passes words on to pytest'
	@echo 'make test-sdks   the live tests with OpenTelemetry SDK $(SDKS)'
	@echo 'make lint   ruff and mypy only'
	@echo 'make clean  remove $(VENV) and the caches'

demo: $(VENV)/.installed-for-demo
	@$(VENV)/bin/python examples/demo.py
	@$(VENV)/bin/python examples/live/demo.py

test: lint $(FRAMEWORKS)/.installed
	$(RUN) pytest -n 2 $(PYTEST_ARGS)

lint: $(VENV)/.installed-for-tests
	$(RUN) ruff format --check --quiet .
	$(RUN) ruff check .
	$(RUN) mypy

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed, $(PYTHON) is %d.%d" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(RUN) $(PIP) .
	@touch $@

$(VENV)/.installed-for-tests: $(VENV)/.installed
	$(RUN) $(PIP) '.[test]'
	@touch $@

$(VENV)/.installed-for-demo: $(VENV)/.installed
	$(RUN) $(PIP) '.[demo]'
	@touch $@

$(FRAMEWORKS)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python -m $(PIP) '.[end-to-end]'
	@touch $@

.venv-sdk-%/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-sdk-$*
	.venv-sdk-$*/bin/python -m $(PIP) '.[sdk]' opentelemetry-sdk==$* hypothesis pytest pytest-xdist
	@touch $@

test-sdks: $(SDKS:%=.venv-sdk-%/.installed)
	for sdk in $(SDKS); do .venv-sdk-$$sdk/bin/python -m pytest -n 2 -p no:cacheprovider tests/live || exit 1; done

clean:
	rm -rf $(VENV) $(FRAMEWORKS) .venv-sdk-* .pytest_cache .ruff_cache .mypy_cache .hypothesis
