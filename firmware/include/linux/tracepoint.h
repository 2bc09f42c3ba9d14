/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints as their callers see them: trace_NAME() is a nop until the host
 * turns on the key of NAME. Then it calls the probe of the event's class, which
 * fills an entry (<trace/define_trace.h>).
 *
 * DECLARE_EVENT_CLASS()	fields and text that several events share
 * DEFINE_EVENT()		an event of a class
 * TRACE_EVENT()		both at once, under one name
 * DEFINE_EVENT_KEY()		an event of a class with a key that others have, too
 * DEFINE_EVENT_HOOK()		the same with a key of its own, in code behind another
 * TRACE_EVENT_FN()		the first call of int reg(void) is before the event
 * DEFINE_EVENT_FN()		is recorded, void unreg(void) when it is no longer
 */
#ifndef _LINUX_TRACEPOINT_H
#define _LINUX_TRACEPOINT_H

#include <linux/jump_label.h>

struct trace_event_call;

/*
 * A text of which entries hold the address. The host finds all of them in the
 * section.
 */
#define __tracepoint_string	__used __section("__tracepoint_str")
#define tracepoint_string(str)						\
	({								\
		static const char *const ___tp_str __tracepoint_string = str; \
		___tp_str;						\
	})

#define PARAMS(args...)		args
#define TP_PROTO(args...)	args
#define TP_ARGS(args...)	args
#define TP_CONDITION(args...)	args

#endif

/* A header of events, when it is not read for define_trace.h, declares. */
#ifndef TRACE_HEADER_MULTI_READ

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	void trace_event_raw_event_##name(struct trace_event_call *__call, \
					  proto);

#undef __DEFINE_EVENT
#define __DEFINE_EVENT(template, name, proto, args, key, cond)		\
	DECLARE_STATIC_KEY_FALSE(key);					\
	extern struct trace_event_call event_##name;			\
	static __always_inline void trace_##name(proto)			\
	{								\
		if (static_branch_unlikely(&key) && (cond))		\
			trace_event_raw_event_##template(&event_##name, args); \
	}								\
	static __always_inline bool trace_##name##_enabled(void)	\
	{								\
		return static_branch_unlikely(&key);			\
	}

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	__DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args),	\
		       __tracepoint_##name, PARAMS(cond))

/* The key is on while any of its events is; it is defined elsewhere. */
#undef DEFINE_EVENT_KEY
#define DEFINE_EVENT_KEY(template, name, proto, args, key)		\
	__DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args), key, true)

/* That key, too, is on while the event is; it is defined elsewhere. */
#undef DEFINE_EVENT_HOOK
#define DEFINE_EVENT_HOOK(template, name, proto, args, key)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	DEFINE_EVENT_CONDITION(template, name, PARAMS(proto), PARAMS(args), \
			       true)

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign,	\
			      print)					\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_EVENT_CONDITION(name, name, PARAMS(proto), PARAMS(args),	\
			       PARAMS(cond))

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(name)

#endif
