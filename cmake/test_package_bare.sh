#!/bin/sh
# test_package_bare.sh FILE.deb: installs it on a bare Debian 12, made by debootstrap in a scratch folder, and runs the program and the Python module there.
# Needs debootstrap, the rights of root and a network.
set -eu
package=$(realpath "$1")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp "$package" "$root/tmp/catena.deb"
cat > "$root/tmp/try.sh" << 'EOF'
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends /tmp/catena.deb >/tmp/install.log 2>&1 || { tail -n 20 /tmp/install.log; exit 1; }
cd /tmp
catena --version
catena examples four_bar
catena simulate four_bar.yaml --duration 1 --out run.csv --out run.html --out run.h5 --quiet
catena plot run.h5 rocker.z --out run.png
test "$(wc -l < run.csv)" -gt 50
grep -q '</html>' run.html
test -f /usr/share/man/man1/catena.1.gz || test -f /usr/share/man/man1/catena.1
python3 -c 'import catena; sim = catena.Simulation(catena.load("four_bar.yaml")); sim.step(10); print("python:", catena.__file__)'
EOF
mount -t proc proc "$root/proc"
chroot "$root" sh /tmp/try.sh
echo "$package: installs and runs on a bare Debian 12"
