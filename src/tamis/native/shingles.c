/* Tokens, shingles and numbers of a text as hashes, in one pass over the characters; and how much of one text another has.
 * The tables of characters come from tamis.duplicates.characters.
 */
#include "native.h"

#include <stdlib.h>

/* tamis.duplicates.characters */
enum { IGNORED = 3, LETTER = 4, DIGIT = 5, ALONE = 6, UNFINISHED = 0x80 };
#define BMP 0x10000

/* Odd numbers that weigh characters in a token, and tokens in a shingle, by their places. */
static const uint64_t CHARACTER_BASE = 0xD1342543DE82EF95u;
static const uint64_t TOKEN_BASE = 0x9E3779B97F4A7C15u;

#define WIDEST 64 /* width of a shingle at the most */

/* ---- tables of 32-bit hashes ------------------------------------------------------------------------------------- */

/* Finds hashes by value in a row of distinct ones, which may still grow. */
typedef struct {
    const uint32_t *hash;
    uint32_t other_bits; /* bits of them that are not part of the hash */
    uint32_t *slot;      /* a place in the row, plus one; 0: free */
    size_t mask;
} table;

/* Room for `count` hashes. They are spread already; mixing scrambles places, so that chosen hashes slow down one text only. */
static int
table_make(table *t, const uint32_t *hash, size_t count, uint32_t other_bits)
{
    size_t size = 16;
    while (size < count * 2)
        size *= 2;
    *t = (table){hash, other_bits, calloc(size, sizeof *t->slot), size - 1};
    return t->slot == NULL ? -1 : 0;
}

/* The slot of a hash, or the free one where it belongs. */
static inline uint32_t *
table_slot(const table *t, uint32_t hash)
{
    size_t place = (size_t)(((uint64_t)hash * 0x9E3779B97F4A7C15u) >> 20) & t->mask;
    while (t->slot[place] != 0 && (t->hash[t->slot[place] - 1] & ~t->other_bits) != hash)
        place = (place + 1) & t->mask;
    return &t->slot[place];
}

/* ---- the pass ------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t *token;
    unsigned char *alone;
    uint32_t *number;
    size_t tokens, numbers, letters;
    int unfinished;
} pass;

typedef struct {
    const void *data;
    int kind;
    size_t length;
    const unsigned char *kinds; /* BMP + 1 entries */
    const uint32_t *folds;      /* BMP entries */
} text;

/* Tokens are at most as many as characters: the caller has made room. Compiled once for each width of characters. */
static inline void
tokenise_as(const int width, const text *t, pass *p)
{
    uint64_t hash = 0, weight = 1;
    int in_word = 0, number = 0;
    for (size_t i = 0; i <= t->length; i++) {
        unsigned char kind = 0;
        uint32_t c = 0;
        if (i < t->length) {
            c = PyUnicode_READ(width, t->data, i);
            kind = t->kinds[c < BMP ? c : BMP];
            if (kind & UNFINISHED) {
                p->unfinished = 1;
                return;
            }
            if (kind == IGNORED)
                continue;
        }
        if (in_word && (kind < LETTER || kind == ALONE)) {
            uint64_t value = mix(hash);
            p->alone[p->tokens] = 0;
            p->token[p->tokens++] = value;
            if (number)
                p->number[p->numbers++] = (uint32_t)(value >> 32);
            in_word = 0;
        }
        if (kind < LETTER)
            continue;
        p->letters++;
        if (c < BMP)
            c = t->folds[c];
        if (kind == ALONE) {
            p->alone[p->tokens] = 1;
            p->token[p->tokens++] = mix((uint64_t)c + 1);
            continue;
        }
        if (!in_word) {
            hash = 0;
            weight = 1;
            in_word = number = 1;
        }
        hash += ((uint64_t)c + 1) * weight;
        weight *= CHARACTER_BASE;
        number &= kind == DIGIT;
    }
}

static void
tokenise(const text *t, pass *p)
{
    switch (t->kind) {
    case PyUnicode_1BYTE_KIND:
        tokenise_as(PyUnicode_1BYTE_KIND, t, p);
        break;
    case PyUnicode_2BYTE_KIND:
        tokenise_as(PyUnicode_2BYTE_KIND, t, p);
        break;
    default:
        tokenise_as(PyUnicode_4BYTE_KIND, t, p);
    }
}

/* The distinct shingles, in order; their number, or -1 without memory. */
static Py_ssize_t
shingle(const pass *p, size_t width, uint32_t *out)
{
    table seen;
    if (table_make(&seen, out, p->tokens, 0) < 0)
        return -1;
    size_t count = 0;
    for (size_t i = 0; i < p->tokens; i++) {
        size_t reached = 0, j = i;
        uint64_t total = 0, weight = 1;
        while (reached < width && j < p->tokens) {
            total += p->token[j] * weight;
            weight *= TOKEN_BASE;
            reached += p->alone[j++] ? 1 : 2;
        }
        if (reached < width)
            break;
        uint32_t value = (uint32_t)(mix(total) >> 32);
        uint32_t *slot = table_slot(&seen, value);
        if (*slot == 0) {
            out[count++] = value;
            *slot = (uint32_t)count;
        }
    }
    free(seen.slot);
    return (Py_ssize_t)count;
}

/* The distinct tokens in order, 28 bits of each, and in the last 4 how often it is there, 15 at the most; -1 without memory. */
static Py_ssize_t
count_words(const pass *p, uint32_t *out)
{
    size_t count = 0;
    table seen;
    if (table_make(&seen, out, p->tokens, 15) < 0)
        return -1;
    for (size_t i = 0; i < p->tokens; i++) {
        uint32_t key = (uint32_t)(p->token[i] >> 32) & ~(uint32_t)15, *slot = table_slot(&seen, key);
        if (*slot == 0) {
            out[count++] = key;
            *slot = (uint32_t)count;
        }
        uint32_t *word = &out[*slot - 1];
        if ((*word & 15) < 15)
            ++*word;
    }
    free(seen.slot);
    return (Py_ssize_t)count;
}

static int
by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t
sorted_distinct(uint32_t *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, by_value);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

static PyObject *
shingled(PyObject *module, PyObject *args)
{
    PyObject *string;
    call c = {.columns = 0};
    Py_ssize_t width, all_kinds = BMP + 1, all_folds = BMP, count = 0, distinct = 0;
    text t;
    pass p = {0};
    uint32_t *shingles, *words;
    uint64_t whole = 0, weight = 1;
    if (arguments(&c, args, "O14n", &string, &t.kinds, &all_kinds, &t.folds, &all_folds, &width) < 0)
        return finished(&c);
    if (!PyUnicode_Check(string) || width < 1 || width > WIDEST) {
        PyErr_SetString(PyExc_ValueError, "a text and a width from 1 to 64 are wanted");
        return finished(&c);
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    t.data = PyUnicode_DATA(string);
    t.kind = PyUnicode_KIND(string);
    t.length = (size_t)length;
    if ((p.token = room(&c, length, sizeof *p.token)) == NULL || (p.alone = room(&c, length, 1)) == NULL ||
        (p.number = room(&c, length, sizeof *p.number)) == NULL || (shingles = room(&c, length, sizeof *shingles)) == NULL ||
        (words = room(&c, length, sizeof *words)) == NULL)
        return finished(&c);
    Py_BEGIN_ALLOW_THREADS
    tokenise(&t, &p);
    if (!p.unfinished) {
        count = shingle(&p, (size_t)width, shingles);
        distinct = count_words(&p, words);
        p.numbers = sorted_distinct(p.number, p.numbers);
        for (size_t i = 0; i < p.tokens; i++) {
            whole += p.token[i] * weight;
            weight *= TOKEN_BASE;
        }
    }
    Py_END_ALLOW_THREADS
    if (count < 0 || distinct < 0)
        no_memory();
    else if (p.unfinished)
        give(&c, Py_NewRef(Py_None));
    else
        give(&c, Py_BuildValue("y#y#y#nK", shingles, count * 4, p.number, (Py_ssize_t)p.numbers * 4, words, distinct * 4, (Py_ssize_t)p.letters,
                               (unsigned long long)whole));
    return finished(&c);
}

/* How many hits make a window of a length found: at least one, and this share. */
static int
is_found(Py_ssize_t hits, Py_ssize_t length, double share)
{
    return hits >= 1 && (double)hits >= share * (double)length;
}

/* A text that is looked for in others. */
typedef struct {
    const uint32_t *hash;
    Py_ssize_t count;
    table places;
    uint32_t *seen; /* for each hash, the number of the other that had it last */
} sought;

static int
sought_make(sought *s, call *c)
{
    if ((s->seen = room(c, s->count, sizeof *s->seen)) == NULL || table_make(&s->places, s->hash, (size_t)s->count, 0) < 0)
        return no_memory();
    for (Py_ssize_t i = 0; i < s->count; i++)
        *table_slot(&s->places, s->hash[i]) = (uint32_t)i + 1;
    return 0;
}

static void
sought_in(const sought *s, const uint32_t *other, Py_ssize_t count, uint32_t number)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        uint32_t place = *table_slot(&s->places, other[i]);
        if (place != 0)
            s->seen[place - 1] = number;
    }
}

static PyObject *
among(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    sought s = {.count = -1};
    Py_ssize_t count = -1;
    const uint32_t *other;
    unsigned char *found;
    if (arguments(&c, args, "44", &s.hash, &s.count, &other, &count) == 0 && sought_make(&s, &c) == 0 &&
        (found = give_column(&c, s.count, 1)) != NULL) {
        sought_in(&s, other, count, 1);
        for (Py_ssize_t i = 0; i < s.count; i++)
            found[i] = (unsigned char)s.seen[i];
    }
    free(s.places.slot);
    return finished(&c);
}

typedef struct {
    Py_ssize_t bound, passage, passages, demanded, window;
    double share;
} measure;

/* Hashes that the other of a number has, passages found in it, windows found in it. */
static void
sought_found(const sought *s, uint32_t number, const measure *m, int32_t *out)
{
    Py_ssize_t common = 0, features = 0, here = 0, found = 0, in_window = 0, start = 0, windows = 0, whole = s->count / m->window;
    for (Py_ssize_t i = 0; i < s->count; i++) {
        Py_ssize_t hit = s->seen[i] == number;
        common += hit;
        if (s->hash[i] < m->bound) {
            if (features % m->passage == 0 && features / m->passage < m->passages) {
                found += features > 0 && here >= m->demanded;
                here = 0;
            }
            here += hit;
            features++;
        }
        in_window += hit;
        if ((i + 1) % m->window == 0 && (i + 1) / m->window < whole) {
            windows += is_found(in_window, i + 1 - start, m->share);
            in_window = 0;
            start = i + 1;
        }
    }
    found += features > 0 && here >= m->demanded;
    windows += s->count > 0 && is_found(in_window, s->count - start, m->share);
    out[0] = (int32_t)common;
    out[1] = (int32_t)found;
    out[2] = (int32_t)windows;
}

static PyObject *
overlaps(PyObject *module, PyObject *args)
{
    PyObject *others;
    call c = {.columns = 0};
    sought s = {.count = -1};
    measure m;
    int32_t *found = NULL;
    if (arguments(&c, args, "4Lnnnnnd", &s.hash, &s.count, &others, &m.bound, &m.passage, &m.passages, &m.demanded, &m.window, &m.share) < 0)
        return finished(&c);
    if (m.window < 1 || m.passage < 1)
        PyErr_SetString(PyExc_ValueError, "windows and passages have one hash or more");
    else if (sought_make(&s, &c) == 0)
        found = give_column(&c, PyList_GET_SIZE(others), 3 * sizeof *found);
    for (Py_ssize_t i = 0; found != NULL && i < PyList_GET_SIZE(others); i++, found += 3) {
        call of_other = {.columns = 0};
        Py_ssize_t length = -1;
        const uint32_t *other = column(&of_other, PyList_GET_ITEM(others, i), sizeof *other, &length);
        if (other != NULL) {
            sought_in(&s, other, length, (uint32_t)i + 1);
            sought_found(&s, (uint32_t)i + 1, &m, found);
        }
        Py_XDECREF(finished(&of_other));
        if (other == NULL)
            break;
    }
    free(s.places.slot);
    return finished(&c);
}

static PyMethodDef methods[] = {
    {"shingled", shingled, METH_VARARGS, NULL},
    {"among", among, METH_VARARGS, NULL},
    {"overlaps", overlaps, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(shingles, "Tokens, shingles and numbers of a text as hashes.", methods, prepare_nothing)
