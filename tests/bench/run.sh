#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# make bench: what a run costs, as ratios on this machine.
#   BENCH_RUNS=200       turns of each rival
#   BENCH_MEGABYTES=2048 of output in the flood (the design says 10240)
set -euo pipefail
echo "stile: $("$STILE" --version 2>/dev/null | head -n 1); kernel $(uname -r); $(nproc) CPUs; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
exec "$BENCH_RUN" "$STILE" "$BENCH_GUEST" "${BENCH_RUNS:-200}" "${BENCH_MEGABYTES:-2048}"
