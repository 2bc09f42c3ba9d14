/* SPDX-License-Identifier: GPL-2.0-only */
/* What sample_export offers. */
#ifndef SAMPLE_EXPORT_H
#define SAMPLE_EXPORT_H

/* 1 + 4 + 9 + ... + n * n */
int sample_sum_of_squares(int n);

#endif
