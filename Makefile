# Needs GNU make (3.81 is enough) and Python 3.11 to 3.14. Everything installed goes into .venv, and Dash into .venv-dash.

PYTHON ?= python3
VENV_PYTHON := .venv/bin/python
# Python compiles what is imported, when it is; pip would compile all, which takes as long as the rest.
PIP_INSTALL := $(VENV_PYTHON) -m pip --quiet --disable-pip-version-check install --no-compile

.PHONY: run serve test bench load audit clean help always

run: .venv/app-installed ## start the app and open it in a browser; plain `make` does this too
	@$(VENV_PYTHON) -m streamlit run streamlit_app.py $(ARGS)

serve: .venv/app-installed ## serve a class from this computer, warmed up, to all who are on its network
	@$(VENV_PYTHON) -m streamlit run deploy/server.py --server.address=0.0.0.0 \
		--server.headless=false --server.fileWatcherType=none $(ARGS)

test: .venv/tests-installed ## check style and types and run all tests, or some: make test ARGS="-k emma"
	@$(VENV_PYTHON) tests/browser/get_chromium.py
	@$(VENV_PYTHON) tests/hosting/get_nginx.py
	@echo "Checking style: ruff check"
	@$(VENV_PYTHON) -m ruff check --quiet
	@echo "Checking style: ruff format"
	@$(VENV_PYTHON) -m ruff format --check --quiet
	@echo "Checking types: mypy"
	@$(VENV_PYTHON) -m mypy --no-error-summary
	@echo "Running the tests that need no browser, two at a time: pytest"
	@$(VENV_PYTHON) -m pytest --ignore=tests/browser --ignore=tests/hosting --numprocesses=2 --dist=worksteal $(ARGS) $(OR_NONE)
	@echo "Running the tests in a browser and behind nginx, two at a time: pytest"
	@$(VENV_PYTHON) -m pytest tests/browser tests/hosting --numprocesses=2 --dist=worksteal $(ARGS) $(OR_NONE)

# Chosen tests may all be of one kind: 5 is what pytest returns for none.
OR_NONE = $(if $(ARGS),|| [ $$? -eq 5 ])

bench: .venv/tests-installed .venv-dash/installed ## measure the speed, in 5 minutes: a class at once, clicks, growth
	@$(VENV_PYTHON) tests/browser/get_chromium.py
	@$(VENV_PYTHON) tests/load/bench.py $(ARGS)

load: .venv/tests-installed ## measure the class alone: make load ARGS="--act edit --page random_qkv"
	@$(VENV_PYTHON) tests/load/load.py $(ARGS)

audit: .venv/pyvenv.cfg ## look up known vulnerabilities of all pinned packages; needs the internet
	@$(PIP_INSTALL) -r tests/audit/requirements.txt
	@status=0; for file in $(REQUIREMENTS); do \
		echo "Looking up what $$file installs: pip-audit"; \
		$(VENV_PYTHON) -m pip_audit --strict --progress-spinner=off --requirement=$$file || status=1; \
	done; exit $$status

REQUIREMENTS = $(shell find . -name requirements.txt -not -path "./.venv*/*" | sort)

clean: ## remove .venv and everything else that was generated
	@echo "Removing .venv, .venv-dash and caches"
	@rm -rf .venv .venv-dash bench.json .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -prune -exec rm -rf {} +

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile
	@echo "PYTHON=python3.13 chooses another Python for a new .venv, so run make clean first."

.venv/app-installed: requirements.txt constraints.txt .venv/pyvenv.cfg
	@echo "Installing what the app needs into .venv"
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

.venv/tests-installed: tests/requirements.txt .venv/app-installed
	@echo "Installing what the tests need into .venv"
	@$(PIP_INSTALL) -r tests/requirements.txt
	@touch $@

.venv-dash/installed: tests/load/dash_page/requirements.txt .venv/app-installed
	@echo "Installing Dash, to compare with, into .venv-dash"
	@$(VENV_PYTHON) -m venv --clear .venv-dash
	@.venv-dash/bin/python -m pip --quiet --disable-pip-version-check install -r tests/load/dash_page/requirements.txt
	@touch $@

# Looked at every time, as a .venv breaks when the Python that made it is upgraded or removed.
.venv/pyvenv.cfg: always
	@$(VENV_PYTHON) -c 'import pip' 2>/dev/null || { set -e; $(MAKE_VENV); }

MAKE_VENV = \
	command -v $(PYTHON) >/dev/null \
		|| { echo "$(PYTHON) was not found. $(WANTED)" >&2; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "$(PYTHON) is too old. $(WANTED)" >&2; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 15))' \
		|| { echo "$(PYTHON) is too new for the NumPy in requirements.txt. $(WANTED)" >&2; exit 1; }; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "$(PYTHON) cannot make a .venv. On Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }; \
	echo "Making .venv with `$(PYTHON) --version`"; \
	$(PYTHON) -m venv --clear .venv

WANTED = Install Python 3.11 to 3.14, or name one that is installed: make PYTHON=python3.13
