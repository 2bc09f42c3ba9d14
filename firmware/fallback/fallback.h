/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a port does not have, or not yet. The files of this folder make an
 * archive: the linker takes from it what nothing else defines. A function here
 * does its work slowly, or refuses and says so once.
 */
#ifndef FALLBACK_H
#define FALLBACK_H

#include <linux/printk.h>

#define __fallback	__attribute__((weak))

/* One line for each function that refuses. */
#define port_lacks() \
	pr_warn_once("%s: this port does not have it yet\n", __func__)

#endif
