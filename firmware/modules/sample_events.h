/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of sample_events: one kind of field, or of event, after another. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sample_events

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE sample_events

#if !defined(_SAMPLE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SAMPLE_EVENTS_H

#include <linux/cpumask.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#ifndef _SAMPLE_EVENTS_TYPES
#define _SAMPLE_EVENTS_TYPES

enum sample_fruit {
	SAMPLE_APPLE,
	SAMPLE_PEAR,
	SAMPLE_PLUM,
	NR_SAMPLE_FRUITS
};

#define SAMPLE_RIPE	(1 << 0)
#define SAMPLE_WASHED	(1 << 1)

#define SAMPLE_POWERS	3

#endif

TRACE_DEFINE_ENUM(SAMPLE_APPLE);
TRACE_DEFINE_ENUM(SAMPLE_PEAR);
TRACE_DEFINE_ENUM(SAMPLE_PLUM);

/* Texts of an array, of any length, of a number, of bits. */
TRACE_EVENT(sample_basket,
	TP_PROTO(const char *owner, int number, enum sample_fruit fruit,
		 unsigned int flags),
	TP_ARGS(owner, number, fruit, flags),
	TP_STRUCT__entry(
		__array(char, label, 8)
		__string(owner, owner)
		__field(int, number)
		__field(enum sample_fruit, fruit)
		__field(unsigned int, flags)
	),
	TP_fast_assign(
		memset(__entry->label, 0, 8);
		strscpy(__entry->label, owner, 8);
		__assign_str(owner, owner);
		__entry->number = number;
		__entry->fruit = fruit;
		__entry->flags = flags;
	),
	TP_printk("%s: %s's basket %d: %s %s",
		__entry->label, __get_str(owner), __entry->number,
		__print_symbolic(__entry->fruit,
				 { SAMPLE_APPLE,	"apple" },
				 { SAMPLE_PEAR,		"pear" },
				 { SAMPLE_PLUM,		"plum" }),
		__print_flags(__entry->flags, "|",
			      { SAMPLE_RIPE,	"ripe" },
			      { SAMPLE_WASHED,	"washed" }))
);

/* Arrays whose place is in the entry: bits, and numbers made for the event. */
TRACE_EVENT(sample_lists,
	TP_PROTO(int number, const struct cpumask *cpus),
	TP_ARGS(number, cpus),
	TP_STRUCT__entry(
		__field(int, number)
		__bitmask(cpus, NR_CPUS)
		__dynamic_array(int, powers, SAMPLE_POWERS)
	),
	TP_fast_assign(
		int *powers = __get_dynamic_array(powers);
		int i, power = 1;

		__entry->number = number;
		__assign_bitmask(cpus, cpus->bits, NR_CPUS);
		for (i = 0; i < SAMPLE_POWERS; i++)
			powers[i] = power *= number;
	),
	TP_printk("%d: %s on %s",
		__entry->number,
		__print_array(__get_dynamic_array(powers),
			      __get_dynamic_array_len(powers) / sizeof(int),
			      sizeof(int)),
		__get_bitmask(cpus))
);

/* Only every other one. */
TRACE_EVENT_CONDITION(sample_even,
	TP_PROTO(int number),
	TP_ARGS(number),
	TP_CONDITION(number % 2 == 0),
	TP_STRUCT__entry(
		__field(int, number)
	),
	TP_fast_assign(
		__entry->number = number;
	),
	TP_printk("%d", __entry->number)
);

/* Two events with the same fields. */
DECLARE_EVENT_CLASS(sample_round,
	TP_PROTO(unsigned long number),
	TP_ARGS(number),
	TP_STRUCT__entry(
		__field(unsigned long, number)
	),
	TP_fast_assign(
		__entry->number = number;
	),
	TP_printk("round %lu", __entry->number)
);

DEFINE_EVENT(sample_round, sample_round_begin,
	TP_PROTO(unsigned long number),
	TP_ARGS(number)
);

DEFINE_EVENT_PRINT(sample_round, sample_round_end,
	TP_PROTO(unsigned long number),
	TP_ARGS(number),
	TP_printk("%lu rounds done", __entry->number)
);

#endif

#include <trace/define_trace.h>
