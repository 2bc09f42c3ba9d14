/* SPDX-License-Identifier: GPL-2.0-only */
/* Modes as text: 755, u+x, go=r,a-w. */
#include <files.h>
#include <string.h>

static bool parse_octal(const char *text, mode_t *mode)
{
	mode_t value = 0;

	for (; *text; text++) {
		if (*text < '0' || *text > '7')
			return false;
		value = value * 8 + *text - '0';
		if (value > 07777)
			return false;
	}
	*mode = value;
	return true;
}

static mode_t who_mask(char letter)
{
	switch (letter) {
	case 'u':
		return S_ISUID | 0700;
	case 'g':
		return S_ISGID | 0070;
	case 'o':
		return S_ISVTX | 0007;
	case 'a':
		return 07777;
	}
	return 0;
}

static bool add_permission(char letter, mode_t old, mode_t *bits)
{
	switch (letter) {
	case 'r':
		*bits |= 0444;
		return true;
	case 'w':
		*bits |= 0222;
		return true;
	case 'x':
		*bits |= 0111;
		return true;
	case 'X':
		if (S_ISDIR(old) || (old & 0111))
			*bits |= 0111;
		return true;
	case 's':
		*bits |= S_ISUID | S_ISGID;
		return true;
	case 't':
		*bits |= S_ISVTX;
		return true;
	case 'u':
		*bits |= (old >> 6 & 7) * 0111;
		return true;
	case 'g':
		*bits |= (old >> 3 & 7) * 0111;
		return true;
	case 'o':
		*bits |= (old & 7) * 0111;
		return true;
	}
	return false;
}

/* One clause: who, then operators with permissions. */
static const char *parse_clause(const char *at, mode_t mask, mode_t *mode)
{
	/* A folder keeps these unless they are named. */
	mode_t who = 0, kept = S_ISDIR(*mode) ? S_ISUID | S_ISGID : 0;

	for (; who_mask(*at); at++)
		who |= who_mask(*at);
	if (!who)
		who = 07777 & ~mask;	/* as umask allows */
	if (!*at || !strchr("+-=", *at))
		return NULL;
	while (*at && strchr("+-=", *at)) {
		char operator = *at++;
		mode_t bits = 0;

		while (add_permission(*at, *mode, &bits))
			at++;
		bits &= who;
		if (operator == '+')
			*mode |= bits;
		else if (operator == '-')
			*mode &= ~bits;
		else
			*mode = (*mode & ~(who & ~kept)) | bits;
	}
	return at;
}

bool parse_mode(const char *text, mode_t old, mode_t *mode)
{
	mode_t value = old, mask;

	if (!*text)
		return false;
	if (*text >= '0' && *text <= '9')
		return parse_octal(text, mode);
	mask = umask(0);
	umask(mask);
	for (;;) {
		text = parse_clause(text, mask, &value);
		if (!text || (*text && *text != ','))
			return false;
		if (!*text)
			break;
		text++;
	}
	*mode = value & 07777;
	return true;
}

void strmode(mode_t mode, char *text)
{
	static const char types[16] = {
		[S_IFIFO >> 12] = 'p', [S_IFCHR >> 12] = 'c',
		[S_IFDIR >> 12] = 'd', [S_IFBLK >> 12] = 'b',
		[S_IFREG >> 12] = '-', [S_IFLNK >> 12] = 'l',
		[S_IFSOCK >> 12] = 's',
	};

	strcpy(text, "?rwxrwxrwx");
	if (types[mode >> 12 & 15])
		text[0] = types[mode >> 12 & 15];
	for (int bit = 0; bit < 9; bit++)
		if (!(mode & (0400 >> bit)))
			text[1 + bit] = '-';
	if (mode & S_ISUID)
		text[3] = text[3] == 'x' ? 's' : 'S';
	if (mode & S_ISGID)
		text[6] = text[6] == 'x' ? 's' : 'S';
	if (mode & S_ISVTX)
		text[9] = text[9] == 'x' ? 't' : 'T';
}
