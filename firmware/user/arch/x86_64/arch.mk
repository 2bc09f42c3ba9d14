# SPDX-License-Identifier: GPL-2.0-only
# x86-64: how its user programs are compiled and linked.

CROSS_COMPILE ?=
ARCH_CFLAGS := -m64 -march=x86-64 -mgeneral-regs-only -fcf-protection=none
ARCH_LDFLAGS := -m elf_x86_64 -z max-page-size=0x1000
