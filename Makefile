# make            build everything               make test      build, run every test; ends with "N passed, M failed"
# make demo       simulate the Strandbeest       make asan      the tests under address and undefined-behaviour sanitizers
# make bench      run the benchmarks             make bench-peers   … and other simulators beside them
# make format     lay the sources out            make tidy      static analysis (tidy-quick: the quick part of it)
# make docs       the site in build/site         make install   to PREFIX (default /usr/local)
# make package    a .deb in build, tried out in a scratch folder    make package-bare    … and on a bare Debian 12 (debootstrap, as root)
# make soak       every example by every method for a long time: none stops, none gains energy
# make walk       every command of docs/start/index.md, in order, with the time it takes
# make fuzz       FUZZ_RUNS random inputs to each reader of scene, robot and other files and of commands, and to the solvers, under sanitizers
#
# Each works as the first command on a fresh Debian 12. Packages that are missing are installed (packages*.txt), and those of the page are fetched into
# viewer/node_modules; when all of them are there no network is needed.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
FUZZ_RUNS ?= 1000000
SOURCES = $(shell find include src tests bench examples -name '*.h' -o -name '*.cpp')

.PHONY: all demo test walk asan bench bench-peers soak soak-page native format format-check tidy tidy-quick docs fuzz install package package-bare clean
all: build/.configured
	cmake --build build -j $(JOBS)

# Packages: a stamp a list, renewed when the list changes.
PACKAGE_STAMP = mkdir -p build && cmake/install_packages.sh $< && touch $@
build/.packages: packages.txt
	@$(PACKAGE_STAMP)
build/.packages-docs: packages-docs.txt
	@$(PACKAGE_STAMP)
build/.packages-package: packages-package.txt
	@$(PACKAGE_STAMP)
build/.packages-bare: packages-bare.txt
	@$(PACKAGE_STAMP)
build/.packages-tidy: packages-tidy.txt
	@$(PACKAGE_STAMP)
build/.packages-peers: packages-peers.txt
	@$(PACKAGE_STAMP)
build/.packages-fuzz: packages-fuzz.txt
	@$(PACKAGE_STAMP)

build/.configured: build/.packages CMakePresets.json
	cmake --preset release
	@touch $@
build-asan/.configured: build/.packages CMakePresets.json
	cmake --preset asan-ubsan
	@touch $@
build-native/.configured: build/.packages CMakePresets.json
	cmake --preset native
	@touch $@

build-fuzz/.configured: build/.packages build/.packages-fuzz CMakePresets.json
	cmake --preset fuzz
	@touch $@

demo: build/.configured
	cmake --build build -j $(JOBS) --target catena_cli
	build/catena simulate examples/strandbeest.yaml --out strandbeest.html --out strandbeest.h5
	build/catena plot strandbeest.h5 frame.x frame.z 'log(drift.position)' joint.shaft.ty contacts.normal \
	  --title "A strandbeest walks" --out strandbeest.svg
	@build/catena render strandbeest.h5 --from 8 --to 10.4 --fps 12 --size 640x360 --quiet --out strandbeest.gif || echo "no moving picture: see above"
	@echo "strandbeest.html plays the run in any browser; strandbeest.gif is a moving picture of it; strandbeest.svg shows its way, its height, the drift of its joints, the torque of its motor and the weight on its toes"

test: all
	@cmake/run_tests.sh build

walk: all
	/usr/bin/python3 tests/docs/walk.py --catena build/catena --python-path build/python --library-path build/src

asan: build-asan/.configured
	cmake --build build-asan -j $(JOBS)
	@cmake/run_tests.sh build-asan

bench: all
	@for program in $(wildcard bench/*_bench.cpp); do \
	  program=build/$${program%.cpp}; echo "== $$program"; $$program || exit 1; done

# All examples, and the scenes of SOAK_SCENES where there are any, by every method for SOAK_SECONDS of simulated time or SOAK_BUDGET of processor
# time each: none stops, none gains energy, none grows or slows down.
SOAK_SECONDS = 100
SOAK_BUDGET  = 600
SOAK_SCENES  = $(wildcard ../shared/review-scenes)
soak: all
	build/catena bench soak --seconds $(SOAK_SECONDS) --budget $(SOAK_BUDGET) $(addprefix --scenes ,$(SOAK_SCENES))

# The live page for SOAK_PAGE_SECONDS: two pages steer a run while others flood, vanish and send nonsense.
SOAK_PAGE_SECONDS = 3600
soak-page: all
	python3 tests/cli/view_soak.py --catena build/catena --scene examples/strandbeest.yaml --seconds $(SOAK_PAGE_SECONDS)

bench-peers: build/.packages-peers build/.packages
	cmake --preset release
	cmake --build build -j $(JOBS)
	build/catena bench peers solvers

# FUZZ_RUNS inputs to each target, begun from tests/data/fuzz; what one run finds is kept in build-fuzz/corpus for the next. No input may take
# more than 2 GB or 25 s.
FUZZ_TARGETS = scene robot_file sdf usda mesh csv hdf5_extents checkpoint command problem_file small_problem
FUZZ_FLAGS   = -rss_limit_mb=2048 -timeout=25 -print_final_stats=1
fuzz: build-fuzz/.configured
	cmake --build build-fuzz -j $(JOBS) --target $(addprefix fuzz_,$(FUZZ_TARGETS))
	@set -e; for target in $(FUZZ_TARGETS); do \
	  echo "== $$target"; mkdir -p build-fuzz/corpus/$$target; \
	  dict=tests/fuzz/$$target.dict; [ -f $$dict ] && dict=-dict=$$dict || dict=; \
	  build-fuzz/tests/fuzz/fuzz_$$target -runs=$(FUZZ_RUNS) -max_len=4096 $(FUZZ_FLAGS) $$dict -artifact_prefix=build-fuzz/ \
	    build-fuzz/corpus/$$target tests/data/fuzz/$$target; done

native: build-native/.configured
	cmake --build build-native -j $(JOBS)

format: build/.packages-tidy
	clang-format -i $(SOURCES)
format-check: build/.packages-tidy
	clang-format --dry-run -Werror $(SOURCES)
# Over the units the compiler sees, several sources each, so that headers are read once. `tidy-quick` leaves out what takes longest: the analyzer, which runs
# paths through the code, and the checks of style.
TIDY = run-clang-tidy -quiet -p build/tidy -j $(JOBS)
TIDY_UNITS = '^$(CURDIR)/build/src/.*/Unity/'
# What is compiled and how, without options that only gcc knows.
build/tidy/compile_commands.json: build/.configured
	mkdir -p build/tidy
	sed 's/-fno-tree-loop-distribute-patterns//g' build/compile_commands.json > $@
tidy: build/.packages-tidy build/tidy/compile_commands.json
	$(TIDY) $(TIDY_UNITS)
tidy-quick: build/.packages-tidy build/tidy/compile_commands.json
	$(TIDY) -checks='-clang-analyzer-*,-modernize-*,-readability-*,-bugprone-reserved-identifier,-bugprone-stringview-nullptr' $(TIDY_UNITS)

docs: build/.packages-docs
	mkdocs build --quiet --strict
	doxygen cmake/Doxyfile
	@if [ -x build/catena ]; then python3 cmake/gallery.py build/catena replays build/site/replays; \
	  else echo "the gallery has no replays: they are made where build/catena is there (make)"; fi
	@echo "build/site/index.html; its search needs a server: python3 -m http.server --directory build/site"

package: all build/.packages-package
	cd build && cpack
	@cmake/test_package.sh $$(ls -t build/catena_*.deb | head -1)

package-bare: package build/.packages-bare
	@cmake/test_package_bare.sh $$(ls -t build/catena_*.deb | head -1)

install: all
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-asan build-native build-debug build-fuzz viewer/node_modules
