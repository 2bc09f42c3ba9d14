/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: what each level stands for. */
#define UNUSED_INTERRUPT	"at an unused level"
#include <asm-generic/interrupts.h>
