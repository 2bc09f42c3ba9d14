# SPDX-License-Identifier: GPL-2.0-only
# RISC-V: how its user programs are compiled and linked.

CROSS_COMPILE ?= riscv64-linux-gnu-
ARCH_CFLAGS := -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany -mno-relax -msmall-data-limit=0
ARCH_LDFLAGS := -m elf64lriscv -z max-page-size=0x1000 --no-relax
