# make            build everything               make test      build, run every test; ends with "N passed, M failed"
# make demo       simulate the Strandbeest       make asan      the tests under address and undefined-behaviour sanitizers
# make bench      run the benchmarks             make bench-peers   … and other simulators beside them
# make format     lay the sources out            make tidy      static analysis
# make docs       API pages in docs/api          make install   to PREFIX (default /usr/local)
#
# Each works as the first command on a fresh Debian 12. Packages that are missing are installed (packages*.txt); when none is,
# no network is needed.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
SOURCES = $(shell find include src tests bench examples -name '*.h' -o -name '*.cpp')

.PHONY: all demo test asan bench bench-peers native format format-check tidy docs install clean
all: build/.configured
	cmake --build build -j $(JOBS)

# Packages: a stamp a list, renewed when the list changes.
PACKAGE_STAMP = mkdir -p build && cmake/install_packages.sh $< && touch $@
build/.packages: packages.txt
	@$(PACKAGE_STAMP)
build/.packages-docs: packages-docs.txt
	@$(PACKAGE_STAMP)
build/.packages-tidy: packages-tidy.txt
	@$(PACKAGE_STAMP)
build/.packages-peers: packages-peers.txt
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

demo: build/.configured
	cmake --build build -j $(JOBS) --target catena_cli
	build/catena simulate examples/strandbeest.yaml --out strandbeest.h5
	build/catena plot strandbeest.h5 left_toe.x:left_toe.z+right_toe.x:right_toe.z 'log(drift.position)' joint.drive.ty \
	  --title "A pair of Jansen's legs" --out strandbeest.svg
	build/catena simulate examples/strandbeest.yaml --out strandbeest.html --quiet
	@echo "strandbeest.html plays the run in any browser; strandbeest.svg shows the paths of the toes, the drift of the joints and the torque of the motor"

test: all
	@cmake/run_tests.sh build

asan: build-asan/.configured
	cmake --build build-asan -j $(JOBS)
	@cmake/run_tests.sh build-asan

bench: all
	@for program in $(wildcard bench/*_bench.cpp); do \
	  program=build/$${program%.cpp}; echo "== $$program"; $$program || exit 1; done

bench-peers: build/.packages-peers build/.packages
	cmake --preset release
	cmake --build build -j $(JOBS)
	build/catena bench peers

native: build-native/.configured
	cmake --build build-native -j $(JOBS)

format: build/.packages-tidy
	clang-format -i $(SOURCES)
format-check: build/.packages-tidy
	clang-format --dry-run -Werror $(SOURCES)
tidy: build/.packages-tidy build/.configured
	run-clang-tidy -quiet -p build -j $(JOBS) '^$(CURDIR)/src/'

docs: build/.packages-docs
	doxygen docs/Doxyfile
	@echo "docs/api/html/index.html"

install: all
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-asan build-native build-debug docs/api viewer/node_modules
