/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What follows from the events of one header. The header includes this file at
 * its end; one C file defines CREATE_TRACE_POINTS before it includes the
 * header, and so has what is here. The header is read once for each part:
 *
 *	1 the entry, struct trace_event_raw_CLASS
 *	2 the table of its fields
 *	3 names that print fmt uses
 *	4 the text of print fmt
 *	5 the probe, trace_event_raw_event_CLASS(), and the event, event_NAME
 */
#ifdef CREATE_TRACE_POINTS
#undef CREATE_TRACE_POINTS

#include <linux/string.h>
#include <linux/trace_events.h>

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE	TRACE_SYSTEM
#define UNDEF_TRACE_INCLUDE_FILE
#endif
#ifndef TRACE_SYSTEM_VAR	/* for one whose name is none of C */
#define TRACE_SYSTEM_VAR	TRACE_SYSTEM
#define UNDEF_TRACE_SYSTEM_VAR
#endif
#ifndef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH	trace/events
#define UNDEF_TRACE_INCLUDE_PATH
#endif

#define __trace_stringify_1(x...)	#x
#define __trace_stringify(x...)		__trace_stringify_1(x)
#define __TRACE_HEADER(path, file)	__trace_stringify(path/file.h)
#define TRACE_HEADER	__TRACE_HEADER(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)
#define __trace_system			__trace_stringify(TRACE_SYSTEM)

#define __trace_is_signed(type)		((type)-1 < (type)1)

#define TRACE_HEADER_MULTI_READ

/* All kinds of events come down to classes and events of them. */
#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))
#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_EVENT_FN(name, name, PARAMS(proto), PARAMS(args), reg, unreg)
#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign,	\
			      print)					\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#undef DEFINE_EVENT_KEY
#define DEFINE_EVENT_KEY(template, name, proto, args, key)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#undef DEFINE_EVENT_HOOK
#define DEFINE_EVENT_HOOK(template, name, proto, args, hook)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

/* And all kinds of fields to these; the others follow from them. */
#define TP_STRUCT__entry(args...)	args
#define TP_fast_assign(args...)		args
#define __field_ext(type, item, filter)	__field(PARAMS(type), item)
#define __field_struct_ext(type, item, filter) __field_struct(PARAMS(type), item)
#define __string(item, src)		__dynamic(char, item)
#define __string_len(item, src, len)	__dynamic(char, item)
#define __bitmask(item, nr_bits)	__dynamic(unsigned long, item)
#define __cpumask(item)			__dynamic(unsigned long, item)
#define __vstring(item, fmt, args)	__dynamic(char, item)
#define __rel_string(item, src)		__rel_dynamic(char, item)
#define __rel_bitmask(item, nr_bits)	__rel_dynamic(unsigned long, item)

/* 1: the entry */
#define __field(type, item)		type item;
#define __field_struct(type, item)	type item;
#define __array(type, item, len)	type item[len];
#define __dynamic(type, item)		u32 __data_loc_##item;
#define __dynamic_array(type, item, len) __dynamic(type, item)
#define __rel_dynamic(type, item)	u32 __rel_loc_##item;

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_raw_##name {					\
		struct trace_entry ent;					\
		tstruct							\
	};
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(name)

#include TRACE_HEADER

/* 2: the table of its fields */
#undef __field
#define __field(_type, _item) {						\
		.type = #_type, .name = #_item, .size = sizeof(_type),	\
		.align = __alignof__(_type),				\
		.is_signed = __trace_is_signed(_type),			\
		.element = sizeof(_type) },
#undef __field_struct
#define __field_struct(_type, _item) {					\
		.type = #_type, .name = #_item, .size = sizeof(_type),	\
		.align = __alignof__(_type), .element = 1 },
#undef __array
#define __array(_type, _item, _len) {					\
		.type = #_type "[" __trace_stringify(_len) "]",		\
		.name = #_item, .size = sizeof(_type[_len]),		\
		.align = __alignof__(_type),				\
		.is_signed = __trace_is_signed(_type),			\
		.element = sizeof(_type) },
#undef __dynamic
#define __dynamic(_type, _item) {					\
		.type = "__data_loc " #_type "[]", .name = #_item,	\
		.size = 4, .align = 4,					\
		.is_signed = __trace_is_signed(_type),			\
		.element = sizeof(_type) },
#undef __rel_dynamic
#define __rel_dynamic(_type, _item) {					\
		.type = "__rel_loc " #_type "[]", .name = #_item,	\
		.size = 4, .align = 4,					\
		.is_signed = __trace_is_signed(_type),			\
		.element = sizeof(_type) },

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static const struct trace_event_field				\
	trace_event_fields_##name[] = {					\
		tstruct							\
		{}							\
	};

#include TRACE_HEADER

/* 3: names that print fmt uses */
#define __TRACE_EVAL(id, text, value)					\
	static const struct trace_eval_map __TRACE_PASTE(__eval_, id) = { \
		.system = __trace_system, .eval_string = text,		\
		.eval_value = (u64)(value),				\
	};								\
	static const struct trace_eval_map *const			\
	__TRACE_PASTE(__eval_ptr_, id)					\
	__used __section("_ftrace_eval_map") = &__TRACE_PASTE(__eval_, id);
#define __TRACE_PASTE_1(a, b)	a##b
#define __TRACE_PASTE(a, b)	__TRACE_PASTE_1(a, b)
#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)						\
	__TRACE_EVAL(__TRACE_PASTE(TRACE_SYSTEM_VAR, _##name), #name, name)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(name)					\
	__TRACE_EVAL(__TRACE_PASTE(TRACE_SYSTEM_VAR, _size_##name),	\
		     "sizeof(" #name ")", sizeof(name))

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#include TRACE_HEADER

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(name)

/* 4: the text of print fmt */
#define __entry				REC
#define TP_printk(fmt, args...)		"\"" fmt "\", " __trace_stringify(args)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static const char print_fmt_##name[] = print;
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	static const char print_fmt_##name[] = print;

/* Branches in it are those of an expression: branch_check.h makes statements. */
#pragma push_macro("likely")
#pragma push_macro("unlikely")
#undef likely
#undef unlikely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#include TRACE_HEADER

#pragma pop_macro("likely")
#pragma pop_macro("unlikely")
#undef __entry
#undef TP_printk
#define TP_printk(fmt, args...)

/* 5: the probe and the event */
#undef __field
#define __field(type, item)
#undef __field_struct
#define __field_struct(type, item)
#undef __array
#define __array(type, item, len)
#undef __dynamic
#define __dynamic(type, item)						\
		const unsigned long __index_##item = __count++;
#undef __rel_dynamic
#define __rel_dynamic(type, item)	__dynamic(type, item)
#undef __vstring
#define __vstring(item, fmt, args)					\
		__dynamic(char, item)					\
		char __data_##item[TRACE_EVENT_STR_MAX];
#undef __dynamic_array
#define __dynamic_array(type, item, len)				\
		__dynamic(type, item)					\
		type __data_##item[len];				\
		_Static_assert(sizeof(__data_##item) <= 256,		\
			       "it is on the stack");			\
		__dynamic_data[__index_##item] = (struct trace_dynamic)	\
			{ __data_##item, sizeof(__data_##item) };

#define __get_dynamic_array(item)	((void *)__data_##item)
#define __get_dynamic_array_len(item)	sizeof(__data_##item)
#define __get_str(item)			((char *)__data_##item)
#define __assign_data(item, src, bytes)					\
		(__dynamic_data[__index_##item] =			\
			(struct trace_dynamic){ (src), (bytes) })
#define __assign_str(item, src)	__assign_data(item, src, TRACE_STRING)
#define __assign_str_len(item, src, len)				\
		__assign_data(item, src, TRACE_STRING_LEN(len))
#define __assign_bitmask(item, src, nr_bits)				\
		__assign_data(item, src, ((nr_bits) + 63) / 64 * 8)
#define __assign_cpumask(item, src)	__assign_bitmask(item, src, NR_CPUS)
#define __assign_rel_str(item, src)	__assign_str(item, src)
#define __assign_rel_bitmask(item, src, nr_bits)			\
		__assign_bitmask(item, src, nr_bits)
#define __assign_vstr(item, fmt, args)					\
	do {								\
		va_list __copy;						\
									\
		va_copy(__copy, *(args));				\
		vsnprintf(__data_##item, TRACE_EVENT_STR_MAX, fmt, __copy); \
		va_end(__copy);						\
		__assign_str(item, __data_##item);			\
	} while (0)

/* The compiler cannot know that the last one is not used before it is set. */
#define MAX_TRACE_DYNAMIC	8

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	notrace void							\
	trace_event_raw_event_##name(struct trace_event_call *__call, proto) \
	{								\
		struct trace_event_raw_##name __storage;		\
		struct trace_event_raw_##name *const __entry = &__storage; \
		struct trace_dynamic __dynamic_data[MAX_TRACE_DYNAMIC];	\
		unsigned long __count = 0;				\
									\
		tstruct							\
		{ assign }						\
		trace_event_buffer_commit(__call, __entry, __dynamic_data, \
					  __count);			\
	}

#define __TRACE_EVENT_CALL(template, _name, _print_fmt, _key, _hook, _reg, \
			   _unreg)					\
	struct trace_event_call event_##_name = {			\
		.system = __trace_system, .name = #_name,		\
		.print_fmt = _print_fmt,				\
		.fields = trace_event_fields_##template,		\
		.key = &_key, .hook = _hook,				\
		.reg = _reg, .unreg = _unreg,				\
		.size = sizeof(struct trace_event_raw_##template),	\
	};								\
	static struct trace_event_call *const __event_##_name		\
	__used __section("_ftrace_events") = &event_##_name;

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	DEFINE_STATIC_KEY_FALSE(__tracepoint_##name);			\
	__TRACE_EVENT_CALL(template, name, print_fmt_##template,	\
			   __tracepoint_##name, NULL, NULL, NULL)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	DEFINE_STATIC_KEY_FALSE(__tracepoint_##name);			\
	__TRACE_EVENT_CALL(template, name, print_fmt_##name,		\
			   __tracepoint_##name, NULL, NULL, NULL)
#undef DEFINE_EVENT_KEY
#define DEFINE_EVENT_KEY(template, name, proto, args, key)		\
	__TRACE_EVENT_CALL(template, name, print_fmt_##template, key, NULL, \
			   NULL, NULL)
#undef DEFINE_EVENT_HOOK
#define DEFINE_EVENT_HOOK(template, name, proto, args, hook)		\
	DEFINE_STATIC_KEY_FALSE(__tracepoint_##name);			\
	__TRACE_EVENT_CALL(template, name, print_fmt_##template,	\
			   __tracepoint_##name, &hook, NULL, NULL)

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_STATIC_KEY_FALSE(__tracepoint_##name);			\
	__TRACE_EVENT_CALL(template, name, print_fmt_##template,	\
			   __tracepoint_##name, NULL, reg, unreg)

#include TRACE_HEADER

/* Another header of events may follow. */
#undef TRACE_HEADER_MULTI_READ
#undef __trace_stringify_1
#undef __trace_stringify
#undef __TRACE_HEADER
#undef TRACE_HEADER
#undef __trace_system
#undef __trace_is_signed
#undef TP_STRUCT__entry
#undef TP_fast_assign
#undef TP_printk
#undef __field_ext
#undef __field_struct_ext
#undef __field
#undef __field_struct
#undef __array
#undef __string
#undef __string_len
#undef __bitmask
#undef __cpumask
#undef __vstring
#undef __rel_string
#undef __rel_bitmask
#undef __rel_dynamic
#undef __dynamic
#undef __dynamic_array
#undef __TRACE_EVAL
#undef __TRACE_PASTE_1
#undef __TRACE_PASTE
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_str
#undef __assign_data
#undef __assign_str
#undef __assign_str_len
#undef __assign_bitmask
#undef __assign_cpumask
#undef __assign_rel_str
#undef __assign_rel_bitmask
#undef __assign_vstr
#undef MAX_TRACE_DYNAMIC
#undef __TRACE_EVENT_CALL

#ifdef UNDEF_TRACE_INCLUDE_FILE
#undef TRACE_INCLUDE_FILE
#undef UNDEF_TRACE_INCLUDE_FILE
#endif
#ifdef UNDEF_TRACE_SYSTEM_VAR
#undef TRACE_SYSTEM_VAR
#undef UNDEF_TRACE_SYSTEM_VAR
#endif
#ifdef UNDEF_TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_PATH
#undef UNDEF_TRACE_INCLUDE_PATH
#endif
#define CREATE_TRACE_POINTS

#endif
