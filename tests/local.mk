# SPDX-License-Identifier: LGPL-2.1-or-later
# Each program is built from the file of its own name (automake's default).
LDADD = liblauncher.la $(CMOCKA_LIBS)

if ENABLE_TESTS
UNIT_TESTS = \
	%D%/unit/test-argv \
	%D%/unit/test-argv-command \
	%D%/unit/test-argv-path \
	%D%/unit/test-caps \
	%D%/unit/test-cgroup \
	%D%/unit/test-climb \
	%D%/unit/test-compile \
	%D%/unit/test-cpython-events \
	%D%/unit/test-decide \
	%D%/unit/test-denials \
	%D%/unit/test-disk \
	%D%/unit/test-document \
	%D%/unit/test-empty \
	%D%/unit/test-input-file \
	%D%/unit/test-interpreters \
	%D%/unit/test-landlock \
	%D%/unit/test-learned \
	%D%/unit/test-limits \
	%D%/unit/test-links \
	%D%/unit/test-look \
	%D%/unit/test-memory-need \
	%D%/unit/test-notices \
	%D%/unit/test-notify \
	%D%/unit/test-observed \
	%D%/unit/test-option-use \
	%D%/unit/test-output \
	%D%/unit/test-owner \
	%D%/unit/test-path \
	%D%/unit/test-perf \
	%D%/unit/test-policy \
	%D%/unit/test-program-file \
	%D%/unit/test-repairs \
	%D%/unit/test-repr \
	%D%/unit/test-request-line \
	%D%/unit/test-resolve \
	%D%/unit/test-result \
	%D%/unit/test-ring-write \
	%D%/unit/test-ring-read \
	%D%/unit/test-rlimits \
	%D%/unit/test-root \
	%D%/unit/test-rule-tree \
	%D%/unit/test-seccomp \
	%D%/unit/test-session \
	%D%/unit/test-session-folder \
	%D%/unit/test-explain \
	%D%/unit/test-room \
	%D%/unit/test-shim-cover \
	%D%/unit/test-shim-file \
	%D%/unit/test-shim-told \
	%D%/unit/test-why \
	%D%/unit/test-wire \
	%D%/unit/test-shim-environment \
	%D%/unit/test-suggest \
	%D%/unit/test-symbols \
	%D%/unit/test-syntax \
	%D%/unit/test-told-judge \
	%D%/unit/test-tree \
	%D%/unit/test-unwind \
	%D%/unit/test-warden
%C%_unit_test_climb_LDADD = libshimcore.la $(CMOCKA_LIBS)
%C%_unit_test_cpython_events_LDADD = libshimcore.la $(CMOCKA_LIBS)
%C%_unit_test_resolve_LDADD = libshimcore.la $(CMOCKA_LIBS)
%C%_unit_test_ring_write_LDADD = libshimcore.la libpolicy.la $(CMOCKA_LIBS)
%C%_unit_test_shim_environment_LDADD = libshimcore.la $(CMOCKA_LIBS)
%C%_unit_test_unwind_LDADD = libshimcore.la $(CMOCKA_LIBS)
# One made-up world for the three about the preflight.
WORLD = %D%/unit/preflight_world.c %D%/unit/preflight_world.h
%C%_unit_test_argv_SOURCES = %D%/unit/test-argv.c $(WORLD)
%C%_unit_test_argv_command_SOURCES = %D%/unit/test-argv-command.c $(WORLD)
%C%_unit_test_argv_path_SOURCES = %D%/unit/test-argv-path.c $(WORLD)
# The kernel that refuses a ruleset is a wrapped syscall().
%C%_unit_test_landlock_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

E2E_TESTS = \
	%D%/e2e/blind.sh \
	%D%/e2e/capabilities.sh \
	%D%/e2e/code.sh \
	%D%/e2e/cpython.sh \
	%D%/e2e/cost.sh \
	%D%/e2e/doctor.sh \
	%D%/e2e/docs.sh \
	%D%/e2e/environment.sh \
	%D%/e2e/files.sh \
	%D%/e2e/explain.sh \
	%D%/e2e/frame.sh \
	%D%/e2e/learn.sh \
	%D%/e2e/limits.sh \
	%D%/e2e/mounts.sh \
	%D%/e2e/log.sh \
	%D%/e2e/no_namespaces.sh \
	%D%/e2e/notify.sh \
	%D%/e2e/observe.sh \
	%D%/e2e/programs.sh \
	%D%/e2e/protected.sh \
	%D%/e2e/refused.sh \
	%D%/e2e/repairs.sh \
	%D%/e2e/run.sh \
	%D%/e2e/signals.sh \
	%D%/e2e/scripts.sh \
	%D%/e2e/session.sh \
	%D%/e2e/show.sh \
	%D%/e2e/steps.sh \
	%D%/e2e/steps_qemu.sh
dist_check_SCRIPTS += $(E2E_TESTS)
# The kernel that lacks something, as a program.
check_PROGRAMS += %D%/lib/refuse
%C%_lib_refuse_LDADD = $(SECCOMP_LIBS)
TESTS += $(E2E_TESTS)
EXTRA_DIST += %D%/lib/steps.sh %D%/lib/tap.sh

# make check-unit, make check-e2e: one half each.
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS)'
check-e2e:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(E2E_TESTS)'

# make fuzzers: the libFuzzer targets; setup.sh runs them.
FUZZERS = \
	%D%/fuzz/fuzz-owner \
	%D%/fuzz/fuzz-policy \
	%D%/fuzz/fuzz-ring \
	%D%/fuzz/fuzz-request-line
EXTRA_PROGRAMS += $(FUZZERS)
FUZZING = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_owner_LDFLAGS = $(FUZZING)
%C%_fuzz_fuzz_policy_LDFLAGS = $(FUZZING)
%C%_fuzz_fuzz_ring_LDFLAGS = $(FUZZING)
%C%_fuzz_fuzz_request_line_LDFLAGS = $(FUZZING)
if ENABLE_FUZZERS
fuzzers: $(FUZZERS)
else
fuzzers:
	@echo "configure with --enable-fuzzers and CC=clang first" >&2; exit 1
endif

# make bench: what the design promises, as ratios on this machine. make escape: the attacks.
BENCHES = \
	%D%/bench/bench-decide \
	%D%/bench/bench-guest \
	%D%/bench/bench-run
EXTRA_PROGRAMS += $(BENCHES)
CLEANFILES += $(EXTRA_PROGRAMS)
EXTRA_DIST += %D%/bench/run.sh %D%/escape
%C%_bench_bench_guest_LDFLAGS = -all-static -no-pie
%C%_bench_bench_guest_LDADD =
%C%_bench_bench_run_LDADD =

bench: stile $(BENCHES)
	./%D%/bench/bench-decide
	$(AM_TESTS_ENVIRONMENT) BENCH_RUN='./%D%/bench/bench-run' \
	BENCH_GUEST='./%D%/bench/bench-guest' bash '$(srcdir)/%D%/bench/run.sh'
escape: stile
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/%D%/escape/run.sh'

.PHONY: bench check-e2e check-unit escape fuzzers

# Runs a program with the shim alone.
check_PROGRAMS += %D%/lib/room
%C%_lib_room_LDADD = liblauncher.la libshimcore.la

# The shim by itself: its exports, and every hook against the bare call.
if BUILD_SHIM
check_PROGRAMS += %D%/shim/calls %D%/shim/carry
%C%_shim_calls_CFLAGS = $(WARN_CFLAGS)
%C%_shim_calls_SOURCES = %D%/shim/calls.c
%C%_shim_calls_LDADD = libshimcore.la
%C%_shim_carry_LDADD =
SHIM_TESTS = \
	%D%/shim/calls.sh \
	%D%/shim/carry.sh \
	%D%/shim/exports.sh
TESTS += $(SHIM_TESTS)
endif
EXTRA_DIST += %D%/shim/calls.sh %D%/shim/carry.sh %D%/shim/exports.sh
