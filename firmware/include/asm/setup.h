/* SPDX-License-Identifier: GPL-2.0-only */
/* A port gives arch_start_kernel() and secondary_startup() its own names here. */
