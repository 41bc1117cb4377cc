/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the counting plugin uses of qemu's plugin interface, version 1 (qemu 7.1 and later; newer ones still
 * load it). Distributions do not ship the header; these are declarations of our own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t; /* qemu's own name */

struct qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

/* Looked for by qemu in the plugin. */
extern QEMU_PLUGIN_EXPORT const int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info,
					   int argc, char **argv);

/* Found by the plugin in qemu. */
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
				       void (*act)(qemu_plugin_id_t id, unsigned int cpu));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*act)(qemu_plugin_id_t id,
						       struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*act)(unsigned int cpu, void *data),
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*act)(unsigned int cpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
					  void (*act)(qemu_plugin_id_t id, unsigned int cpu,
						      int64_t number, uint64_t a1, uint64_t a2,
						      uint64_t a3, uint64_t a4, uint64_t a5,
						      uint64_t a6, uint64_t a7, uint64_t a8));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_start_code(void);
void qemu_plugin_reset(qemu_plugin_id_t id, void (*act)(qemu_plugin_id_t id));
