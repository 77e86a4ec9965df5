/* Evidence of a page's text blocks. Columns are written in the order of tamis.content.evidence.COLUMNS. Whole numbers are summed, divided as
 * doubles and stored as floats, so that every machine gives the same columns. The tests compare them with a form in NumPy.
 */
#include "native.h"

#include <math.h>

/* tamis.content.evidence.kinds */
enum { WORD = 1, WIDE = 2, DIGIT = 4, COMMA = 8, STOP = 16, SIGN = 32 };
/* the lists of tamis.content.evidence.markup, places, order */
enum { AROUND = 18, HOLDERS = 9, HINTS = 24, LEVELS = 6, DESCENTS = 3, FAR = 200, LONG = 60, NEAREST = 3 };

/* What a name says. tamis.content.evidence.markup.MEANING */
typedef struct {
    uint64_t hint, number;
    int32_t near, above;
} meaning;

/* ---- the page ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t plain, weight, marks, prose;
    int32_t blocks;
} sums; /* of blocks */

typedef struct {
    int64_t learned; /* of the node and all above it */
    uint64_t around, hinted, path, path_named;
    int32_t wider, before, children;
    int32_t way; /* not of this node: the node of a step of a descent */
} place;

typedef struct {
    int64_t words, wide, digits, commas, stops, signs, weight, plain;
    int32_t node;
    unsigned char prose, ends_in_stop;
    sums before; /* of the blocks before it */
    /* not of this block: of the group with its number */
    sums group;
    int32_t copies, last;
} block;

typedef struct {
    /* given */
    const int32_t *tag, *parent, *end, *text_nodes, *element, *first, *last;
    const int64_t *length, *link_length;
    const uint64_t *tag_bits, *holder_bits;
    const meaning *named;
    const unsigned char *kinds, *hidden;
    PyObject *texts;
    Py_ssize_t nodes, count, blocks, known;
    /* made here */
    place *at;    /* each node */
    block *block; /* each block, and one more */
    uint64_t *key;
    int32_t *number, *origin; /* the group of each block by its key, and the first block of each group */
    int64_t total, total_prose;
    float *out;
} page;

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

/* One text: its characters counted for a block. */
static void
count_text(const page *p, PyObject *text, block *b)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    int before = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        unsigned char k = p->kinds[character < 0xFFFF ? character : 0xFFFF];
        b->words += (k & WORD) && !before;
        before = k & WORD;
        if (k & ~WORD) {
            b->wide += (k & WIDE) != 0;
            b->digits += (k & DIGIT) != 0;
            b->commas += (k & COMMA) != 0;
            b->stops += (k & STOP) != 0;
            b->signs += (k & SIGN) != 0;
        }
    }
}

/* A hash of a block's text without the white space around it. */
static uint64_t
hash_of_block(const page *p, Py_ssize_t b)
{
    uint64_t hash = 0, seen = 0, white = 0;
    for (int32_t t = p->first[b]; t < p->last[b]; t++) {
        PyObject *text = PyList_GET_ITEM(p->texts, t);
        int kind = PyUnicode_KIND(text);
        const void *data = PyUnicode_DATA(text);
        Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        for (Py_ssize_t i = 0; i < length; i++) {
            Py_UCS4 character = PyUnicode_READ(kind, data, i);
            if (is_white(character)) {
                if (seen)
                    white = white * UINT64_C(0x9E3779B97F4A7C15) + character + 1;
                continue;
            }
            if (white) {
                hash = (hash ^ mix(white)) * UINT64_C(0xD1342543DE82EF95);
                white = 0;
            }
            hash = (hash ^ character) * UINT64_C(0xD1342543DE82EF95);
            hash ^= hash >> 29;
            seen = 1;
        }
    }
    return hash | 1;
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
        for (int32_t t = p->first[b]; t < p->last[b]; t++)
            count_text(p, PyList_GET_ITEM(p->texts, t), here);
        next = p->last[b];
        here->node = p->text_nodes[p->first[b]];
        if (here->node <= 0 || here->node >= p->nodes)
            return misfit();
        here->ends_in_stop = stops_at_end(p, PyList_GET_ITEM(p->texts, next - 1));
        p->key[b] = hash_of_block(p, b);
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
    int32_t passed = 0;
    for (Py_ssize_t i = 0; i <= p->nodes; i++) {
        while (passed < p->blocks && p->block[passed].node < i)
            passed++;
        p->at[i].before = passed;
    }
    for (Py_ssize_t i = 0; i < p->nodes; i++) {
        int32_t up = p->parent[i];
        place *here = &p->at[i];
        if (up >= i || (up < 0 && i > 0) || p->end[i] <= i || p->end[i] > p->nodes)
            return misfit();
        uint64_t step = mix((uint64_t)p->tag[i] + 1), named = step ^ mix(p->named[i].number + 1);
        int32_t held = p->at[p->end[i]].before - here->before;
        here->learned = p->named[i].above;
        here->around = p->tag_bits[code(p, i)];
        here->hinted = p->named[i].hint;
        if (up < 0) {
            here->wider = -1;
            here->path = mix(step);
            here->path_named = mix(named);
        }
        else {
            place *above = &p->at[up];
            here->wider = p->at[p->end[up]].before - above->before == held ? above->wider : up;
            here->learned += above->learned;
            here->around |= above->around;
            here->hinted |= above->hinted;
            here->path = mix(above->path * UINT64_C(0x9E3779B97F4A7C15) + step);
            here->path_named = mix(above->path_named * UINT64_C(0x9E3779B97F4A7C15) + named);
            above->children += p->tag[i] != 0;
        }
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

/* Number equal keys of the blocks. */
static int
find_groups(page *p)
{
    return number_keys(p->key, p->blocks, p->number, p->origin) < 0 ? -1 : 0;
}

static int
put_text(page *p)
{
    float *c[12];
    if (find_groups(p) < 0)
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
    float *c[LEVELS * 7];
    next_columns(p, LEVELS * 7, c);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t here = p->element[b];
        for (int level = 0; level < LEVELS; level++) {
            float **to = c + level * 7;
            if (here < 0) {
                for (int k = 0; k < 7; k++)
                    to[k][b] = NAN;
                continue;
            }
            sums s = below(p, here);
            to[0][b] = (float)((double)s.plain / (double)p->total);
            to[1][b] = (float)s.weight;
            to[2][b] = (float)share(s.weight - s.plain, s.weight);
            to[3][b] = (float)s.blocks;
            to[4][b] = (float)share(s.plain, s.blocks);
            to[5][b] = (float)share(s.marks, s.weight);
            to[6][b] = (float)((double)s.prose / (double)p->total_prose);
            here = p->at[here].wider;
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
    if (find_groups(p) < 0)
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
    float *c = p->out;
    p->out += p->blocks * bits;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t node = p->block[b].node, here = p->parent[node];
        uint64_t near = 0, wide = of_names ? p->at[node].hinted : p->at[node].around;
        for (int k = 0; k < NEAREST; k++) {
            near |= of_names ? p->named[here].hint : p->tag_bits[code(p, here)];
            here = p->parent[here] > 0 ? p->parent[here] : 0;
        }
        for (int bit = 0; bit < bits; bit++)
            c[bit * p->blocks + b] = (float)((near >> bit & 1) + (wide >> bit & 1));
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
            beside += p->named[here].near;
            here = p->parent[here];
        }
        c[0][b] = (float)beside;
        c[1][b] = (float)(here >= 0 ? p->at[here].learned : 0);
        c[2][b] = p->hidden[b];
    }
}

enum { ALL = 12 + LEVELS * 7 + 11 + 17 + AROUND + HOLDERS + HINTS + 2 + 1 };

static PyObject *
evidence_of(page *p)
{
    size_t nodes = (size_t)p->nodes + 1, blocks = (size_t)p->blocks;
    PyObject *values = bytes_of(NULL, ALL * blocks, sizeof(float)), *words = bytes_of(NULL, blocks, sizeof(int64_t)), *result = NULL;
    p->at = PyMem_Calloc(nodes, sizeof *p->at);
    p->block = PyMem_Calloc(blocks + 1, sizeof *p->block);
    p->key = PyMem_Malloc(blocks * (sizeof *p->key + 2 * sizeof *p->number));
    if (p->at == NULL || p->block == NULL || p->key == NULL)
        no_memory();
    else if (values != NULL && words != NULL) {
        p->number = (int32_t *)(void *)(p->key + blocks);
        p->origin = p->number + blocks;
        p->out = (float *)(void *)PyBytes_AS_STRING(values);
        if (look_at_blocks(p) == 0 && look_at_nodes(p) == 0 && put_text(p) == 0) {
            put_containers(p);
            put_attenuation(p);
            if (put_alike(p, 0) == 0 && put_alike(p, 1) == 0) {
                put_siblings(p);
                put_bits(p, 0, AROUND);
                put_rest(p);
                for (Py_ssize_t b = 0; b < p->blocks; b++)
                    ((int64_t *)(void *)PyBytes_AS_STRING(words))[b] = p->block[b].words;
                result = Py_BuildValue("(OO)", values, words);
            }
        }
    }
    PyMem_Free(p->at);
    PyMem_Free(p->block);
    PyMem_Free(p->key);
    Py_XDECREF(values);
    Py_XDECREF(words);
    return result;
}

static PyObject *
gather(PyObject *module, PyObject *args)
{
    PyObject *named, *result = NULL;
    page p = {.nodes = -1, .count = -1, .blocks = -1, .known = -1};
    columns given = {.count = 0};
    Py_ssize_t kinds = 0x10000, t = 0;
    if (arguments(&given, args, "4444S44488O1881", &p.tag, &p.nodes, &p.parent, &p.nodes, &p.end, &p.nodes, &p.text_nodes, &p.count, &p.texts,
                  &p.element, &p.blocks, &p.first, &p.blocks, &p.last, &p.blocks, &p.length, &p.blocks, &p.link_length, &p.blocks, &named,
                  &p.kinds, &kinds, &p.tag_bits, &p.known, &p.holder_bits, &p.known, &p.hidden, &p.blocks) == 0 &&
        (p.named = column(&given, named, sizeof(meaning), &p.nodes)) != NULL) {
        while (t < p.count && p.text_nodes[t] >= 0 && p.text_nodes[t] < p.nodes)
            t++;
        if (PyList_GET_SIZE(p.texts) == p.count && t == p.count && p.nodes > 0 && p.blocks > 0 && p.known-- > 0)
            result = evidence_of(&p);
        else
            misfit();
    }
    release(&given);
    return result;
}

/* ---- names -------------------------------------------------------------------------------------------------------------- */

enum { SHORTEST = 2 }; /* tamis.content.evidence.markup */
#define NAME_START UINT64_C(0xCBF29CE484222325)
#define NAME_STEP UINT64_C(0x100000001B3)

typedef struct {
    const uint64_t *keys, *bits;
    size_t mask;
} dictionary;

/* What is known by a key: an open table, in which no key is 0. */
static uint64_t
look_up(const dictionary *known, uint64_t key)
{
    size_t slot = (size_t)key & known->mask;
    while (known->keys[slot] != 0) {
        if (known->keys[slot] == key)
            return known->bits[slot];
        slot = (slot + 1) & known->mask;
    }
    return 0;
}

/* Whether an open table has a power of two of slots, each of so many bytes, and one of them is free: each search in it ends. */
static int
is_table(const void *keys, Py_ssize_t size, size_t width)
{
    static const char nothing[8];
    int has_free = 0;
    for (Py_ssize_t slot = 0; slot < size && !has_free; slot++)
        has_free = memcmp((const char *)keys + (size_t)slot * width, nothing, width) == 0;
    return size >= 2 && (size & (size - 1)) == 0 && has_free;
}

static int
is_lower(Py_UCS4 c)
{
    return c >= 'a' && c <= 'z';
}

/* What a word hints at: as a whole, else by its longest known beginning. The word is text[start, end). */
static uint64_t
hint_of_word(const dictionary *known, const Py_UCS4 *text, Py_ssize_t start, Py_ssize_t end)
{
    uint64_t hash = NAME_START, found = 0;
    for (Py_ssize_t i = start; i < end; i++) {
        hash = (hash ^ (text[i] | 32)) * NAME_STEP;
        if (i - start >= SHORTEST) {
            uint64_t bits = look_up(known, hash);
            found = bits ? bits : found;
        }
    }
    uint64_t whole = look_up(known, (hash ^ '=') * NAME_STEP);
    return whole ? whole : found;
}

/* Tag, class names and id, with tabs between and a mark before each (tamis.content.evidence.markup._joined). */
typedef struct {
    Py_UCS4 *text;
    Py_ssize_t length, tag; /* where the tag ends */
} element_name;

/* Whether there is one of its kind on every page. */
static int
is_unique(const element_name *name)
{
    static const Py_UCS4 html[] = {'h', 't', 'm', 'l'}, body[] = {'b', 'o', 'd', 'y'};
    return name->tag == 4 && (memcmp(name->text, html, sizeof html) == 0 || memcmp(name->text, body, sizeof body) == 0);
}

static int
is_digit(Py_UCS4 c)
{
    return c < 128 ? c >= '0' && c <= '9' : Py_UNICODE_ISDECIMAL(c);
}

static Py_ssize_t
end_of_word(const element_name *name, Py_ssize_t start, Py_ssize_t end)
{
    Py_UCS4 c = name->text[start];
    Py_ssize_t until = start + 1;
    if (!is_lower(c) && !(c >= 'A' && c <= 'Z'))
        return until;
    while (until < end && is_lower(name->text[until]))
        until++;
    return until;
}

static void
read_name(const dictionary *known, const element_name *name, meaning *found)
{
    uint64_t hash = NAME_START;
    int digits = 0;
    for (Py_ssize_t i = name->tag + 1; i < name->length && name->text[i] != '#'; i++) {
        Py_UCS4 c = name->text[i];
        int digit = is_digit(c);
        if (!(digit && digits))
            hash = (hash ^ (digit ? '0' : c)) * NAME_STEP;
        digits = digit;
        found->number = hash | 1;
    }
    for (Py_ssize_t i = name->tag, end; i < name->length; i = end) {
        end = end_of_word(name, i, name->length);
        if (end > i + 1)
            found->hint |= hint_of_word(known, name->text, i, end);
    }
}

/* Learned names as an open table, in which no key is 0 (tamis.content.evidence.vocabulary). */
typedef struct {
    const uint32_t *key;
    const int16_t *near, *above;
    Py_ssize_t size;
} vocabulary;

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

/* The weights of an element's class names and id, each as a whole and by its words. */
static void
weigh_name(const vocabulary *learned, const element_name *name, meaning *found)
{
    for (Py_ssize_t start = name->tag, end; start < name->length; start = end) {
        uint64_t hash = NAME_START;
        int digits = 0;
        for (end = start + 2; end < name->length && name->text[end] != '\t'; end++) { /* behind the tab and the mark */
            Py_UCS4 c = name->text[end];
            int digit = is_digit(c);
            if (!(digit && digits))
                hash = (hash ^ (digit ? '0' : c >= 'A' && c <= 'Z' ? c | 32 : c)) * NAME_STEP;
            digits = digit;
        }
        add_learned(learned, hash, found);
        for (Py_ssize_t i = start + 2, until; i < end; i = until) {
            until = end_of_word(name, i, end);
            if (until <= i + 2)
                continue;
            hash = (NAME_START ^ '-') * NAME_STEP;
            for (Py_ssize_t k = i; k < until; k++)
                hash = (hash ^ (name->text[k] | 32)) * NAME_STEP;
            add_learned(learned, hash, found);
        }
    }
}

static PyObject *
read_names(PyObject *module, PyObject *args)
{
    PyObject *names, *result = NULL;
    Py_ssize_t size = -1, longest = 1;
    columns given = {.count = 0};
    dictionary known;
    vocabulary learned = {.size = -1};
    element_name name = {NULL, 0, 0};
    if (arguments(&given, args, "S88422", &names, &known.keys, &size, &known.bits, &size, &learned.key, &learned.size, &learned.near,
                  &learned.size, &learned.above, &learned.size) < 0)
        goto done;
    if (!is_table(known.keys, size, sizeof *known.keys) || !is_table(learned.key, learned.size, sizeof *learned.key)) {
        PyErr_SetString(PyExc_ValueError, "tables have a power of two of slots, some of them free");
        goto done;
    }
    known.mask = (size_t)size - 1;
    Py_ssize_t count = PyList_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < count; k++)
        if (PyUnicode_GET_LENGTH(PyList_GET_ITEM(names, k)) > longest)
            longest = PyUnicode_GET_LENGTH(PyList_GET_ITEM(names, k));
    name.text = PyMem_New(Py_UCS4, longest);
    if (name.text == NULL)
        no_memory();
    else if ((result = bytes_of(NULL, (size_t)count, sizeof(meaning))) != NULL)
        memset(PyBytes_AS_STRING(result), 0, (size_t)count * sizeof(meaning));
    for (Py_ssize_t k = 0; result != NULL && k < count; k++) {
        meaning *found = (meaning *)(void *)PyBytes_AS_STRING(result) + k;
        name.length = PyUnicode_GET_LENGTH(PyList_GET_ITEM(names, k));
        if (PyUnicode_AsUCS4(PyList_GET_ITEM(names, k), name.text, longest, 0) == NULL) {
            Py_CLEAR(result);
            break;
        }
        for (name.tag = 0; name.tag < name.length && name.text[name.tag] != '\t';)
            name.tag++;
        if (!is_unique(&name)) {
            read_name(&known, &name, found);
            weigh_name(&learned, &name, found);
        }
    }
done:
    PyMem_Free(name.text);
    release(&given);
    return result;
}

static PyMethodDef methods[] = {
    {"gather", gather, METH_VARARGS, NULL}, {"read_names", read_names, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(evidence, "Evidence of a page's text blocks.", methods, prepare_nothing)
