# Tablewire: every command of the project. `make help` lists them.
# PYTHON=... chooses the interpreter of .venv; JSON=FILE keeps the figures of `make bench`.

BIN := .venv/bin
export PYTHON
# A module is compiled once, not in each of the thousand processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE
# Some tests wait for a clock or a process: on two cores five workers, 578 s.
WORKERS = $$(($$(getconf _NPROCESSORS_ONLN) + 3))

.DEFAULT_GOAL := help
.PHONY: help setup run demo test check gen bench dist size coverage soak night chip fuzz dice pictures wireshark clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv, fetch the locked packages and the VM (nothing when already there)
	@sh host_tools/setup.sh

run: setup ## Play a round of each role on the emulated board and settle its bets
	@$(BIN)/tabletool play
	@echo "next: make demo runs a whole pit with its console in your browser, until Ctrl-C"

demo: setup ## A whole pit in real time: tables, host, console, players; Ctrl-C ends it
	@exec $(BIN)/tabletool demo $(if $(PORT),--port $(PORT))

test: setup ## Everything: all tests, and beside them the checks below, whose output follows
	@$(MAKE) --no-print-directory check >.check.log 2>&1 & checks=$$!; \
	$(BIN)/pytest -q -n $(WORKERS) --dist worksteal; tested=$$?; \
	wait $$checks; checked=$$?; cat .check.log; [ $$tested = 0 ] && [ $$checked = 0 ]

check: setup ## Style, types, drift of generated files, wire breaks, board pins
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python firmware/check_types.py
	$(BIN)/python -m tablespec.generate --check
	$(BIN)/python -m tabletools.cli.reference --check
	$(BIN)/python -m tabletools.cms.documents --check
	$(BIN)/python -m tabletools.api.openapi --check
	$(BIN)/python -m tabletools.settle.settle_page --check
	$(BIN)/python -m tabletools.rulebook.paragraphs_page --check
	$(BIN)/python -m tabletools.api.game_facts --check
	$(BIN)/python -m host_tools.delivery.dependencies_page --check
	$(BIN)/python -m tablespec.check_break
	$(BIN)/python boards/check_boards.py
	$(BIN)/python boards/bill.py --check

gen: setup ## Write the generated tables and documents again
	$(BIN)/python -m tablespec.generate
	$(BIN)/python -m tabletools.cli.reference
	$(BIN)/python -m tabletools.cms.documents
	$(BIN)/python -m tabletools.api.openapi
	$(BIN)/python -m tabletools.settle.settle_page
	$(BIN)/python -m tabletools.rulebook.paragraphs_page
	$(BIN)/python -m tabletools.api.game_facts
	$(BIN)/python -m host_tools.delivery.dependencies_page
	$(BIN)/python boards/wiring.py
	$(BIN)/python boards/bill.py
	$(BIN)/python firmware/tests/test_packaging.py
	$(BIN)/python host_tools/tests/test_link_page.py

bench: setup ## Speed and memory, side by side with the peers [ONLY=rig] [JSON=FILE]
	$(BIN)/python host_tools/bench/run.py $(if $(ONLY),--only $(ONLY)) $(if $(JSON),--json $(JSON))

dist: setup ## Wheel, source archive and the packages of a host with their hashes: in dist/
	@$(BIN)/python -m host_tools.delivery.dist

size: setup ## Compiled size of the firmware against its budget
	$(BIN)/python firmware/size.py

coverage: setup ## Lines of the firmware that run on the VM, in healthy rounds and every fault of every role [ROLE=roulette]
	@$(BIN)/python -m hil_tests.coverage $(if $(ROLE),--roles $(ROLE))

soak: setup ## Every power cut, twice; a long night of spins with random faults; hands at each machine; every test in full; a hundred nights; an evening of an estate; then fuzz [SPINS=300: all of it short]
	cd firmware && PYTHONPATH=.. ../$(BIN)/python -m tests.rig.power_matrix $(if $(SPINS),--cuts $(SPINS))
	for role in $(or $(ROLE),roulette shuffler draw_machine); do \
		$(BIN)/python -m hil_tests.soak --role $$role $(if $(SPINS),--spins $(SPINS)) || exit 1; done
	$(if $(ROLE),,PYTHONPATH=firmware $(BIN)/python -m hil_tests.soak.physics_soak $(if $(SPINS),--spins $(SPINS)))
	$(if $(ROLE)$(SPINS),,TABLEWIRE_EVERY_STEP=1 $(BIN)/pytest -q -n $(WORKERS) --dist worksteal)
	$(if $(ROLE),,$(BIN)/python -m hil_tests.night --hours 0.25 \
		--nights $(or $(NIGHTS),$(if $(SPINS),1,100)) --tables R1,W1,C1,S1,K1)
	$(if $(ROLE),,$(BIN)/python -m hil_tests.night --hours 0.25 --nights $(if $(SPINS),1,5) \
		--tables D1,R1)
	$(if $(ROLE),,$(BIN)/python -m hil_tests.estate_evening $(if $(SPINS),--pits 1 --rounds 12))
	$(if $(ROLE),,XDG_DATA_HOME=$$(mktemp -d) $(BIN)/python -m hil_tests.estate_hosts \
		$(if $(SPINS),--tables 2 --cut-s 60 --step-s 2))
	@$(MAKE) --no-print-directory fuzz $(if $(SPINS),FUZZ_MINUTES=$(or $(FUZZ_MINUTES),0.1))

night: setup ## A night of a whole pit with faults of every part, in virtual time [SEED=1 HOURS=8 TABLES=R1,W1 QUIET=1 DISHONEST=1 LOG=FILE]
	@$(BIN)/python -m hil_tests.night --seed $(or $(SEED),1) --hours $(or $(HOURS),8) \
		$(if $(TABLES),--tables $(TABLES)) $(if $(QUIET),--quiet) $(if $(DISHONEST),--dishonest) \
		$(if $(LOG),--log $(LOG))

chip: setup ## The program on emulated chips, MicroPython built from source: a Cortex-M3, then an RP2040 [MICROPYTHON=FOLDER ROLE=roulette FLASH=worst SPARE=20480 FAULTS=1 PROMPT=10: every Control-C, 40 minutes more QEMU=1: the first chip alone]
	@PYTHONPATH=boards:firmware $(BIN)/python -m hil_tests.chip $(if $(MICROPYTHON),--micropython $(MICROPYTHON)) \
		$(if $(ROLE),--role $(ROLE)) $(if $(FLASH),--flash $(FLASH)) $(if $(SPARE),--spare $(SPARE)) \
		$(if $(FAULTS),--faults) $(if $(PROMPT),--prompt $(PROMPT)) $(if $(QEMU),--qemu)

fuzz: setup ## Mutated input for every reader on both sides [FUZZ_MINUTES=1 for each]
	PYTHONPATH=firmware $(BIN)/python -m hil_tests.fuzz \
		$(if $(FUZZ_MINUTES),--minutes $(FUZZ_MINUTES))

dice_tray := hil_tests.dice_rigs
dice_camera := hil_tests.dice_overhead
dice_both := hil_tests.dice_two_cameras
dice_lights := hil_tests.dice_two_lights
dice: setup ## How well dice are read, and what is short of its target: rendered scenes [DATA=FOLDER of photographs] [BY=tray: a table in commissioned trays, BY=camera: a host with its own, BY=both: highlights for two cameras, BY=lights: for two lights]
	$(BIN)/python -m $(or $(dice_$(BY)),hil_tests.dice_accuracy) \
		$(if $(DATA),--data $(DATA)) $(if $(SCENES),--scenes $(SCENES))

pictures: setup ## The pictures of the console in the docs, from a demo of its own; look at them
	$(BIN)/python -m host_tools.tests.console_pictures

wireshark: setup ## The dissector in a real tshark, compared with tabletool decode
	@command -v tshark >/dev/null || { echo "wireshark: error: no tshark here; get it with:" \
		"apt install tshark (Debian, Ubuntu) or: brew install wireshark (macOS)" >&2; exit 1; }
	$(BIN)/pytest -q protocol/tests/test_wireshark.py

clean: ## Remove what was installed and every cache
	rm -rf .venv node_modules build dist *.egg-info .setup.log .check.log
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
