/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of syscallfuzz know of each other. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define COUNT_OF(list)	(sizeof(list) / sizeof(*(list)))

/* Who makes calls: a thread of a process that may come to any end. */
struct fuzzer {
	unsigned long	random;
	pid_t		process, thread;
};

/* random.c */
unsigned long next_random(struct fuzzer *f);
unsigned long below(struct fuzzer *f, unsigned long n);
static inline bool one_in(struct fuzzer *f, unsigned long n)
{
	return below(f, n) == 0;
}

/* calls.c: a system call, and a letter for each of its arguments. */
struct call {
	const char	*name;
	int		number;
	const char	*arguments;
};
int find_calls(void);
const struct call *some_call(struct fuzzer *f);

/* things.c: what calls are about. All of it is made before there are children. */
void make_things(void);
int some_descriptor(struct fuzzer *f);
const char *some_path(struct fuzzer *f);
void copy_text(struct fuzzer *f, char *to, size_t size);
void restore_terminal(void);

/* arguments.c */
#define AREA		65536
extern char *area;		/* half of it can be written */
void make_area(void);
long some_argument(struct fuzzer *f, char kind);

#endif
