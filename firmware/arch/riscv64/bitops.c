/* SPDX-License-Identifier: GPL-2.0-only */
/* What gcc calls in place of instructions that there are not. */
#include <asm-generic/count_zeroes.h>
