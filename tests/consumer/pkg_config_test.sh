#!/bin/sh
# pkg_config_test.sh PREFIX SOURCE PROGRAM COMPILER [FLAGS…]: builds and runs SOURCE against the catena installed in PREFIX.
set -eu
prefix=$1 source=$2 program=$3
shift 3
file=$(find "$prefix" -name catena.pc)
PKG_CONFIG_PATH=$(dirname "$file")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir catena)
# shellcheck disable=SC2046  # one word a flag
"$@" -std=c++20 "$source" -o "$program" $(pkg-config --cflags --libs catena) -Wl,-rpath,"$libraries"
"$program"
