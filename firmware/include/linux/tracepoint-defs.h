/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For headers that events' headers include themselves: whether a tracepoint is
 * on can be asked here, and a function elsewhere then calls it.
 */
#ifndef _LINUX_TRACEPOINT_DEFS_H
#define _LINUX_TRACEPOINT_DEFS_H

#include <linux/jump_label.h>

#define DECLARE_TRACEPOINT(name) extern struct static_key __tracepoint_##name
#define tracepoint_enabled(name) static_branch_unlikely(&__tracepoint_##name)

#endif
