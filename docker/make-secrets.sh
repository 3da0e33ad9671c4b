#!/bin/sh
# Makes the secrets of compose.yaml beside it, once; what is there stays. Readable by the containers' users only through
# the mount; the folder is the operator's.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
chmod 700 secrets
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
[ -s secrets/postgres-password ] || random > secrets/postgres-password
[ -s secrets/grafana-password ] || random > secrets/grafana-password
[ -s secrets/database-url ] ||
  printf 'postgres://firn:%s@postgres:5432/firn' "$(cat secrets/postgres-password)" > secrets/database-url
# The containers run as users of their own, which must be able to read their file; nobody else reaches the folder.
chmod 644 secrets/*
