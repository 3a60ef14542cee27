#!/bin/sh
# test_package.sh FILE.deb: unpacks it to an empty folder, runs the program and the Python module from there, and leaves nothing behind.
set -eu
package=$(realpath "$1")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
dpkg -x "$package" "$root"
cd "$root"

echo "depends: $(dpkg-deb -f "$package" Depends)"
version=$(dpkg-deb -f "$package" Version)
usr/bin/catena --version | grep -F "catena $version"
ldd usr/bin/catena | grep libcatena | grep -F "$root" >/dev/null || { echo "the program does not find its own library"; exit 1; }
! ldd usr/bin/catena | grep 'not found'

usr/bin/catena examples | grep -q '^strandbeest '
usr/bin/catena examples four_bar
usr/bin/catena simulate four_bar.yaml --duration 1 --out run.csv --out run.html --out run.glb --quiet
test "$(wc -l < run.csv)" -gt 50
grep -q '</html>' run.html
test "$(head -c 4 run.glb)" = glTF

PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 - << 'EOF'
import catena
sim = catena.Simulation(catena.load("four_bar.yaml"), step=1e-3)
sim.step(100)
assert abs(sim.time - 0.1) < 1e-9, sim.time
print("python:", catena.__file__)
EOF

for file in usr/include/catena/catena.h usr/lib/cmake/catena/catenaConfig.cmake usr/lib/pkgconfig/catena.pc usr/share/doc/catena/copyright \
    usr/share/man/man1/catena.1 usr/share/bash-completion/completions/catena; do
  test -f "$file" || { echo "$file is missing"; exit 1; }
done
echo "$package: good"
