/* SPDX-License-Identifier: GPL-2.0-only */
/* What lex.c asks of word.c. */
#ifndef SH_WORD_H
#define SH_WORD_H

#include "node.h"

/* The word that begins at the next character, which is part of one. */
struct word *lex_word(void);
/* All of a here-document, in which parameters and commands are expanded. */
struct word *lex_heredoc(const char *text, int line);
/* Whether a pattern follows, as in ${name%pattern}. */
bool takes_pattern(enum modifier modifier);

#endif
