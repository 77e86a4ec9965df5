/* Evidence of a page's text blocks. Columns are written in the order of tamis.content.evidence.COLUMNS. Whole numbers are summed, divided as
 * doubles and stored as floats, so that every machine gives the same columns. The tests compare them with a form in NumPy.
 */
#include "native.h"

#include <math.h>

/* tamis.content.evidence.kinds */
enum { WORD = 1, WIDE = 2, DIGIT = 4, COMMA = 8, STOP = 16, SIGN = 32 };
/* the lists of tamis.content.evidence.markup, places, order */
enum { AROUND = 18, HOLDERS = 9, HINTS = 24, LEVELS = 6, DESCENTS = 3, FAR = 200, LONG = 60, NEAREST = 3 };

/* ---- the page ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t plain, weight, marks, prose;
    int32_t blocks;
} sums; /* of blocks */

typedef struct {
    /* given */
    const int32_t *tag, *parent, *end, *text_nodes, *element, *first, *last;
    const int64_t *length, *link_length;
    const uint64_t *hint, *named, *tag_bits, *holder_bits;
    const int32_t *learned_near, *learned_above;
    const unsigned char *kinds, *hidden;
    PyObject *texts;
    Py_ssize_t nodes, count, blocks, known;
    /* by node */
    int32_t *wider, *before, *children;
    int64_t *learned; /* of a node and all above it */
    uint64_t *around, *hinted, *path, *path_named;
    /* by block */
    int32_t *node, *origin, *copies;
    int64_t *words, *wide, *digits, *commas, *stops, *signs, *weight, *plain;
    unsigned char *prose, *ends_in_stop;
    uint64_t *text;
    sums *prefix; /* of the blocks before each */
    int64_t total, total_prose;
    int32_t *table; /* of groups */
    size_t mask;
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
    const sums *a = &p->prefix[p->before[node]], *b = &p->prefix[p->before[p->end[node]]];
    sums s = {b->plain - a->plain, b->weight - a->weight, b->marks - a->marks, b->prose - a->prose, b->blocks - a->blocks};
    return s;
}

/* One text: its characters counted for a block. */
static void
count_text(page *p, PyObject *text, Py_ssize_t b)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    int before = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        unsigned char k = p->kinds[character < 0xFFFF ? character : 0xFFFF];
        p->words[b] += (k & WORD) && !before;
        before = k & WORD;
        if (k & ~WORD) {
            p->wide[b] += (k & WIDE) != 0;
            p->digits[b] += (k & DIGIT) != 0;
            p->commas[b] += (k & COMMA) != 0;
            p->stops[b] += (k & STOP) != 0;
            p->signs[b] += (k & SIGN) != 0;
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
        if (p->first[b] < next || p->last[b] <= p->first[b] || p->last[b] > p->count || p->element[b] < 0 || p->element[b] >= p->nodes)
            return misfit();
        for (int32_t t = p->first[b]; t < p->last[b]; t++)
            count_text(p, PyList_GET_ITEM(p->texts, t), b);
        next = p->last[b];
        p->node[b] = p->text_nodes[p->first[b]];
        if (p->node[b] <= 0 || p->node[b] >= p->nodes)
            return misfit();
        p->ends_in_stop[b] = stops_at_end(p, PyList_GET_ITEM(p->texts, next - 1));
        p->text[b] = hash_of_block(p, b);
        int64_t length = p->length[b] > 1 ? p->length[b] : 1;
        p->weight[b] = p->length[b] + 3 * p->wide[b] / 2;
        p->plain[b] = p->weight[b] * (length - p->link_length[b]) / length;
        p->prose[b] = p->plain[b] > LONG && 5 * p->link_length[b] < 2 * p->length[b] && (p->stops[b] > 0 || p->commas[b] > 1);
        p->words[b] += p->wide[b];
        sums s = p->prefix[b];
        s.plain += p->plain[b];
        s.weight += p->weight[b];
        s.marks += p->stops[b] + p->commas[b];
        s.prose += p->prose[b] ? p->plain[b] : 0;
        s.blocks += 1;
        p->prefix[b + 1] = s;
    }
    p->total = p->prefix[p->blocks].plain > 1 ? p->prefix[p->blocks].plain : 1;
    p->total_prose = p->prefix[p->blocks].prose > 1 ? p->prefix[p->blocks].prose : 1;
    return 0;
}

static int
look_at_nodes(page *p)
{
    int32_t passed = 0;
    for (Py_ssize_t i = 0; i <= p->nodes; i++) {
        while (passed < p->blocks && p->node[passed] < i)
            passed++;
        p->before[i] = passed;
    }
    for (Py_ssize_t i = 0; i < p->nodes; i++) {
        int32_t up = p->parent[i];
        if (up >= i || (up < 0 && i > 0) || p->end[i] <= i || p->end[i] > p->nodes)
            return misfit();
        Py_ssize_t tag = code(p, i);
        uint64_t step = mix((uint64_t)p->tag[i] + 1), named = step ^ mix(p->named[i] + 1);
        int32_t held = p->before[p->end[i]] - p->before[i];
        if (up < 0) {
            p->wider[i] = -1;
            p->learned[i] = p->learned_above[i];
            p->around[i] = p->tag_bits[tag];
            p->hinted[i] = p->hint[i];
            p->path[i] = mix(step);
            p->path_named[i] = mix(named);
        } else {
            p->wider[i] = p->before[p->end[up]] - p->before[up] == held ? p->wider[up] : up;
            p->learned[i] = p->learned_above[i] + p->learned[up];
            p->around[i] = p->tag_bits[tag] | p->around[up];
            p->hinted[i] = p->hint[i] | p->hinted[up];
            p->path[i] = mix(p->path[up] * UINT64_C(0x9E3779B97F4A7C15) + step);
            p->path_named[i] = mix(p->path_named[up] * UINT64_C(0x9E3779B97F4A7C15) + named);
            p->children[up] += p->tag[i] != 0;
        }
    }
    return 0;
}

/* ---- columns, in the order of COLUMNS --------------------------------------------------------------------------------- */

static float *
next_column(page *p)
{
    float *here = p->out;
    p->out += p->blocks;
    return here;
}

static double
share(int64_t part, int64_t whole)
{
    return (double)part / (double)(whole > 1 ? whole : 1);
}

static void
put_text(page *p)
{
    float *c[12];
    for (int k = 0; k < 12; k++)
        c[k] = next_column(p);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        Py_ssize_t copy = b - p->origin[b];
        c[0][b] = (float)p->weight[b];
        c[1][b] = (float)p->words[b];
        c[2][b] = (float)share(p->link_length[b], p->length[b]);
        c[3][b] = (float)p->commas[b];
        c[4][b] = (float)p->stops[b];
        c[5][b] = (float)share(p->stops[b] + p->commas[b], p->weight[b]);
        c[6][b] = (float)share(p->signs[b], p->length[b]);
        c[7][b] = (float)share(p->digits[b], p->length[b]);
        c[8][b] = p->ends_in_stop[b];
        c[9][b] = (float)p->copies[p->origin[b]];
        c[10][b] = copy == 0;
        c[11][b] = (float)(copy < FAR ? copy : FAR);
    }
}

static void
put_containers(page *p)
{
    float *c[LEVELS * 7];
    for (int k = 0; k < LEVELS * 7; k++)
        c[k] = next_column(p);
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
            here = p->wider[here];
        }
    }
}

/* From the root always to the child with most below it: indices of nodes in `way`, how many of them. */
static Py_ssize_t
find_way(page *p, int32_t *way, int of_prose)
{
    Py_ssize_t steps = 1;
    int32_t node = 0;
    way[0] = 0;
    for (;;) {
        sums s = below(p, node);
        if ((of_prose ? s.prose : s.plain) == 0)
            return steps;
        int32_t best = -1;
        int64_t most = -1;
        for (int32_t child = node + 1; child < p->end[node]; child = p->end[child]) {
            if (p->tag[child] == 0)
                continue;
            sums c = below(p, child);
            int64_t amount = of_prose ? c.prose : c.plain;
            if (amount > most) {
                best = child;
                most = amount;
            }
        }
        if (best < 0)
            return steps;
        node = best;
        way[steps++] = node;
    }
}

static Py_ssize_t
stop_on(const page *p, const int32_t *way, Py_ssize_t steps, int of_prose, double threshold)
{
    for (Py_ssize_t k = 0; k + 1 < steps; k++) {
        sums a = below(p, way[k]), b = below(p, way[k + 1]);
        int64_t here = of_prose ? a.prose : a.plain, next = of_prose ? b.prose : b.plain;
        if ((double)(here - next) > threshold * (double)here)
            return k + 1;
    }
    return steps;
}

static void
put_attenuation(page *p, int32_t *way)
{
    Py_ssize_t steps = find_way(p, way, 0);
    int32_t ends[DESCENTS];
    ends[0] = way[stop_on(p, way, steps, 0, 0.34) - 1];
    ends[1] = way[stop_on(p, way, steps, 0, 0.6) - 1];
    steps = stop_on(p, way, find_way(p, way, 1), 1, 0.3);
    ends[2] = way[steps - 1];
    for (int k = 0; k < DESCENTS; k++) {
        float *inside = next_column(p), *after = next_column(p), *of_page = next_column(p);
        int32_t last = ends[k];
        float part = (float)((double)below(p, last).plain / (double)p->total);
        for (Py_ssize_t b = 0; b < p->blocks; b++) {
            inside[b] = p->node[b] >= last && p->node[b] < p->end[last];
            after[b] = p->node[b] >= p->end[last];
            of_page[b] = part;
        }
    }
    float *left = next_column(p), *part = next_column(p);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        Py_ssize_t shared = 0;
        while (shared + 1 < steps && way[shared + 1] <= p->node[b] && p->end[way[shared + 1]] > p->node[b])
            shared++;
        left[b] = (float)(steps - 1 - shared);
        part[b] = (float)((double)below(p, way[shared]).plain / (double)p->total);
    }
}

/* The first block with the same value as each, in `origin`. */
static void
find_origins(page *p, const uint64_t *value, int32_t *origin)
{
    memset(p->table, 0xFF, (p->mask + 1) * sizeof(int32_t));
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        size_t slot = (size_t)mix(value[b]) & p->mask;
        while (p->table[slot] >= 0 && value[p->table[slot]] != value[b])
            slot = (slot + 1) & p->mask;
        if (p->table[slot] < 0)
            p->table[slot] = (int32_t)b;
        origin[b] = p->table[slot];
    }
}

static void
put_alike(page *p, const uint64_t *path, uint64_t *place, int32_t *origin, sums *group, int32_t *last)
{
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        place[b] = path[p->element[b]];
    find_origins(p, place, origin);
    memset(group, 0, (size_t)p->blocks * sizeof *group);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        sums *g = &group[origin[b]];
        g->plain += p->plain[b];
        g->weight += p->weight[b];
        g->marks += p->stops[b] + p->commas[b];
        g->prose += p->prose[b] ? p->plain[b] : 0;
        g->blocks += 1;
        last[origin[b]] = (int32_t)b;
    }
    float *c[7];
    for (int k = 0; k < 7; k++)
        c[k] = next_column(p);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        const sums *g = &group[origin[b]];
        c[0][b] = (float)g->blocks;
        c[1][b] = (float)((double)g->plain / (double)p->total);
        c[2][b] = (float)share(g->weight - g->plain, g->weight);
        c[3][b] = (float)((double)g->plain / (double)g->blocks);
        c[4][b] = (float)share(g->marks, g->weight);
        c[5][b] = (float)((double)g->prose / (double)p->total_prose);
        c[6][b] = (float)((double)(last[origin[b]] - origin[b]) / (double)p->blocks);
    }
}

static void
put_siblings(page *p)
{
    float *c[3];
    for (int k = 0; k < 3; k++)
        c[k] = next_column(p);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int32_t here = p->element[b];
        for (int k = 0; k < 3; k++) {
            here = p->parent[here] > 0 ? p->parent[here] : 0;
            c[k][b] = (float)p->children[here];
        }
    }
}

/* Bits of the nearest three elements and of all around a block, one column each: 2 near, 1 around. */
static void
put_bits(page *p, const uint64_t *own, const uint64_t *of_tag, const uint64_t *around, int bits)
{
    float *c = p->out;
    p->out += p->blocks * bits;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        uint64_t near = 0, wide = around[p->node[b]];
        int32_t here = p->parent[p->node[b]];
        for (int k = 0; k < 3; k++) {
            near |= own != NULL ? own[here] : of_tag[code(p, here)];
            here = p->parent[here] > 0 ? p->parent[here] : 0;
        }
        for (int bit = 0; bit < bits; bit++)
            c[bit * p->blocks + b] = (float)((near >> bit & 1) + (wide >> bit & 1));
    }
}

static void
put_holders(page *p)
{
    float *c = p->out;
    p->out += p->blocks * HOLDERS;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        uint64_t bits = p->holder_bits[code(p, p->element[b])];
        for (int bit = 0; bit < HOLDERS; bit++)
            c[bit * p->blocks + b] = (float)(bits >> bit & 1);
    }
}

/* Weights of learned names: of the nearest three elements, and of all above them. */
static void
put_learned(page *p)
{
    float *near = next_column(p), *above = next_column(p);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int64_t beside = 0;
        int32_t here = p->parent[p->node[b]];
        for (int k = 0; k < NEAREST && here >= 0; k++) {
            beside += p->learned_near[here];
            here = p->parent[here];
        }
        near[b] = (float)beside;
        above[b] = (float)(here >= 0 ? p->learned[here] : 0);
    }
}

enum { ALL = 12 + LEVELS * 7 + 11 + 17 + AROUND + HOLDERS + HINTS + 2 + 1 };

static PyObject *
evidence_of(page *p)
{
    size_t nodes = (size_t)p->nodes + 1, blocks = (size_t)p->blocks + 1, slots = 16;
    while (slots < 2 * blocks)
        slots *= 2;
    char *room = PyMem_Calloc(nodes * (5 * 8 + 4 * 4) + blocks * (2 * sizeof(sums) + 10 * 8 + 5 * 4 + 2) + slots * 4, 1);
    PyObject *values = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(ALL * (blocks - 1) * sizeof(float))), *result = NULL;
    if (room == NULL || values == NULL) {
        PyMem_Free(room);
        Py_XDECREF(values);
        return PyErr_NoMemory();
    }
    p->prefix = (sums *)(void *)room;
    sums *group = p->prefix + blocks;
    p->around = (uint64_t *)(void *)(group + blocks);
    p->hinted = p->around + nodes;
    p->path = p->hinted + nodes;
    p->path_named = p->path + nodes;
    p->learned = (int64_t *)(void *)(p->path_named + nodes);
    p->text = (uint64_t *)(void *)(p->learned + nodes);
    uint64_t *place = p->text + blocks;
    p->words = (int64_t *)(void *)(place + blocks);
    p->wide = p->words + blocks;
    p->digits = p->wide + blocks;
    p->commas = p->digits + blocks;
    p->stops = p->commas + blocks;
    p->signs = p->stops + blocks;
    p->weight = p->signs + blocks;
    p->plain = p->weight + blocks;
    p->wider = (int32_t *)(void *)(p->plain + blocks);
    p->before = p->wider + nodes;
    p->children = p->before + nodes;
    int32_t *way = p->children + nodes, *last = way + nodes;
    p->node = last + blocks;
    p->origin = p->node + blocks;
    p->copies = p->origin + blocks;
    int32_t *alike = p->copies + blocks;
    p->table = alike + blocks;
    p->prose = (unsigned char *)(p->table + slots);
    p->ends_in_stop = p->prose + blocks;
    p->mask = slots - 1;
    p->out = (float *)(void *)PyBytes_AS_STRING(values);
    if (look_at_blocks(p) == 0 && look_at_nodes(p) == 0) {
        find_origins(p, p->text, p->origin);
        for (Py_ssize_t b = 0; b < p->blocks; b++)
            p->copies[p->origin[b]]++;
        put_text(p);
        put_containers(p);
        put_attenuation(p, way);
        put_alike(p, p->path, place, alike, group, last);
        put_alike(p, p->path_named, place, alike, group, last);
        put_siblings(p);
        put_bits(p, NULL, p->tag_bits, p->around, AROUND);
        put_holders(p);
        put_bits(p, p->hint, NULL, p->hinted, HINTS);
        put_learned(p);
        for (Py_ssize_t b = 0; b < p->blocks; b++)
            p->out[b] = p->hidden[b];
        result = Py_BuildValue("(Oy#)", values, (const char *)p->words, p->blocks * (Py_ssize_t)sizeof(int64_t));
    }
    PyMem_Free(room);
    Py_DECREF(values);
    return result;
}

PyDoc_STRVAR(gather_doc, "gather(...)\n--\n\nSee evidence.pyi.");

static PyObject *
gather(PyObject *module, PyObject *args)
{
    PyObject *o[17], *result = NULL;
    page p = {0};
    columns given = {.count = 0};
    Py_ssize_t tables = -1, kinds = 0x10000;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOO!OOOOOOOOOOOOO:gather", &o[0], &o[1], &o[2], &o[3], &PyList_Type, &p.texts, &o[4], &o[5], &o[6], &o[7],
                          &o[8], &o[9], &o[10], &o[11], &o[12], &o[13], &o[14], &o[15], &o[16]))
        return NULL;
    p.nodes = p.count = p.blocks = -1;
    if ((p.tag = column(&given, o[0], 4, &p.nodes)) && (p.parent = column(&given, o[1], 4, &p.nodes)) &&
        (p.end = column(&given, o[2], 4, &p.nodes)) && (p.text_nodes = column(&given, o[3], 4, &p.count)) &&
        (p.element = column(&given, o[4], 4, &p.blocks)) && (p.first = column(&given, o[5], 4, &p.blocks)) &&
        (p.last = column(&given, o[6], 4, &p.blocks)) && (p.length = column(&given, o[7], 8, &p.blocks)) &&
        (p.link_length = column(&given, o[8], 8, &p.blocks)) && (p.hint = column(&given, o[9], 8, &p.nodes)) &&
        (p.named = column(&given, o[10], 8, &p.nodes)) && (p.learned_near = column(&given, o[11], 4, &p.nodes)) &&
        (p.learned_above = column(&given, o[12], 4, &p.nodes)) && (p.kinds = column(&given, o[13], 1, &kinds)) &&
        (p.tag_bits = column(&given, o[14], 8, &tables)) && (p.holder_bits = column(&given, o[15], 8, &tables)) &&
        (p.hidden = column(&given, o[16], 1, &p.blocks))) {
        int strings = PyList_GET_SIZE(p.texts) == p.count && p.nodes > 0 && p.blocks > 0 && tables > 0;
        for (Py_ssize_t t = 0; strings && t < p.count; t++)
            strings = PyUnicode_Check(PyList_GET_ITEM(p.texts, t)) && p.text_nodes[t] >= 0 && p.text_nodes[t] < p.nodes;
        if (strings) {
            p.known = tables - 1;
            result = evidence_of(&p);
        } else
            PyErr_SetString(PyExc_ValueError, "columns do not fit each other");
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

/* Whether an open table has a power of two of slots, at least one of which is free: so that each search in it ends. */
static int
is_table(const uint64_t *keys, const uint32_t *short_keys, Py_ssize_t size)
{
    if (size < 2 || (size & (size - 1)) != 0)
        return 0;
    for (Py_ssize_t slot = 0; slot < size; slot++)
        if ((keys != NULL ? keys[slot] : short_keys[slot]) == 0)
            return 1;
    return 0;
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

static int
has_no_place(const element_name *name)
{
    static const char *const once[] = {"html", "body"};
    for (int k = 0; name->tag == 4 && k < 2; k++)
        if (name->text[0] == (Py_UCS4)once[k][0] && name->text[1] == (Py_UCS4)once[k][1] && name->text[2] == (Py_UCS4)once[k][2] &&
            name->text[3] == (Py_UCS4)once[k][3])
            return 1;
    return 0;
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
read_name(const dictionary *known, const element_name *name, uint64_t *hint, uint64_t *number)
{
    uint64_t hash = NAME_START;
    int digits = 0;
    *hint = *number = 0;
    for (Py_ssize_t i = name->tag + 1; i < name->length && name->text[i] != '#'; i++) {
        Py_UCS4 c = name->text[i];
        int digit = is_digit(c);
        if (!(digit && digits))
            hash = (hash ^ (digit ? '0' : c)) * NAME_STEP;
        digits = digit;
        *number = hash | 1;
    }
    for (Py_ssize_t i = name->tag, end; i < name->length; i = end) {
        end = end_of_word(name, i, name->length);
        if (end > i + 1)
            *hint |= hint_of_word(known, name->text, i, end);
    }
}

/* Learned names as an open table, in which no key is 0 (tamis.content.evidence.vocabulary). */
typedef struct {
    const uint32_t *key;
    const int16_t *near, *above;
    Py_ssize_t size;
} vocabulary;

static void
add_learned(const vocabulary *learned, uint64_t hash, int32_t *near, int32_t *above)
{
    uint32_t key = (uint32_t)(hash >> 32 ^ hash), mask = (uint32_t)learned->size - 1;
    key = key != 0 ? key : 1;
    for (uint32_t slot = key & mask; learned->key[slot] != 0; slot = (slot + 1) & mask)
        if (learned->key[slot] == key) {
            *near += learned->near[slot];
            *above += learned->above[slot];
            return;
        }
}

/* The weights of an element's class names and id, each as a whole and by its words. */
static void
weigh_name(const vocabulary *learned, const element_name *name, int32_t *near, int32_t *above)
{
    *near = *above = 0;
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
        add_learned(learned, hash, near, above);
        for (Py_ssize_t i = start + 2, until; i < end; i = until) {
            until = end_of_word(name, i, end);
            if (until <= i + 2)
                continue;
            hash = (NAME_START ^ '-') * NAME_STEP;
            for (Py_ssize_t k = i; k < until; k++)
                hash = (hash ^ (name->text[k] | 32)) * NAME_STEP;
            add_learned(learned, hash, near, above);
        }
    }
}

PyDoc_STRVAR(read_names_doc, "read_names(...)\n--\n\nSee evidence.pyi.");

static PyObject *
read_names(PyObject *module, PyObject *args)
{
    PyObject *names, *o[5], *result = NULL;
    Py_ssize_t size = -1;
    columns given = {.count = 0};
    dictionary known;
    vocabulary learned = {.size = -1};
    element_name name = {NULL, 0, 0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOOOO:read_names", &PyList_Type, &names, &o[0], &o[1], &o[2], &o[3], &o[4]))
        return NULL;
    if ((known.keys = column(&given, o[0], 8, &size)) && (known.bits = column(&given, o[1], 8, &size)) &&
        (learned.key = column(&given, o[2], 4, &learned.size)) && (learned.near = column(&given, o[3], 2, &learned.size)) &&
        (learned.above = column(&given, o[4], 2, &learned.size))) {
        Py_ssize_t count = PyList_GET_SIZE(names);
        PyObject *columns[4] = {PyBytes_FromStringAndSize(NULL, count * 8), PyBytes_FromStringAndSize(NULL, count * 8),
                                PyBytes_FromStringAndSize(NULL, count * 4), PyBytes_FromStringAndSize(NULL, count * 4)};
        int made = columns[0] != NULL && columns[1] != NULL && columns[2] != NULL && columns[3] != NULL;
        int fits = made && is_table(known.keys, NULL, size) && is_table(NULL, learned.key, learned.size);
        Py_ssize_t longest = 1;
        for (Py_ssize_t k = 0; fits && k < count; k++) {
            fits = PyUnicode_Check(PyList_GET_ITEM(names, k));
            if (fits && PyUnicode_GET_LENGTH(PyList_GET_ITEM(names, k)) > longest)
                longest = PyUnicode_GET_LENGTH(PyList_GET_ITEM(names, k));
        }
        if (fits && (name.text = PyMem_New(Py_UCS4, longest)) == NULL)
            fits = PyErr_NoMemory() != NULL;
        known.mask = (size_t)size - 1;
        for (Py_ssize_t k = 0; fits && k < count; k++) {
            uint64_t *hint = (uint64_t *)(void *)PyBytes_AS_STRING(columns[0]) + k;
            uint64_t *number = (uint64_t *)(void *)PyBytes_AS_STRING(columns[1]) + k;
            int32_t *near = (int32_t *)(void *)PyBytes_AS_STRING(columns[2]) + k;
            int32_t *above = (int32_t *)(void *)PyBytes_AS_STRING(columns[3]) + k;
            *hint = *number = 0;
            *near = *above = 0;
            name.length = PyUnicode_GET_LENGTH(PyList_GET_ITEM(names, k));
            fits = PyUnicode_AsUCS4(PyList_GET_ITEM(names, k), name.text, longest, 0) != NULL;
            for (name.tag = 0; name.tag < name.length && name.text[name.tag] != '\t';)
                name.tag++;
            if (fits && !has_no_place(&name)) {
                read_name(&known, &name, hint, number);
                weigh_name(&learned, &name, near, above);
            }
        }
        if (fits)
            result = Py_BuildValue("(OOOO)", columns[0], columns[1], columns[2], columns[3]);
        else if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "names are a list of str, and tables have a power of two of slots, some of them free");
        PyMem_Free(name.text);
        for (int k = 0; k < 4; k++)
            Py_XDECREF(columns[k]);
    }
    release(&given);
    return result;
}

static PyMethodDef methods[] = {
    {"gather", gather, METH_VARARGS, gather_doc},
    {"read_names", read_names, METH_VARARGS, read_names_doc},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(evidence, "Evidence of a page's text blocks.", methods, prepare_nothing)
