/* Evidence of a page's text blocks. Columns are written in the order of tamis.content.evidence.COLUMNS. Whole numbers are summed, divided as
 * doubles and stored as floats, so that every machine gives the same columns. The tests compare them with a form in NumPy.
 */
#include "evidence.h"

#include <math.h>

/* the lists of tamis.content.evidence.markup, places, order */
enum { AROUND = 18, HOLDERS = 9, HINTS = 24, LEVELS = 6, DESCENTS = 3, FAR = 200, LONG = 60, NEAREST = 3 };

/* A value of class or id: what its names hint at, and the weight of its learned words beside a text and farther up. */
struct meaning {
    uint64_t hint, number, with_id; /* the number of a class is shared by those that differ in numbers only, and another one with an id */
    int32_t near, above;
    int is_read;
};

/* ---- the page ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t plain, weight, marks, prose;
    int32_t blocks;
} sums; /* of blocks */

struct place {
    int64_t learned; /* of the node and all above it */
    uint64_t around, hinted, path, path_named;
    uint64_t hint; /* of the node alone */
    int32_t near, wider, before, children;
    int32_t way; /* not of this node: the node of a step of a descent */
};

struct block {
    int64_t words, wide, digits, commas, stops, signs, weight, plain;
    int32_t node;
    unsigned char prose, ends_in_stop;
    sums before; /* of the blocks before it */
    /* not of this block: of the group with its number */
    sums group;
    int32_t copies, last;
};

static Py_ssize_t
code(const page *p, Py_ssize_t node)
{
    int32_t tag = p->tag[node];
    return tag >= 0 && tag < p->known ? tag : p->known; /* the last entry of a table is for all others */
}

static sums
below(const page *p, Py_ssize_t node)
{
    const sums *a = &p->block[p->at[node].before].before, *b = &p->block[p->at[p->end[node]].before].before;
    sums s = {b->plain - a->plain, b->weight - a->weight, b->marks - a->marks, b->prose - a->prose, b->blocks - a->blocks};
    return s;
}

static void
add_block(sums *to, const block *b)
{
    to->plain += b->plain;
    to->weight += b->weight;
    to->marks += b->stops + b->commas;
    to->prose += b->prose ? b->plain : 0;
    to->blocks += 1;
}

/* ---- names -------------------------------------------------------------------------------------------------------------- */

enum { SHORTEST = 2 }; /* tamis.content.evidence.markup */
enum { MOST_TOKENS = 12, MOST_CHARACTERS = 80 }; /* tamis.page.element_names.MAX_TOKENS, MAX_TOKEN */
#define NAMELESS (UINT64_C(1) << 63) /* tamis.content.evidence.markup */
#define NAME_START UINT64_C(0xCBF29CE484222325)
#define NAME_STEP UINT64_C(0x100000001B3)

/* Whether an open table has a power of two of slots, each of `width` bytes, and one of them is free: each search in it ends. */
static int
is_table(const void *keys, Py_ssize_t size, size_t width)
{
    static const char nothing[8];
    int has_free = 0;
    for (Py_ssize_t slot = 0; slot < size && !has_free; slot++)
        has_free = memcmp((const char *)keys + (size_t)slot * width, nothing, width) == 0;
    return size >= 2 && (size & (size - 1)) == 0 && has_free;
}

/* What is known by a key; 0: nothing. */
static uint64_t
look_up(const dictionary *known, uint64_t key)
{
    size_t mask = (size_t)known->size - 1, slot = (size_t)key & mask;
    while (known->keys[slot] != 0 && known->keys[slot] != key)
        slot = (slot + 1) & mask;
    return known->keys[slot] != 0 ? known->bits[slot] : 0;
}

static void
add_learned(const vocabulary *learned, uint64_t hash, meaning *found)
{
    uint32_t key = (uint32_t)(hash >> 32 ^ hash), mask = (uint32_t)learned->size - 1;
    key = key != 0 ? key : 1;
    for (uint32_t slot = key & mask; learned->key[slot] != 0; slot = (slot + 1) & mask)
        if (learned->key[slot] == key) {
            found->near += learned->near[slot];
            found->above += learned->above[slot];
            return;
        }
}

static int
is_lower(Py_UCS4 c)
{
    return c >= 'a' && c <= 'z';
}

static inline uint64_t
step(uint64_t hash, Py_UCS4 c)
{
    return (hash ^ c) * NAME_STEP;
}

/* A word: a letter and small ones after it. It hints at something as a whole, else by its longest known beginning. */
static void
read_word(const page *p, const int kind, const void *data, Py_ssize_t start, Py_ssize_t end, meaning *found)
{
    uint64_t hash = NAME_START, learned = step(NAME_START, '-'), hint = 0;
    for (Py_ssize_t i = start; i < end; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i) | 32;
        hash = step(hash, c);
        learned = step(learned, c);
        if (i - start >= SHORTEST) {
            uint64_t bits = look_up(&p->hints, hash);
            hint = bits ? bits : hint;
        }
    }
    uint64_t whole = look_up(&p->hints, step(hash, '='));
    found->hint |= whole ? whole : hint;
    if (end - start > 2)
        add_learned(&p->learned, learned, found);
}

/* The number of a class under way. */
typedef struct {
    uint64_t hash;
    int ended; /* at the first '#' */
} numbering;

/* A class name or an id, as a whole and by its words. */
static inline void
read_token(const page *p, const int kind, const void *data, Py_ssize_t start, Py_ssize_t end, numbering *number, meaning *found)
{
    uint64_t whole = NAME_START, hash = number->hash;
    int digits = 0, ended = number->ended;
    for (Py_ssize_t i = start, word = -1; i <= end; i++) {
        Py_UCS4 c = i < end ? PyUnicode_READ(kind, data, i) : 0;
        if (word >= 0 && !is_lower(c)) {
            if (i > word + 1)
                read_word(p, kind, data, word, i, found);
            word = -1;
        }
        if (i == end)
            break;
        int upper = c >= 'A' && c <= 'Z', digit = is_digit(c);
        if (word < 0 && (upper || is_lower(c)))
            word = i;
        ended |= c == '#';
        if (!(digit && digits)) {
            whole = step(whole, digit ? '0' : upper ? c | 32 : c);
            hash = ended ? hash : step(hash, digit ? '0' : c);
        }
        digits = digit;
    }
    add_learned(&p->learned, whole, found);
    *number = (numbering){hash, ended};
}

/* The names in a value: those of a class, with white space between, or an id, which may have white space within. */
static inline void
read_value(const int kind, const void *data, Py_ssize_t length, const page *p, int of, meaning *found)
{
    numbering number = {NAME_START, 0};
    int tokens = 0;
    for (Py_ssize_t start = 0, end; tokens < (of == ID ? 1 : MOST_TOKENS); start = end) {
        while (start < length && is_white(PyUnicode_READ(kind, data, start)))
            start++;
        if (start == length)
            break;
        end = of == ID ? length : start;
        while (end < length && !is_white(PyUnicode_READ(kind, data, end)))
            end++;
        while (is_white(PyUnicode_READ(kind, data, end - 1)))
            end--;
        if (!number.ended) /* a tab between names, and a mark before each */
            number.hash = step(tokens > 0 ? step(number.hash, '\t') : number.hash, '.');
        tokens++;
        read_token(p, kind, data, start, end - start < MOST_CHARACTERS ? end : start + MOST_CHARACTERS, &number, found);
    }
    if (tokens > 0) {
        found->number = number.hash | 1;
        found->with_id = (number.ended ? number.hash : step(number.hash, '\t')) | 1;
    }
}

static const meaning meaningless;

/* What the value of a node's class or id says. NULL: the index is out of its column. */
static const meaning *
meaning_of(const page *p, int of, Py_ssize_t node)
{
    int32_t index = p->name[of][node];
    if (index < 0)
        return &meaningless;
    if (index >= PyList_GET_SIZE(p->values[of])) {
        misfit();
        return NULL;
    }
    meaning *found = &p->meaning[of][index];
    if (!found->is_read) {
        PyObject *value = PyList_GET_ITEM(p->values[of], index);
        found->is_read = 1;
        OF_TEXT(read_value, value, PyUnicode_GET_LENGTH(value), p, of, found);
    }
    return found;
}

/* ---- blocks and nodes ------------------------------------------------------------------------------------------------ */

/* Six counts in one word, by what a character is, a field for each. */
enum { FIELD = 10, KINDS = 64 };
static uint64_t counts_of[KINDS];

static int
prepare(PyObject *module)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int bit = 0; bit < 6; bit++)
            counts_of[kind] |= (uint64_t)(kind >> bit & 1) << bit * FIELD;
    return 0;
}

/* One text: its characters counted for a block. A word is counted where it begins. */
static inline void
count_characters(const int kind, const void *data, Py_ssize_t length, const unsigned char *kinds, block *b)
{
    const int64_t mask = (1 << FIELD) - 1;
    unsigned char before = 0;
    for (Py_ssize_t i = 0, until; i < length;) {
        uint64_t sum = 0;
        for (until = length - i < mask ? length : i + mask; i < until; i++) {
            Py_UCS4 character = PyUnicode_READ(kind, data, i);
            unsigned char here = kinds[character < 0xFFFF ? character : 0xFFFF] & (KINDS - 1);
            sum += counts_of[here & ~(before & WORD)];
            before = here;
        }
        b->words += (int64_t)sum & mask;
        b->wide += (int64_t)(sum >> FIELD) & mask;
        b->digits += (int64_t)(sum >> 2 * FIELD) & mask;
        b->commas += (int64_t)(sum >> 3 * FIELD) & mask;
        b->stops += (int64_t)(sum >> 4 * FIELD) & mask;
        b->signs += (int64_t)(sum >> 5 * FIELD) & mask;
    }
}

/* A hash of what came before and of characters, as a polynomial: texts may be cut anywhere. Four at a time: a product takes longest. */
static inline uint64_t
hash_of_characters(const int kind, const void *data, Py_ssize_t i, Py_ssize_t end, uint64_t hash)
{
    const uint64_t base = UINT64_C(0xD1342543DE82EF95), square = base * base;
    for (; i + 4 <= end; i += 4)
        hash = hash * (square * square) + PyUnicode_READ(kind, data, i) * (square * base) + PyUnicode_READ(kind, data, i + 1) * square +
               PyUnicode_READ(kind, data, i + 2) * base + PyUnicode_READ(kind, data, i + 3);
    for (; i < end; i++)
        hash = hash * base + PyUnicode_READ(kind, data, i);
    return hash;
}

/* A hash of a block's text without the white space around it, and its characters counted. */
#if defined(__GNUC__)
__attribute__((noinline)) /* within a larger function, its loops run out of registers */
#endif
static uint64_t
read_block(const page *p, int32_t first, int32_t last, block *b)
{
    uint64_t hash = 1;
    Py_ssize_t start = 0, end = 0, other;
    for (int32_t t = first; t < last; t++) {
        PyObject *text = PyList_GET_ITEM(p->texts, t);
        OF_TEXT(count_characters, text, PyUnicode_GET_LENGTH(text), p->kinds, b);
    }
    while (first < last && (strip(PyList_GET_ITEM(p->texts, first), &start, &end), start == end))
        first++;
    while (first < last && (strip(PyList_GET_ITEM(p->texts, last - 1), &other, &end), other == end))
        last--;
    for (int32_t t = first; t < last; t++, start = 0) {
        PyObject *text = PyList_GET_ITEM(p->texts, t);
        hash = OF_TEXT(hash_of_characters, text, start, t == last - 1 ? end : PyUnicode_GET_LENGTH(text), hash);
    }
    return hash;
}

static unsigned char
stops_at_end(const page *p, PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_UCS4 last = length > 0 ? PyUnicode_READ(kind, data, length - 1) : 0;
    if (last <= 32)
        last = length > 1 ? PyUnicode_READ(kind, data, length - 2) : 0;
    return (p->kinds[last < 0xFFFF ? last : 0xFFFF] & STOP) != 0;
}

static int
look_at_blocks(page *p)
{
    int32_t next = 0; /* the first text after the last block */
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        block *here = &p->block[b];
        if (p->first[b] < next || p->last[b] <= p->first[b] || p->last[b] > p->count || p->element[b] < 0 || p->element[b] >= p->nodes)
            return misfit();
        p->key[b] = read_block(p, p->first[b], p->last[b], here);
        next = p->last[b];
        here->node = p->text_nodes[p->first[b]];
        if (here->node <= 0 || here->node >= p->nodes)
            return misfit();
        here->ends_in_stop = stops_at_end(p, PyList_GET_ITEM(p->texts, next - 1));
        int64_t length = p->length[b] > 1 ? p->length[b] : 1;
        here->weight = p->length[b] + 3 * here->wide / 2;
        here->plain = here->weight * (length - p->link_length[b]) / length;
        here->prose = here->plain > LONG && 5 * p->link_length[b] < 2 * p->length[b] && (here->stops > 0 || here->commas > 1);
        here->words += here->wide;
        here[1].before = here->before;
        add_block(&here[1].before, here);
    }
    const sums *all = &p->block[p->blocks].before;
    p->total = all->plain > 1 ? all->plain : 1;
    p->total_prose = all->prose > 1 ? all->prose : 1;
    return 0;
}

static int
look_at_nodes(page *p)
{
    static const place nothing;
    int32_t passed = 0;
    for (Py_ssize_t i = 0; i <= p->nodes; i++) {
        while (passed < p->blocks && p->block[passed].node < i)
            passed++;
        p->at[i] = (place){.before = passed};
    }
    for (Py_ssize_t i = 0; i < p->nodes; i++) {
        int32_t up = p->parent[i];
        place *here = &p->at[i];
        if (up >= i || (up < 0 && i > 0) || p->end[i] <= i || p->end[i] > p->nodes)
            return misfit();
        const place *above = up < 0 ? &nothing : &p->at[up];
        if (up >= 0)
            p->at[up].children += p->tag[i] != 0;
        int32_t held = p->at[p->end[i]].before - here->before;
        if (held == 0)
            continue; /* no block looks here */
        here->around = p->tag_bits[code(p, i)];
        const meaning *class = meaning_of(p, CLASS, i), *id = meaning_of(p, ID, i);
        if (class == NULL || id == NULL)
            return -1;
        if (here->around & NAMELESS)
            class = id = &meaningless;
        here->hint = class->hint | id->hint;
        here->near = class->near + id->near;
        here->learned = above->learned + class->above + id->above;
        here->hinted = above->hinted | here->hint;
        here->around |= above->around;
        here->wider = up < 0 ? -1 : p->at[p->end[up]].before - above->before == held ? above->wider : up;
        uint64_t own = mix((uint64_t)p->tag[i] + 1), named = own ^ mix((id->number ? class->with_id : class->number) + 1);
        here->path = mix(above->path * UINT64_C(0x9E3779B97F4A7C15) + own);
        here->path_named = mix(above->path_named * UINT64_C(0x9E3779B97F4A7C15) + named);
    }
    return 0;
}

/* ---- columns, in the order of COLUMNS --------------------------------------------------------------------------------- */

static void
next_columns(page *p, int count, float **c)
{
    for (int k = 0; k < count; k++, p->out += p->blocks)
        c[k] = p->out;
}

static double
share(int64_t part, int64_t whole)
{
    return (double)part / (double)(whole > 1 ? whole : 1);
}

static int
put_text(page *p)
{
    float *c[12];
    if (number_keys(p->key, p->blocks, p->number, p->origin) < 0)
        return -1;
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        p->block[p->number[b]].copies++;
    next_columns(p, 12, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        const block *here = &p->block[b];
        Py_ssize_t copy = b - p->origin[p->number[b]];
        c[0][b] = (float)here->weight;
        c[1][b] = (float)here->words;
        c[2][b] = (float)share(p->link_length[b], p->length[b]);
        c[3][b] = (float)here->commas;
        c[4][b] = (float)here->stops;
        c[5][b] = (float)share(here->stops + here->commas, here->weight);
        c[6][b] = (float)share(here->signs, p->length[b]);
        c[7][b] = (float)share(here->digits, p->length[b]);
        c[8][b] = here->ends_in_stop;
        c[9][b] = (float)p->block[p->number[b]].copies;
        c[10][b] = copy == 0;
        c[11][b] = (float)(copy < FAR ? copy : FAR);
    }
    return 0;
}

static void
put_containers(page *p)
{
    float *c[LEVELS * 7], value[LEVELS * 7];
    int32_t before[LEVELS]; /* the containers of the block before, which are often the same */
    next_columns(p, LEVELS * 7, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t here = p->element[b];
        for (int level = 0; level < LEVELS; level++) {
            float *to = value + level * 7;
            if (here >= 0 && (b == 0 || here != before[level])) {
                sums s = below(p, here);
                to[0] = (float)((double)s.plain / (double)p->total);
                to[1] = (float)s.weight;
                to[2] = (float)share(s.weight - s.plain, s.weight);
                to[3] = (float)s.blocks;
                to[4] = (float)share(s.plain, s.blocks);
                to[5] = (float)share(s.marks, s.weight);
                to[6] = (float)((double)s.prose / (double)p->total_prose);
            }
            else if (here < 0)
                to[0] = to[1] = to[2] = to[3] = to[4] = to[5] = to[6] = NAN;
            for (int k = 0; k < 7; k++)
                c[level * 7 + k][b] = to[k];
            before[level] = here;
            here = here >= 0 ? p->at[here].wider : here;
        }
    }
}

static int64_t
amount_below(const page *p, int32_t node, int of_prose)
{
    sums s = below(p, node);
    return of_prose ? s.prose : s.plain;
}

/* From the root always to the child with most below it: the nodes in `way`, how many of them. */
static Py_ssize_t
find_way(page *p, int of_prose)
{
    Py_ssize_t steps = 0;
    for (int32_t node = 0, best; node >= 0; node = best) {
        int64_t most = -1;
        best = -1;
        p->at[steps++].way = node;
        if (amount_below(p, node, of_prose) == 0)
            break;
        for (int32_t child = node + 1; child < p->end[node]; child = p->end[child]) {
            int64_t amount = p->tag[child] == 0 ? -1 : amount_below(p, child, of_prose);
            if (amount > most) {
                best = child;
                most = amount;
            }
        }
    }
    return steps;
}

static Py_ssize_t
stop_on(const page *p, Py_ssize_t steps, int of_prose, double threshold)
{
    for (Py_ssize_t k = 0; k + 1 < steps; k++) {
        int64_t here = amount_below(p, p->at[k].way, of_prose), next = amount_below(p, p->at[k + 1].way, of_prose);
        if ((double)(here - next) > threshold * (double)here)
            return k + 1;
    }
    return steps;
}

static void
put_attenuation(page *p)
{
    Py_ssize_t steps = find_way(p, 0);
    int32_t ends[DESCENTS];
    float *c[3];
    ends[0] = p->at[stop_on(p, steps, 0, 0.34) - 1].way;
    ends[1] = p->at[stop_on(p, steps, 0, 0.6) - 1].way;
    steps = stop_on(p, find_way(p, 1), 1, 0.3);
    ends[2] = p->at[steps - 1].way;
    for (int k = 0; k < DESCENTS; k++) {
        int32_t last = ends[k];
        float part = (float)((double)below(p, last).plain / (double)p->total);
        next_columns(p, 3, c);
        for (Py_ssize_t b = 0; b < p->blocks; b++) {
            c[0][b] = p->block[b].node >= last && p->block[b].node < p->end[last];
            c[1][b] = p->block[b].node >= p->end[last];
            c[2][b] = part;
        }
    }
    next_columns(p, 2, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        Py_ssize_t shared = 0;
        int32_t node = p->block[b].node;
        while (shared + 1 < steps && p->at[shared + 1].way <= node && p->end[p->at[shared + 1].way] > node)
            shared++;
        c[0][b] = (float)(steps - 1 - shared);
        c[1][b] = (float)((double)below(p, p->at[shared].way).plain / (double)p->total);
    }
}

/* The blocks at places like that of each block, by tags, or by tags and names. */
static int
put_alike(page *p, int named)
{
    float *c[7];
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        const place *at = &p->at[p->element[b]];
        p->key[b] = named ? at->path_named : at->path;
        p->block[b].group = (sums){0};
    }
    if (number_keys(p->key, p->blocks, p->number, p->origin) < 0)
        return -1;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        add_block(&p->block[p->number[b]].group, &p->block[b]);
        p->block[p->number[b]].last = (int32_t)b;
    }
    next_columns(p, 7, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t number = p->number[b];
        const sums *g = &p->block[number].group;
        c[0][b] = (float)g->blocks;
        c[1][b] = (float)((double)g->plain / (double)p->total);
        c[2][b] = (float)share(g->weight - g->plain, g->weight);
        c[3][b] = (float)((double)g->plain / (double)g->blocks);
        c[4][b] = (float)share(g->marks, g->weight);
        c[5][b] = (float)((double)g->prose / (double)p->total_prose);
        c[6][b] = (float)((double)(p->block[number].last - p->origin[number]) / (double)p->blocks);
    }
    return 0;
}

static void
put_siblings(page *p)
{
    float *c[3];
    next_columns(p, 3, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t here = p->element[b];
        for (int k = 0; k < 3; k++) {
            here = p->parent[here] > 0 ? p->parent[here] : 0;
            c[k][b] = (float)p->at[here].children;
        }
    }
}

/* Bits of the nearest three elements and of all around a block, one column each: 2 near, 1 around. Of names, or of tags. */
static void
put_bits(page *p, int of_names, int bits)
{
    float *c = memset(p->out, 0, (size_t)(p->blocks * bits) * sizeof *c);
    p->out += p->blocks * bits;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t node = p->block[b].node, here = p->parent[node];
        uint64_t near = 0, wide = of_names ? p->at[node].hinted : p->at[node].around;
        for (int k = 0; k < NEAREST; k++) {
            near |= of_names ? p->at[here].hint : p->tag_bits[code(p, here)];
            here = p->parent[here] > 0 ? p->parent[here] : 0;
        }
        near &= (UINT64_C(1) << bits) - 1;
        wide &= (UINT64_C(1) << bits) - 1;
        for (float *to = c + b; near | wide; to += p->blocks, near >>= 1, wide >>= 1)
            if ((near | wide) & 1)
                *to = (float)((near & 1) + (wide & 1));
    }
}

/* What holds a block, the weights of learned names (of the nearest three elements, and of all above them), whether it is hidden. */
static void
put_rest(page *p)
{
    float *holders[HOLDERS], *c[3];
    next_columns(p, HOLDERS, holders);
    put_bits(p, 1, HINTS);
    next_columns(p, 3, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        uint64_t bits = p->holder_bits[code(p, p->element[b])];
        int64_t beside = 0;
        int32_t here = p->parent[p->block[b].node];
        for (int bit = 0; bit < HOLDERS; bit++)
            holders[bit][b] = (float)(bits >> bit & 1);
        for (int k = 0; k < NEAREST && here >= 0; k++) {
            beside += p->at[here].near;
            here = p->parent[here];
        }
        c[0][b] = (float)beside;
        c[1][b] = (float)(here >= 0 ? p->at[here].learned : 0);
        c[2][b] = p->hidden[p->block[b].node];
    }
}

/* ---- what is beside a block, the list that it is in, and the paragraphs around it --------------------------------- */

enum { FIELDS, IMAGES, PLAYERS, HEADINGS, LINKS, MARKS }; /* bits of `marks`, tamis.content.evidence.markup */
enum { BESIDE = 6, BESIDE_STEPS = 8, LEAST_UNITS = 3, UNIT_STEPS = 12, PARAGRAPH = 100, MOST_LINKED = 34, NEARBY = 17 };

typedef struct {
    int64_t characters, linked, prose;
} amount;

typedef struct {
    amount text;
    int32_t size, blocks, with[MARKS];
} units; /* elements of one tag in one parent */

static void
count_units(const page *p, const amount *before, const int32_t (*marked)[MARKS], const int32_t *number, units *all)
{
    for (Py_ssize_t i = 1; i < p->nodes; i++) {
        int32_t first = p->at[i].before, last = p->at[p->end[i]].before;
        units *own = &all[number[i]];
        if (first == last || p->tag[i] == 0)
            continue;
        own->size++;
        own->blocks += last - first;
        own->text.characters += before[last].characters - before[first].characters;
        own->text.linked += before[last].linked - before[first].linked;
        own->text.prose += before[last].prose - before[first].prose;
        for (int k = 0; k < MARKS; k++)
            own->with[k] += marked[p->end[i]][k] > marked[i][k];
    }
}

/* The columns: c[0..3] of the widest element with few blocks, c[4..11] of the largest list of linked units around it, c[12..16] of paragraphs. */
static void
put_nearby_of(const page *p, float **c, const amount *before, const int32_t (*marked)[MARKS], const int32_t *number, const units *all)
{
    static const units none;
    const amount *page_text = &before[p->blocks];
    int64_t longest = 0;
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        longest = before[b + 1].prose - before[b].prose > longest ? before[b + 1].prose - before[b].prose : longest;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t here = p->element[b], up = p->parent[here];
        for (int k = 0; k < BESIDE_STEPS && up >= 0 && p->at[p->end[up]].before - p->at[up].before <= BESIDE; k++, up = p->parent[here])
            here = up;
        for (int k = FIELDS; k <= PLAYERS; k++)
            c[k][b] = (float)(marked[p->end[here]][k] - marked[here][k]);
        c[3][b] = (float)(p->at[p->end[here]].before - p->at[here].before);
        const units *best = &none;
        here = p->element[b];
        for (int k = 0; k < UNIT_STEPS && here > 0; k++, here = p->parent[here]) {
            const units *own = &all[number[here]];
            if (own->size >= LEAST_UNITS && own->size > best->size && 2 * own->with[LINKS] > own->size)
                best = own;
        }
        c[4][b] = (float)best->size;
        c[5][b] = (float)share(best->with[IMAGES], best->size);
        c[6][b] = (float)share(best->with[HEADINGS], best->size);
        c[7][b] = (float)share(best->with[LINKS], best->size);
        c[8][b] = (float)share(best->blocks, best->size);
        c[9][b] = (float)share(best->text.characters, page_text->characters);
        c[10][b] = (float)share(best->text.linked, best->text.characters);
        c[11][b] = (float)share(best->text.prose, best->text.characters);
        c[12][b] = (float)longest;
        c[13][b] = (float)((double)p->length[b] / (double)(longest > PARAGRAPH ? longest : PARAGRAPH));
        c[14][b] = longest > 0 ? (float)share(before[b].prose, page_text->prose) : NAN;
        c[15][b] = longest > 0 ? (float)share(page_text->prose - before[b + 1].prose, page_text->prose) : NAN;
        c[16][b] = (float)share(page_text->prose, page_text->characters);
    }
}

static int
put_nearby(page *p)
{
    float *c[NEARBY];
    Py_ssize_t nodes = p->nodes + 1;
    amount *before = PyMem_Malloc(((size_t)p->blocks + 1) * sizeof *before);
    int32_t(*marked)[MARKS] = PyMem_Malloc((size_t)nodes * sizeof *marked), *number = PyMem_Malloc(2 * (size_t)nodes * sizeof *number);
    uint64_t *key = PyMem_Malloc((size_t)nodes * sizeof *key);
    units *all = NULL;
    int done = before != NULL && marked != NULL && number != NULL && key != NULL ? 0 : no_memory();
    if (done == 0) {
        before[0] = (amount){0};
        for (Py_ssize_t b = 0; b < p->blocks; b++) {
            int64_t length = p->length[b], linked = p->link_length[b];
            before[b + 1].characters = before[b].characters + length;
            before[b + 1].linked = before[b].linked + linked;
            before[b + 1].prose = before[b].prose + (length >= PARAGRAPH && 100 * linked < MOST_LINKED * length ? length : 0);
        }
        memset(marked[0], 0, sizeof *marked);
        for (Py_ssize_t i = 0; i < p->nodes; i++) {
            key[i] = ((uint64_t)(p->parent[i] + 1) << 32) + (uint64_t)p->tag[i];
            memcpy(marked[i + 1], marked[i], sizeof *marked);
            for (int k = 0; k < MARKS && p->marks[i] >> k; k++)
                marked[i + 1][k] += p->marks[i] >> k & 1;
        }
        const Py_ssize_t kinds = number_keys(key, p->nodes, number, number + nodes);
        if (kinds < 0 || ((all = PyMem_Calloc((size_t)kinds + 1, sizeof *all)) == NULL && no_memory() < 0))
            done = -1;
        else {
            count_units(p, before, (const int32_t(*)[MARKS])marked, number, all);
            next_columns(p, NEARBY, c);
            put_nearby_of(p, c, before, (const int32_t(*)[MARKS])marked, number, all);
        }
    }
    PyMem_Free(before);
    PyMem_Free(marked);
    PyMem_Free(number);
    PyMem_Free(key);
    PyMem_Free(all);
    return done;
}

/* What the posts of a thread say of each block: tamis.content.evidence.THREAD. */
enum { BESIDE_POST = 1, SAID = 2 }; /* tamis.document.thread */

static void
put_thread(page *p)
{
    float *c[3];
    int64_t said_of_all = 0, length_of_all = 0;
    next_columns(p, 3, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int64_t length[3] = {0};
        for (int32_t t = p->first[b]; t < p->last[b]; t++) {
            unsigned char post = p->posts[p->text_nodes[t]];
            Py_ssize_t from, to;
            if (post != BESIDE_POST && post != SAID)
                continue;
            strip(PyList_GET_ITEM(p->texts, t), &from, &to);
            length[post] += to - from;
        }
        c[0][b] = (float)share(length[SAID], p->length[b]);
        c[1][b] = (float)share(length[BESIDE_POST], p->length[b]);
        said_of_all += length[SAID];
        length_of_all += p->length[b];
    }
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        c[2][b] = (float)share(said_of_all, length_of_all);
}

enum { OF_WORDS = 4, ALL = 12 + LEVELS * 7 + 11 + 17 + AROUND + HOLDERS + HINTS + 2 + 1 + NEARBY + 3 + OF_WORDS };

static void
gather_evidence(page *p, call *c, int wants_keys, int64_t *aside)
{
    if (look_at_blocks(p) < 0 || look_at_nodes(p) < 0 || put_text(p) < 0)
        return;
    put_containers(p);
    put_attenuation(p);
    if (put_alike(p, 0) < 0 || put_alike(p, 1) < 0)
        return;
    put_siblings(p);
    put_bits(p, 0, AROUND);
    put_rest(p);
    if (put_nearby(p) < 0)
        return;
    put_thread(p);
    put_words(p, c, wants_keys, p->out, aside);
}

/* The evidence of a page's blocks, one column after the other (float32), the words of each (int64), and what
 * learned words say of it as an aside (int64). With keys also the number of words as
 * hashes by block and source (int32), and these (uint32), block by block; then the columns of learned words are not set. */
static PyObject *
gather(PyObject *module, PyObject *args)
{
    page p = {.nodes = -1, .count = -1, .blocks = -1, .known = -1, .hints.size = -1, .learned.size = -1, .words.size = -1};
    call c = {.columns = 0};
    Py_ssize_t kinds = 0x10000, t = 0, wants_keys;
    int64_t *words, *aside;
    if (arguments(&c, args, "44414S444884S4S4S11118888422411n", &p.tag, &p.nodes, &p.parent, &p.nodes, &p.end, &p.nodes, &p.link, &p.nodes,
                  &p.text_nodes, &p.count, &p.texts, &p.element, &p.blocks, &p.first, &p.blocks, &p.last, &p.blocks, &p.length, &p.blocks,
                  &p.link_length, &p.blocks, &p.name[CLASS], &p.nodes, &p.values[CLASS], &p.name[ID], &p.nodes, &p.values[ID], &p.href,
                  &p.nodes, &p.hrefs, &p.hidden, &p.nodes, &p.marks, &p.nodes, &p.posts, &p.nodes, &p.kinds, &kinds, &p.tag_bits, &p.known,
                  &p.holder_bits, &p.known, &p.hints.keys, &p.hints.size, &p.hints.bits, &p.hints.size, &p.learned.key, &p.learned.size,
                  &p.learned.near, &p.learned.size, &p.learned.above, &p.learned.size, &p.words.key, &p.words.size, &p.words.weight,
                  &p.words.size, &p.words.aside, &p.words.size, &wants_keys) < 0)
        return finished(&c);
    while (t < p.count && p.text_nodes[t] >= 0 && p.text_nodes[t] < p.nodes)
        t++;
    if (!is_table(p.hints.keys, p.hints.size, sizeof *p.hints.keys) || !is_table(p.learned.key, p.learned.size, sizeof *p.learned.key) ||
        !is_table(p.words.key, p.words.size, sizeof *p.words.key))
        PyErr_SetString(PyExc_ValueError, "tables have a power of two of slots, some of them free");
    else if (PyList_GET_SIZE(p.texts) != p.count || t < p.count || p.nodes == 0 || p.blocks == 0 || p.known-- == 0)
        misfit();
    else if ((p.out = give_column(&c, ALL * p.blocks, sizeof *p.out)) != NULL && (words = give_column(&c, p.blocks, sizeof *words)) != NULL &&
             (aside = give_column(&c, p.blocks, sizeof *aside)) != NULL &&
             (p.at = room_unset(&c, p.nodes, sizeof *p.at)) != NULL && (p.block = room(&c, p.blocks, sizeof *p.block)) != NULL &&
             (p.key = room_unset(&c, p.blocks, sizeof *p.key)) != NULL && (p.number = room_unset(&c, 2 * p.blocks, sizeof *p.number)) != NULL &&
             (p.meaning[CLASS] = room(&c, PyList_GET_SIZE(p.values[CLASS]), sizeof **p.meaning)) != NULL &&
             (p.meaning[ID] = room(&c, PyList_GET_SIZE(p.values[ID]), sizeof **p.meaning)) != NULL) {
        p.origin = p.number + p.blocks;
        gather_evidence(&p, &c, wants_keys != 0, aside);
        for (Py_ssize_t b = 0; b < p.blocks; b++)
            words[b] = p.block[b].words;
    }
    return finished(&c);
}

static PyMethodDef methods[] = {
    {"gather", gather, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(evidence, "Evidence of a page's text blocks.", methods, prepare)
