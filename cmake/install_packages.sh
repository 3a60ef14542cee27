#!/bin/sh
# install_packages.sh LIST: installs with apt-get what LIST names (one package a line, # comments) and is not there yet.
# A program that came another way counts as there: npm is part of some packages of node, which refuse Debian's own beside them.
set -eu
missing=
for package in $(sed 's/#.*//' "$1"); do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || command -v "$package" >/dev/null || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "installing$missing"
$sudo apt-get update -qq
# shellcheck disable=SC2086  # one word a package
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
