/* Words of a page's text blocks as hashes: at their ends, and in the addresses of their links. And how much of a block is on the page a
 * second time. tamis.content.evidence.words; the tests have a plain form. Weights are whole numbers, and shares are quotients of whole
 * numbers, so that every machine gives the same columns.
 */
#include "evidence.h"

#include <math.h>

enum { START = 12, FINISH = 6, BRIEF = 45 };                 /* words at the start, at the end; of a block that is read in full, as ASIDE_WORDS */
enum { SHINGLE = 5, EDGE = 5, SHORTEST_EDGE = 3, SHORT = 40 }; /* words; characters of a beginning, the shorter one; of a short block */
enum { LINKS = 2, PATH_WORDS = 4, QUERY_WORDS = 2 };
enum { OWN, LINKED, FURTHER, SOURCES }; /* what keys are of; the last for asides alone */
enum { COPIED = 2 };           /* columns of repeated text */
enum { MOST_KEYS = 3 * BRIEF + 2 * FINISH + 3 + 1 + 1 + 4 };

/* What a key is of, beside its source. */
enum { NGRAM = 1, AT_END, FIRST_WORD, LAST_WORD, BOTH_WORDS, WHOLE, SIGNS, BEGINNING, ENDING, ADDRESS_KIND, HOST, PATH, QUERY, WIDE_RUN };

/* A growing row of numbers. */
typedef struct {
    uint64_t *value;
    Py_ssize_t length, room;
} row;

static int
append(row *to, uint64_t value)
{
    if (to->length == to->room) {
        Py_ssize_t room = to->room > 0 ? 2 * to->room : 1024;
        uint64_t *grown = PyMem_Realloc(to->value, (size_t)room * sizeof *grown);
        if (grown == NULL)
            return no_memory();
        to->value = grown;
        to->room = room;
    }
    to->value[to->length++] = value;
    return 0;
}

/* ---- characters to words ---------------------------------------------------------------------------------------------- */

/* What is read of a block. A word is a hash; its lowest bit: it is a single wide character. */
typedef struct {
    Py_ssize_t from, words; /* among the words of the page */
    uint64_t word, whole;   /* the current word, and the text up to it */
    Py_UCS4 start[EDGE];
    Py_ssize_t characters;
    Py_UCS4 first_sign, last_sign;
    int in_word, gap, upper, lower;
} reading;

static inline uint64_t
join(uint64_t hash, uint64_t value)
{
    return mix(hash + value * UINT64_C(0x9E3779B97F4A7C15) + 1);
}

static inline int
stands_alone(Py_UCS4 c, unsigned char kind)
{
    return kind & WIDE || (c >= 0x0E00 && c < 0x0E80); /* Thai is written without spaces, too */
}

/* A character as words have it: a small letter, a digit as 0. */
static inline Py_UCS4
small_of(Py_UCS4 c, unsigned char is)
{
    return is & DIGIT ? '0' : c < 128 ? (c >= 'A' && c <= 'Z' ? c | 32 : c) : is & WORD ? Py_UNICODE_TOLOWER(c) : c;
}

static inline int
end_word(reading *r, row *words)
{
    if (!r->in_word)
        return 0;
    r->in_word = 0;
    r->words++;
    return append(words, mix(r->word) & ~UINT64_C(1));
}

/* The letters of ASCII from a place on, of a word behind the first characters, which are read one by one; the place after them. */
static inline Py_ssize_t
read_letters(const int kind, const void *data, Py_ssize_t i, Py_ssize_t length, reading *r)
{
    const Py_ssize_t first = i, brief = i + SHORT - r->characters;
    uint64_t word = r->word, whole = r->whole;
    Py_UCS4 c, all = 0, any = 0xFF;
    for (; i < length && ((c = PyUnicode_READ(kind, data, i)) | 32) - 'a' < 26; i++) {
        all |= c;
        any &= c;
        word = (word ^ (c | 32)) * UINT64_C(0x100000001B3);
        whole = i < brief ? (whole ^ (c | 32)) * UINT64_C(0x100000001B3) : whole;
    }
    if (i > first) {
        r->word = word;
        r->whole = whole;
        r->upper |= !(any & 32);
        r->lower |= (all & 32) != 0;
        r->last_sign = 0;
        r->characters += i - first;
    }
    return i;
}

static inline int
read_text(const int kind, const void *data, Py_ssize_t length, const page *p, reading *r, row *words)
{
    for (Py_ssize_t i = 0; i < length; i++) {
        if (r->in_word && r->characters >= EDGE && (i = read_letters(kind, data, i, length, r)) == length)
            break;
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        unsigned char is = p->kinds[c < 0xFFFF ? c : 0xFFFF];
        if (is_white(c)) {
            r->gap = r->characters > 0;
            if (end_word(r, words) < 0)
                return -1;
            continue;
        }
        const Py_UCS4 small = small_of(c, is);
        if (c < 128 || !(is & DIGIT)) {
            r->upper |= c < 128 ? c >= 'A' && c <= 'Z' : (is & WORD) && small != c;
            r->lower |= c < 128 ? c >= 'a' && c <= 'z' : (is & WORD) && small == c;
        }
        c = small;
        if (r->characters < SHORT) {
            r->whole = r->gap ? (r->whole ^ ' ') * UINT64_C(0x100000001B3) : r->whole;
            r->whole = (r->whole ^ c) * UINT64_C(0x100000001B3);
            if (r->characters < EDGE)
                r->start[r->characters] = c;
        }
        r->gap = 0;
        if (r->characters++ == 0)
            r->first_sign = is & (WORD | WIDE) ? 0 : c;
        r->last_sign = is & (WORD | WIDE) ? 0 : c;
        if (stands_alone(c, is)) {
            if (end_word(r, words) < 0 || append(words, mix((uint64_t)c) | 1) < 0)
                return -1;
            r->words++;
        }
        else if (is & WORD) {
            r->word = r->in_word ? (r->word ^ c) * UINT64_C(0x100000001B3) : (UINT64_C(0xCBF29CE484222325) ^ c) * UINT64_C(0x100000001B3);
            r->in_word = 1;
        }
        else if (end_word(r, words) < 0)
            return -1;
    }
    return 0;
}

/* ---- words to keys ---------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t key[MOST_KEYS];
    int count;
} keys;

static inline void
add(keys *to, uint64_t what, uint64_t value)
{
    to->key[to->count++] = join(what, value);
}

/* Runs of up to `most` words in a row that are not single wide characters: those are topics, not words. */
static void
add_runs(keys *to, const uint64_t *word, Py_ssize_t count, int most, uint64_t what)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t hash = what;
        for (Py_ssize_t k = i; k < count && k < i + most && !(word[k] & 1); k++)
            to->key[to->count++] = hash = join(hash, word[k]);
    }
}

/* Runs of two and three wide characters: words of their languages. */
static void
add_wide_runs(keys *to, const uint64_t *word, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t hash = WIDE_RUN;
        for (Py_ssize_t k = i; k < count && k < i + 3 && word[k] & 1; k++) {
            hash = join(hash, word[k]);
            if (k > i)
                to->key[to->count++] = hash;
        }
    }
}

/* Of a short block, what is not at its start. */
static void
add_further(keys *to, const reading *r, const uint64_t *word)
{
    if (r->words > BRIEF)
        return;
    add_wide_runs(to, word, r->words);
    if (r->words > START)
        add_runs(to, word + START, r->words - START, 3, NGRAM);
}

/* The last characters of a block but for white space, the last one first. */
static void
read_last(const page *p, Py_ssize_t b, Py_UCS4 *last)
{
    for (int32_t t = p->last[b], found = 0; found < EDGE && t-- > p->first[b];) {
        PyObject *text = PyList_GET_ITEM(p->texts, t);
        for (Py_ssize_t i = PyUnicode_GET_LENGTH(text); found < EDGE && i-- > 0;) {
            const Py_UCS4 c = PyUnicode_READ_CHAR(text, i);
            if (!is_white(c))
                last[found++] = small_of(c, p->kinds[c < 0xFFFF ? c : 0xFFFF]);
        }
    }
}

static void
add_own(keys *to, const reading *r, const uint64_t *word, const Py_UCS4 *last)
{
    Py_ssize_t start = r->words < START ? r->words : START, finish = r->words < FINISH ? r->words : FINISH;
    add_runs(to, word, start, 3, NGRAM);
    add_runs(to, word + r->words - finish, finish, 2, AT_END);
    if (r->words > 0 && !(word[0] & 1) && !(word[r->words - 1] & 1)) {
        add(to, FIRST_WORD, word[0]);
        add(to, LAST_WORD, word[r->words - 1]);
        add(to, BOTH_WORDS, join(word[0], word[r->words - 1]));
    }
    if (r->characters <= SHORT)
        add(to, WHOLE, r->whole);
    uint64_t length = 0;
    for (Py_ssize_t words = r->words; words > 0 && length < 6; words /= 2)
        length++;
    add(to, SIGNS, ((((uint64_t)r->first_sign << 21) + r->last_sign) << 5) + (length << 2) + (uint64_t)(r->upper << 1) + (uint64_t)r->lower);
    uint64_t start_hash = 0, finish_hash = 0;
    for (Py_ssize_t k = 0; k < EDGE && k < r->characters; k++) {
        start_hash = join(start_hash, r->start[k]);
        finish_hash = join(finish_hash, last[k]);
        if (k + 1 == SHORTEST_EDGE || k + 1 == EDGE) {
            add(to, BEGINNING, start_hash);
            add(to, ENDING, finish_hash);
        }
    }
}

/* ---- addresses -------------------------------------------------------------------------------------------------------- */

static inline Py_UCS4
small_at(int kind, const void *data, Py_ssize_t i)
{
    Py_UCS4 c = PyUnicode_READ(kind, data, i);
    return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

/* The first words and numbers of a part of an address; a number is one word whatever its digits. */
static Py_ssize_t
add_address_words(keys *to, int kind, const void *data, Py_ssize_t i, Py_ssize_t end, int most, uint64_t what)
{
    while (i < end && most > 0) {
        Py_UCS4 c = small_at(kind, data, i);
        if (c == '?' || c == '#')
            break;
        if (c == '%') { /* an escape */
            i += 3;
            continue;
        }
        int number = is_digit(c);
        if (!number && (c < 'a' || c > 'z')) {
            i++;
            continue;
        }
        uint64_t hash = number ? '0' : 0;
        for (; i < end && (c = small_at(kind, data, i), number ? is_digit(c) : c >= 'a' && c <= 'z'); i++)
            hash = number ? hash : join(hash, c);
        add(to, what, hash);
        most--;
    }
    return i;
}

static int
starts_with(int kind, const void *data, Py_ssize_t i, Py_ssize_t end, const char *word)
{
    for (; *word != 0 && i < end && small_at(kind, data, i) == (Py_UCS4)*word; word++)
        i++;
    return *word == 0;
}

static void
add_address(keys *to, PyObject *href)
{
    static const char *const schemes[] = {"#", "mailto:", "javascript:", "tel:", "//", "http://", "https://"};
    enum { SCHEMES = 7, ABSOLUTE = 4 };
    int kind = PyUnicode_KIND(href), scheme = 0;
    const void *data = PyUnicode_DATA(href);
    Py_ssize_t i, end;
    strip(href, &i, &end);
    while (scheme < SCHEMES && !starts_with(kind, data, i, end, schemes[scheme]))
        scheme++;
    add(to, ADDRESS_KIND, (uint64_t)(scheme > ABSOLUTE && scheme < SCHEMES ? ABSOLUTE : scheme));
    if (scheme < SCHEMES)
        i += (Py_ssize_t)strlen(schemes[scheme]);
    if (scheme >= ABSOLUTE && scheme < SCHEMES) { /* the label before the last, or before a short one before the last */
        uint64_t label[3] = {0};
        Py_ssize_t length[3] = {0}, labels = 1;
        Py_UCS4 c;
        for (; i < end && (c = small_at(kind, data, i)) != '/' && c != '?' && c != '#' && c != ':'; i++)
            if (c == '.') {
                label[2] = label[1];
                label[1] = label[0];
                length[2] = length[1];
                length[1] = length[0];
                label[0] = 0;
                length[0] = 0;
                labels++;
            }
            else {
                label[0] = join(label[0], c);
                length[0]++;
            }
        add(to, HOST, label[labels > 2 && length[1] <= 3 ? 2 : labels > 1]);
    }
    else if (scheme > 0 && scheme < ABSOLUTE)
        return;
    i = add_address_words(to, kind, data, i, end, PATH_WORDS, PATH);
    while (i < end && PyUnicode_READ(kind, data, i) != '?')
        i++;
    if (i < end)
        add_address_words(to, kind, data, i + 1, end, QUERY_WORDS, QUERY);
}

/* The addresses of the first links of each block: indices among the values of href, -1 for none. */
static void
find_links(const page *p, int32_t *links)
{
    Py_ssize_t t = 0, b = 0;
    for (Py_ssize_t k = 0; k < LINKS * p->blocks; k++)
        links[k] = -1;
    for (Py_ssize_t node = 0; node < p->nodes; node++) {
        if (!p->link[node] || p->href[node] < 0 || p->href[node] >= PyList_GET_SIZE(p->hrefs))
            continue;
        while (t < p->count && p->text_nodes[t] <= node)
            t++;
        if (t == p->count)
            break;
        if (p->text_nodes[t] >= p->end[node])
            continue;
        while (b < p->blocks && p->last[b] <= t)
            b++;
        if (b == p->blocks)
            break;
        if (p->first[b] <= t)
            for (int k = 0; k < LINKS; k++)
                if (links[LINKS * b + k] < 0) {
                    links[LINKS * b + k] = p->href[node];
                    break;
                }
    }
}

/* ---- what is known of keys -------------------------------------------------------------------------------------------- */

static inline uint32_t
folded(uint64_t key)
{
    uint32_t low = (uint32_t)(key >> 32 ^ key);
    return low != 0 ? low : 1;
}

static int64_t
weigh(const page *p, const keys *found, int64_t *aside)
{
    uint32_t mask = (uint32_t)p->words.size - 1;
    int64_t sum = 0;
    for (int k = 0; k < found->count; k++) {
        uint32_t key = folded(found->key[k]), slot = key & mask;
        while (p->words.key[slot] != 0 && p->words.key[slot] != key)
            slot = (slot + 1) & mask;
        if (p->words.key[slot] != 0) {
            sum += p->words.weight[slot];
            *aside += p->words.aside[slot];
        }
    }
    return sum;
}

/* ---- repeated text ------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t shingle;
    int32_t first, last;
} seen;

typedef struct {
    seen *slot;
    size_t mask;
} seen_table;

static inline seen *
find(const seen_table *t, uint64_t shingle)
{
    size_t at = (size_t)(shingle >> 17) & t->mask;
    while (t->slot[at].shingle != 0 && t->slot[at].shingle != shingle)
        at = (at + 1) & t->mask;
    return &t->slot[at];
}

/* Shares of each block's runs of words that a block before it has, and one after it. A run is known by a polynomial of its words. */
static int
put_copies(const page *p, const uint64_t *word, const Py_ssize_t *from, float *out)
{
    const uint64_t base = UINT64_C(0xD1342543DE82EF95);
    uint64_t leaving = base; /* what a word weighs in the run that it leaves */
    size_t size = 16, words = (size_t)from[p->blocks], runs = 0;
    for (int k = 1; k < SHINGLE; k++)
        leaving *= base;
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        runs += from[b + 1] - from[b] < SHINGLE ? 0 : (size_t)(from[b + 1] - from[b] - SHINGLE + 1);
    while (size < 2 * runs)
        size *= 2;
    seen_table t = {PyMem_Calloc(size, sizeof *t.slot), size - 1};
    seen **run = PyMem_Malloc((words + 1) * sizeof *run); /* that begins with each word */
    for (Py_ssize_t b = 0; b < p->blocks && t.slot != NULL && run != NULL; b++) {
        uint64_t hash = 0;
        for (Py_ssize_t i = from[b]; i < from[b + 1]; i++) {
            hash = hash * base + word[i] - (i - from[b] < SHINGLE ? 0 : word[i - SHINGLE] * leaving);
            if (i - from[b] + 1 < SHINGLE)
                continue;
            uint64_t shingle = mix(hash) | 1;
            seen *s = run[i + 1 - SHINGLE] = find(&t, shingle);
            s->first = s->shingle == 0 ? (int32_t)b : s->first;
            s->last = (int32_t)b;
            s->shingle = shingle;
        }
    }
    for (Py_ssize_t b = 0; b < p->blocks && t.slot != NULL && run != NULL; b++) {
        int64_t before = 0, after = 0, own = from[b + 1] - from[b] - SHINGLE + 1;
        for (Py_ssize_t i = from[b]; i + SHINGLE <= from[b + 1]; i++) {
            before += run[i]->first < b;
            after += run[i]->last > b;
        }
        out[b] = own > 0 ? (float)((double)before / (double)own) : NAN;
        out[p->blocks + b] = own > 0 ? (float)((double)after / (double)own) : NAN;
    }
    int done = t.slot != NULL && run != NULL;
    PyMem_Free(t.slot);
    PyMem_Free(run);
    return done ? 0 : no_memory();
}

/* ---- the page --------------------------------------------------------------------------------------------------------- */

/* The keys of each block by their source: appended to a row, and how many, or what they weigh. */
static int
put_keys(const page *p, const reading *read, const row *words, const int32_t *links, row *all, int32_t *count, float *out, int64_t *aside)
{
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        keys found[SOURCES];
        Py_UCS4 last[EDGE];
        aside[b] = 0;
        read_last(p, b, last);
        found[OWN].count = found[LINKED].count = found[FURTHER].count = 0;
        add_own(&found[OWN], &read[b], words->value + read[b].from, last);
        add_further(&found[FURTHER], &read[b], words->value + read[b].from);
        for (int k = 0; k < LINKS && links[LINKS * b + k] >= 0; k++)
            add_address(&found[LINKED], PyList_GET_ITEM(p->hrefs, links[LINKS * b + k]));
        for (int source = 0; source < SOURCES; source++) {
            if (all == NULL) {
                int64_t sum = weigh(p, &found[source], &aside[b]);
                if (source < FURTHER)
                    out[source * p->blocks + b] = (float)sum;
                continue;
            }
            count[SOURCES * b + source] = found[source].count;
            for (int k = 0; k < found[source].count; k++)
                if (append(all, folded(found[source].key[k])) < 0)
                    return -1;
        }
    }
    return 0;
}

static int
read_words(const page *p, reading *read, Py_ssize_t *from, row *words)
{
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        from[b] = read[b].from = words->length;
        for (int32_t t = p->first[b]; t < p->last[b]; t++)
            if (OF_TEXT(read_text, PyList_GET_ITEM(p->texts, t), PyUnicode_GET_LENGTH(PyList_GET_ITEM(p->texts, t)), p, &read[b], words) < 0)
                return -1;
        if (end_word(&read[b], words) < 0)
            return -1;
    }
    from[p->blocks] = words->length;
    return 0;
}

int
put_words(const page *p, call *c, int wants_keys, float *out, int64_t *aside)
{
    row words = {.value = NULL}, all = {.value = NULL};
    reading *read = room(c, p->blocks, sizeof *read);
    Py_ssize_t *from = room(c, p->blocks, sizeof *from);
    int32_t *links = room(c, LINKS * p->blocks, sizeof *links), *count = wants_keys ? give_column(c, SOURCES * p->blocks, sizeof *count) : NULL;
    int done = -1;
    if (read != NULL && from != NULL && links != NULL && (!wants_keys || count != NULL)) {
        find_links(p, links);
        if (read_words(p, read, from, &words) == 0 && put_keys(p, read, &words, links, wants_keys ? &all : NULL, count, out, aside) == 0)
            done = put_copies(p, words.value, from, out + FURTHER * p->blocks);
        uint32_t *key = done == 0 && wants_keys ? give_column(c, all.length, sizeof *key) : NULL;
        for (Py_ssize_t k = 0; key != NULL && k < all.length; k++)
            key[k] = (uint32_t)all.value[k];
    }
    PyMem_Free(words.value);
    PyMem_Free(all.value);
    return done;
}
