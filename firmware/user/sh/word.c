/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of words: quotes, $name, ${...}, $(...), `...`. */
#include <ctype.h>
#include <string.h>

#include "shell.h"
#include "word.h"

/* What surrounds the characters being read, and so what ends them. */
enum context {
	IN_WORD,
	IN_QUOTES,		/* "..." */
	IN_BRACES,		/* ${name-...} */
	IN_QUOTED_BRACES,	/* "${name-...}" */
	IN_HEREDOC,
	IN_ARITHMETIC,		/* $((...)) */
};

/* A word in the making: finished parts, and text that is not one yet. */
struct builder {
	struct part *first;
	struct part **last;
	char *text;
	size_t length;
	size_t room;
	bool quoted;		/* the text is */
	bool assignment;	/* it begins with NAME= */
};

static struct part *add_part(struct builder *builder, enum part_kind kind,
			     bool quoted)
{
	struct part *part = arena_alloc(&tree_arena, sizeof(*part));

	*part = (struct part) { .kind = kind, .quoted = quoted };
	*builder->last = part;
	builder->last = &part->next;
	return part;
}

static void finish_text(struct builder *builder)
{
	struct part *part;

	if (builder->length == 0)
		return;
	part = add_part(builder, PART_TEXT, builder->quoted);
	part->text = arena_copy(&tree_arena, builder->text, builder->length);
	part->length = builder->length;
	builder->length = 0;
}

static void add_char(struct builder *builder, char c, bool quoted)
{
	if (quoted != builder->quoted)
		finish_text(builder);
	if (builder->length == builder->room) {
		builder->room = builder->room ? 2 * builder->room : 32;
		builder->text = arena_grow(&tree_arena, builder->text,
					   builder->length, builder->room);
	}
	builder->quoted = quoted;
	builder->text[builder->length++] = c;
}

/* '' and "" are nothing, but make a word. */
static void add_nothing(struct builder *builder)
{
	struct part *part;

	finish_text(builder);
	part = add_part(builder, PART_TEXT, true);
	part->text = "";
}

static void lex_parts(struct builder *builder, enum context context);

static void start_builder(struct builder *builder)
{
	*builder = (struct builder) { .first = NULL };
	builder->last = &builder->first;
}

static struct word *build_word(enum context context)
{
	struct word *word = arena_alloc(&tree_arena, sizeof(*word));
	struct builder builder;

	start_builder(&builder);
	lex_parts(&builder, context);
	finish_text(&builder);
	word->parts = builder.first;
	word->next = NULL;
	return word;
}

struct word *lex_word(void)
{
	return build_word(IN_WORD);
}

struct word *lex_heredoc(const char *text, int line)
{
	struct word *word;
	struct input in;

	input_push_text(&in, text);
	in.line = line;
	word = build_word(IN_HEREDOC);
	input_pop();
	return word;
}

static void lex_single_quotes(struct builder *builder)
{
	int c = input_char();

	if (c == '\'')
		add_nothing(builder);
	for (; c != '\''; c = input_char()) {
		if (c == INPUT_END)
			syntax_error("Unterminated quoted string");
		add_char(builder, c, true);
	}
}

static void lex_double_quotes(struct builder *builder)
{
	struct part **last;

	finish_text(builder);
	last = builder->last;
	lex_parts(builder, IN_QUOTES);
	finish_text(builder);
	if (builder->last == last)
		add_nothing(builder);
}

static void lex_backslash(struct builder *builder, enum context context)
{
	bool quoted = context != IN_WORD && context != IN_BRACES;
	int c = input_char();

	if (c == '\n')
		return;
	if (c == INPUT_END) {
		add_char(builder, '\\', true);
		return;
	}
	if (quoted && !strchr(context == IN_HEREDOC ? "$`\\" : "$`\"\\", c) &&
	    !(c == '}' && context == IN_QUOTED_BRACES))
		add_char(builder, '\\', true);
	add_char(builder, c, true);
}

/* The name of a parameter that starts with c, or NULL if none does. */
static char *lex_name(int c, bool braces)
{
	bool number = isdigit(c);
	char name[256];
	size_t length = 0;

	if (!isalpha(c) && c != '_' && !(braces && isdigit(c))) {
		if (c == INPUT_END || !(isdigit(c) || strchr("@*#?-$!", c)))
			return NULL;
		name[length++] = c;
		return arena_copy(&tree_arena, name, length);
	}
	while (isdigit(c) || (!number && (isalpha(c) || c == '_'))) {
		if (length == sizeof(name))
			syntax_error("Name too long");
		name[length++] = c;
		do {
			c = input_char();
		} while (c == '\\' && input_accept('\n'));
	}
	input_unread(c);
	return arena_copy(&tree_arena, name, length);
}

/* The modifier that starts with c, just after the name. */
static enum modifier lex_modifier(int c, bool colon)
{
	switch (c) {
	case '-':
		return MODIFIER_DEFAULT;
	case '=':
		return MODIFIER_ASSIGN;
	case '?':
		return MODIFIER_ERROR;
	case '+':
		return MODIFIER_ALTERNATIVE;
	}
	if (colon || (c != '#' && c != '%'))
		return MODIFIER_BAD;
	if (input_accept(c))
		return c == '#' ? MODIFIER_LONG_PREFIX : MODIFIER_LONG_SUFFIX;
	return c == '#' ? MODIFIER_PREFIX : MODIFIER_SUFFIX;
}

bool takes_pattern(enum modifier modifier)
{
	return modifier >= MODIFIER_PREFIX && modifier <= MODIFIER_LONG_SUFFIX;
}

/* After the ${. */
static void lex_braces(struct builder *builder, bool quoted)
{
	struct part *part = add_part(builder, PART_PARAMETER, quoted);
	bool length = false;
	int c = input_char();

	if (c == '#') {
		length = true;
		c = input_char();
		if (c == '}') {
			part->text = "#";
			return;
		}
	}
	part->text = lex_name(c, true);
	if (part->text)
		c = input_char();
	if (part->text && c == '}') {
		part->modifier = length ? MODIFIER_LENGTH : MODIFIER_NONE;
		return;
	}
	part->empty_is_unset = c == ':';
	if (c == ':')
		c = input_char();
	part->modifier = lex_modifier(c, part->empty_is_unset);
	if (!part->text || length)
		part->modifier = MODIFIER_BAD;
	if (part->modifier == MODIFIER_BAD)
		input_unread(c);
	/* Quotes around ${...} do not quote the pattern in it. */
	part->argument = build_word(quoted && !takes_pattern(part->modifier) ?
				    IN_QUOTED_BRACES : IN_BRACES);
}

static void lex_dollar(struct builder *builder, bool quoted)
{
	int c = input_char();
	char *name;

	if (c == '{' || c == '(') {
		finish_text(builder);
		if (c == '{')
			lex_braces(builder, quoted);
		else if (input_accept('('))
			add_part(builder, PART_ARITHMETIC, quoted)->argument =
				build_word(IN_ARITHMETIC);
		else
			add_part(builder, PART_COMMAND, quoted)->command =
				parse_substitution();
		return;
	}
	name = lex_name(c, false);
	if (!name) {
		input_unread(c);
		add_char(builder, '$', quoted);
		return;
	}
	finish_text(builder);
	add_part(builder, PART_PARAMETER, quoted)->text = name;
}

/* Backslashes are taken off once before the text is parsed. */
static void lex_backquotes(struct builder *builder, bool quoted)
{
	struct builder text;
	int c;

	start_builder(&text);
	while ((c = input_char()) != '`') {
		if (c == '\\') {
			c = input_char();
			if (c == INPUT_END || (!strchr("$`\\", c) &&
					       !(quoted && c == '"')))
				add_char(&text, '\\', false);
		}
		if (c == INPUT_END)
			syntax_error("EOF in backquote substitution");
		add_char(&text, c, false);
	}
	add_char(&text, '\0', false);
	finish_text(builder);
	add_part(builder, PART_COMMAND, quoted)->command =
		parse_text(text.text);
}

static bool ends_word(int c)
{
	return c == INPUT_END || strchr(" \t\n;&|<>()", c);
}

/* Whether the text so far is a name, before a =. */
static bool is_assigned(const struct builder *builder)
{
	if (builder->first || builder->length == 0 || builder->quoted ||
	    isdigit(*builder->text))
		return false;
	for (size_t i = 0; i < builder->length; i++)
		if (!isalnum(builder->text[i]) && builder->text[i] != '_')
			return false;
	return true;
}

static bool is_home(const struct builder *builder, enum context context)
{
	char before = builder->length ? builder->text[builder->length - 1] : 0;

	if ((context != IN_WORD && context != IN_BRACES) ||
	    (builder->length && builder->quoted))
		return false;
	if (!builder->first && !builder->length)
		return true;
	/* After the = of an assignment, or a colon after that. */
	return builder->assignment && (before == '=' || before == ':');
}

/* ~ before a slash or the end; with a name after it, it stays as it is. */
static void lex_tilde(struct builder *builder)
{
	int c = input_char();

	input_unread(c);
	if (c != '/' && c != ':' && c != '}' && !ends_word(c)) {
		add_char(builder, '~', false);
		return;
	}
	finish_text(builder);
	add_part(builder, PART_TILDE, false)->text = "~";
}

/* Up to what ends the context, which is taken if it is not a word's end. */
static void lex_parts(struct builder *builder, enum context context)
{
	bool quoted = context != IN_WORD && context != IN_BRACES;
	int depth = 0;

	for (;;) {
		int c = input_char();

		if (context == IN_HEREDOC && c == INPUT_END)
			return;
		if (context == IN_ARITHMETIC) {
			if (c == INPUT_END)
				syntax_error("Missing '))'");
			depth += (c == '(') - (c == ')');
			if (depth < 0 && input_accept(')'))
				return;
			if (depth < 0)
				syntax_error("Missing '))'");
			if (c == '"')
				continue;
		}

		if (context == IN_WORD && ends_word(c)) {
			input_unread(c);
			return;
		}
		if (c == INPUT_END)
			syntax_error(quoted ? "Unterminated quoted string" :
					      "Missing '}'");
		if (c == '\\')
			lex_backslash(builder, context);
		else if (c == '$')
			lex_dollar(builder, quoted);
		else if (c == '`')
			lex_backquotes(builder, quoted);
		else if (c == '\'' && !quoted)
			lex_single_quotes(builder);
		else if (c == '"' && context == IN_QUOTES)
			return;
		else if (c == '~' && is_home(builder, context))
			lex_tilde(builder);
		else if (c == '"' && context == IN_HEREDOC)
			add_char(builder, c, true);
		else if (c == '"')
			lex_double_quotes(builder);
		else if (c == '}' && (context == IN_BRACES ||
				      context == IN_QUOTED_BRACES))
			return;
		else {
			if (c == '=' && context == IN_WORD)
				builder->assignment |= is_assigned(builder);
			add_char(builder, c, quoted);
		}
	}
}

const char *plain_text(const struct word *word)
{
	const struct part *part = word->parts;

	if (!part || part->next || part->kind != PART_TEXT || part->quoted)
		return NULL;
	return part->text;
}

size_t name_length(const char *text)
{
	size_t length = 0;

	if (isdigit(*text))
		return 0;
	while (isalnum(text[length]) || text[length] == '_')
		length++;
	return length;
}

bool is_name(const char *text)
{
	size_t length = name_length(text);

	return length > 0 && !text[length];
}
