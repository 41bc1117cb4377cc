/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of axes and layers, as they stand in results. Pure data, safe in any process and in a
 * signal handler; a value out of range has a name too ("none"), never NULL.
 */
#include "policy/verdict.h"

static const char *const axis_names[AXIS_COUNT] = {
	[AXIS_NONE] = "none",       [AXIS_EXECUTABLE] = "executable", [AXIS_ARGV] = "argv",
	[AXIS_SHELL] = "shell",     [AXIS_PATH] = "path",             [AXIS_NETWORK] = "network",
	[AXIS_PROCESS] = "process", [AXIS_SIGNAL] = "signal",         [AXIS_LOAD] = "load",
	[AXIS_SYSCALL] = "syscall", [AXIS_RESOURCE] = "resource",
};

static const char *const layer_names[LAYER_COUNT] = {
	[LAYER_NONE] = "none",           [LAYER_PREFLIGHT] = "preflight",
	[LAYER_SHIM] = "shim",           [LAYER_LANDLOCK] = "landlock",
	[LAYER_SECCOMP] = "seccomp",     [LAYER_NAMESPACE] = "namespace",
	[LAYER_RLIMIT] = "rlimit",       [LAYER_CGROUP] = "cgroup",
	[LAYER_BUDGET] = "budget",       [LAYER_PROXY] = "proxy",
};

const char *axis_name(enum axis axis)
{
	return (unsigned)axis < AXIS_COUNT ? axis_names[axis] : axis_names[AXIS_NONE];
}

const char *layer_name(enum layer layer)
{
	return (unsigned)layer < LAYER_COUNT ? layer_names[layer] : layer_names[LAYER_NONE];
}
