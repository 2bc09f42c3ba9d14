/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays: hash tables that remember the order in which their elements came. */
#include <stdlib.h>
#include <string.h>

#include "awk.h"

static unsigned long hash_of(const struct text *key)
{
	unsigned long hash = 0xcbf29ce484222325UL;

	for (size_t i = 0; i < key->length; i++)
		hash = (hash ^ (unsigned char)key->bytes[i]) * 0x100000001b3UL;
	return hash;
}

struct array *array_new(void)
{
	struct array *array = xmalloc(sizeof(*array));

	*array = (struct array){ .bucket_count = 16 };
	array->buckets = calloc(array->bucket_count, sizeof(*array->buckets));
	if (!array->buckets)
		fatal("out of memory");
	return array;
}

static struct element **find(const struct array *array, const struct text *key,
			     unsigned long hash)
{
	struct element **at = &array->buckets[hash % array->bucket_count];

	while (*at && ((*at)->hash != hash || (*at)->key->length != key->length ||
		       memcmp((*at)->key->bytes, key->bytes, key->length)))
		at = &(*at)->chain;
	return at;
}

static void grow(struct array *array)
{
	free(array->buckets);
	array->bucket_count *= 2;
	array->buckets = calloc(array->bucket_count, sizeof(*array->buckets));
	if (!array->buckets)
		fatal("out of memory");
	for (struct element *e = array->first; e; e = e->next) {
		struct element **bucket =
			&array->buckets[e->hash % array->bucket_count];

		e->chain = *bucket;
		*bucket = e;
	}
}

struct value *array_at(struct array *array, const struct text *key)
{
	unsigned long hash = hash_of(key);
	struct element **at = find(array, key, hash), *made;

	if (*at)
		return &(*at)->value;
	made = xmalloc(sizeof(*made));
	*made = (struct element){
		.hash = hash,
		.key = text_new(key->bytes, key->length),
		.previous = array->last,
	};
	*at = made;
	*(array->last ? &array->last->next : &array->first) = made;
	array->last = made;
	if (++array->count > array->bucket_count)
		grow(array);
	return &made->value;
}

bool array_has(const struct array *array, const struct text *key)
{
	return *find(array, key, hash_of(key));
}

static void element_free(struct element *e)
{
	text_put(e->key);
	value_free(&e->value);
	free(e);
}

void array_delete(struct array *array, const struct text *key)
{
	struct element **at = find(array, key, hash_of(key)), *e = *at;

	if (!e)
		return;
	*at = e->chain;
	*(e->previous ? &e->previous->next : &array->first) = e->next;
	*(e->next ? &e->next->previous : &array->last) = e->previous;
	array->count--;
	element_free(e);
}

void array_clear(struct array *array)
{
	for (struct element *e = array->first, *next; e; e = next) {
		next = e->next;
		element_free(e);
	}
	memset(array->buckets, 0, array->bucket_count * sizeof(*array->buckets));
	array->first = array->last = NULL;
	array->count = 0;
}

void array_free(struct array *array)
{
	array_clear(array);
	free(array->buckets);
	free(array);
}
