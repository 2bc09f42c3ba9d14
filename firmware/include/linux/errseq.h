/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The latest error and how many there were: everybody who remembers a sample
 * is told once of what has happened since.
 */
#ifndef _LINUX_ERRSEQ_H
#define _LINUX_ERRSEQ_H

#include <linux/types.h>

typedef u32 errseq_t;

/* Notes an error, such as -EIO. Returns what was there before. */
errseq_t errseq_set(errseq_t *eseq, int err);
/* 0 if the latest error has not been told to anybody. */
errseq_t errseq_sample(errseq_t *eseq);
/* The latest error, or 0 if there was none since the sample was taken. */
int errseq_check(errseq_t *eseq, errseq_t since);
/* The same; @since becomes the new sample. */
int errseq_check_and_advance(errseq_t *eseq, errseq_t *since);

#endif
