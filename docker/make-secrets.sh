#!/bin/sh
# Makes the secrets of compose.yaml in the folder given, once; what is there stays. Each can be read by the one user
# whose service needs it. Runs as root in a container of its own, before all others.
set -eu
umask 077
cd "$1"
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
# Whole or not at all: a name is given to what is finished.
make() {
  [ -s "$1" ] && return
  printf '%s' "$3" > "$1.new"
  chmod 400 "$1.new"
  chown "$2" "$1.new"
  mv "$1.new" "$1"
}
make postgres-password 70:70 "$(random)"
make database-url 1000:1000 "postgres://firn:$(cat postgres-password)@postgres:5432/firn"
make grafana-password 472:0 "$(random)"
# The folder may be entered, so that each finds its own.
chmod 755 .
