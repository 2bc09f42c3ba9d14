/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_ELF_H
#define _LINUX_ELF_H

#include <linux/types.h>
#include <uapi/linux/elf.h>

#endif
