# SPDX-License-Identifier: GPL-2.0-only
# SPARC V9: how its user programs are compiled and linked.

CROSS_COMPILE ?= sparc64-linux-gnu-
ARCH_CFLAGS := -m64 -mcpu=v9 -mno-fpu -mcmodel=medlow
ARCH_LDFLAGS := -m elf64_sparc -z max-page-size=0x2000
