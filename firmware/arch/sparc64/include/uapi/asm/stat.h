/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux's struct stat64, which fstatat64() and its like fill in. */
#include <asm-generic/stat.h>
