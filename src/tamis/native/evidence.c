/* Evidence of a page's text blocks and the score of forests, compiled: what tamis.content.evidence and tamis.content.forest do with
 * NumPy, with the same result. Every column is written in the order of tamis.content.evidence.COLUMNS; what a site says is left to the
 * caller. Numbers are computed as NumPy computes them: whole numbers are summed, divided as doubles, and stored as floats.
 */
#include "native.h"

#include <math.h>

/* tamis.content.evidence.characters */
enum { WORD = 1, WIDE = 2, DIGIT = 4, COMMA = 8, STOP = 16, SIGN = 32, MONEY = 64 };
/* tamis.content.evidence.compiled */
enum { HEADING = 1, FIRST_HEADING = 2, COUNTED = 9, TYPES = 4, PARTS = 11 };
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
    const unsigned char *kinds, *roles, *titles, *hidden;
    const signed char *counted;
    const double *types;
    PyObject *texts;
    Py_ssize_t nodes, count, blocks, known;
    /* by node */
    int32_t *depth, *wider, *before, *children;
    int64_t *learned; /* of a node and all above it */
    uint64_t *around, *hinted, *path, *path_named;
    /* by block */
    int32_t *node, *origin, *copies;
    int64_t *words, *wide, *digits, *commas, *stops, *signs, *weight, *plain;
    unsigned char *prose, *heading, *ends_in_stop;
    uint64_t *text;
    sums *prefix; /* of the blocks before each */
    int64_t money, total, total_prose, all_digits, all_length;
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
        p->money += (k & MONEY) != 0;
        if (b < 0)
            continue;
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
        for (int32_t t = next; t < p->last[b]; t++)
            count_text(p, PyList_GET_ITEM(p->texts, t), t < p->first[b] ? -1 : b);
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
        p->all_digits += p->digits[b];
        p->all_length += p->length[b];
        sums s = p->prefix[b];
        s.plain += p->plain[b];
        s.weight += p->weight[b];
        s.marks += p->stops[b] + p->commas[b];
        s.prose += p->prose[b] ? p->plain[b] : 0;
        s.blocks += 1;
        p->prefix[b + 1] = s;
    }
    for (Py_ssize_t t = next; t < p->count; t++)
        count_text(p, PyList_GET_ITEM(p->texts, t), -1);
    p->total = p->prefix[p->blocks].plain > 1 ? p->prefix[p->blocks].plain : 1;
    p->total_prose = p->prefix[p->blocks].prose > 1 ? p->prefix[p->blocks].prose : 1;
    return 0;
}

static int
look_at_nodes(page *p)
{
    int32_t passed = 0, heading_until = 0;
    for (Py_ssize_t i = 0; i <= p->nodes; i++) {
        while (passed < p->blocks && p->node[passed] < i)
            passed++;
        p->before[i] = passed;
    }
    passed = 0;
    for (Py_ssize_t i = 0; i < p->nodes; i++) {
        int32_t up = p->parent[i];
        if (up >= i || (up < 0 && i > 0) || p->end[i] <= i || p->end[i] > p->nodes)
            return misfit();
        Py_ssize_t tag = code(p, i);
        uint64_t step = mix((uint64_t)p->tag[i] + 1), named = step ^ mix(p->named[i] + 1);
        int32_t held = p->before[p->end[i]] - p->before[i];
        if (up < 0) {
            p->wider[i] = -1;
            p->depth[i] = 0;
            p->learned[i] = p->learned_above[i];
            p->around[i] = p->tag_bits[tag];
            p->hinted[i] = p->hint[i];
            p->path[i] = mix(step);
            p->path_named[i] = mix(named);
        } else {
            p->wider[i] = p->before[p->end[up]] - p->before[up] == held ? p->wider[up] : up;
            p->depth[i] = p->depth[up] + 1;
            p->learned[i] = p->learned_above[i] + p->learned[up];
            p->around[i] = p->tag_bits[tag] | p->around[up];
            p->hinted[i] = p->hint[i] | p->hinted[up];
            p->path[i] = mix(p->path[up] * UINT64_C(0x9E3779B97F4A7C15) + step);
            p->path_named[i] = mix(p->path_named[up] * UINT64_C(0x9E3779B97F4A7C15) + named);
            p->children[up] += p->tag[i] != 0;
        }
        if ((p->roles[tag] & HEADING) && p->end[i] > heading_until)
            heading_until = p->end[i];
        if (passed < p->blocks && p->node[passed] == i)
            p->heading[passed++] = i < heading_until;
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

/* Blocks since, and until, the next one that is wanted. */
static void
put_distances(page *p, const unsigned char *wanted, unsigned char bit)
{
    float *since = next_column(p), *until = next_column(p);
    Py_ssize_t last = -FAR;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        if (wanted[b] & bit)
            last = b;
        since[b] = (float)(b - last < FAR ? b - last : FAR);
    }
    last = p->blocks - 1 + FAR;
    for (Py_ssize_t b = p->blocks - 1; b >= 0; b--) {
        if (wanted[b] & bit)
            last = b;
        until[b] = (float)(last - b < FAR ? last - b : FAR);
    }
}

static void
put_position(page *p)
{
    float *c[5];
    for (int k = 0; k < 5; k++)
        c[k] = next_column(p);
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        c[0][b] = (float)((double)p->prefix[b + 1].plain / (double)p->total);
        c[1][b] = (float)b;
        c[2][b] = (float)((double)b / (double)p->blocks);
        c[3][b] = (float)(p->blocks - 1 - b);
        c[4][b] = (float)p->depth[p->element[b]];
        if (p->roles[code(p, p->element[b])] & FIRST_HEADING)
            p->heading[b] |= 2;
    }
    put_distances(p, p->heading, 1);
    put_distances(p, p->heading, 2);
}

static void
put_neighbours(page *p)
{
    static const int steps[] = {-2, -1, 1, 2}, widths[] = {3, 10, 30};
    for (int k = 0; k < 4; k++) {
        float *weight = next_column(p), *links = next_column(p);
        for (Py_ssize_t b = 0; b < p->blocks; b++) {
            Py_ssize_t o = b + steps[k];
            int there = o >= 0 && o < p->blocks;
            weight[b] = there ? (float)p->weight[o] : NAN;
            links[b] = there ? (float)share(p->link_length[o], p->length[o]) : NAN;
        }
    }
    for (int k = 0; k < 3; k++) {
        float *mean = next_column(p), *links = next_column(p), *stops = next_column(p);
        for (Py_ssize_t b = 0; b < p->blocks; b++) {
            Py_ssize_t low = b > widths[k] ? b - widths[k] : 0, high = b + widths[k] + 1 < p->blocks ? b + widths[k] + 1 : p->blocks;
            const sums *from = &p->prefix[low], *to = &p->prefix[high];
            int64_t weight = to->weight - from->weight, plain = to->plain - from->plain;
            mean[b] = (float)share(plain, high - low);
            links[b] = (float)share(weight - plain, weight);
            stops[b] = (float)share(to->marks - from->marks, weight);
        }
    }
    put_distances(p, p->titles, 1);
    put_distances(p, p->prose, 1);
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

static void
put_page(page *p, const float *markup)
{
    /* in main, article, section, pre, table, form; holder p, li, cell, h2, h3: places in the columns of markup */
    static const int parts[PARTS] = {4, 5, 6, 17, 8, 7, AROUND + 1, AROUND + 2, AROUND + 3, AROUND + 6, AROUND + 7};
    double value[8 + COUNTED + PARTS + TYPES] = {0};
    int64_t weight = p->prefix[p->blocks].weight, most = 0, counted[COUNTED] = {0};
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        most = p->plain[b] > most ? p->plain[b] : most;
    value[0] = (double)weight;
    value[1] = share(weight - p->prefix[p->blocks].plain, weight);
    value[2] = (double)p->blocks;
    value[3] = (double)p->total / (double)p->blocks;
    value[4] = (double)p->total_prose / (double)p->total;
    value[5] = (double)most / (double)p->total;
    value[6] = share(p->all_digits, p->all_length);
    value[7] = (double)p->money;
    for (Py_ssize_t i = 0; i < p->nodes; i++) {
        int place = p->counted[code(p, i)];
        if (place >= 0 && place < COUNTED)
            counted[place]++;
    }
    for (int k = 0; k < COUNTED; k++)
        value[8 + k] = (double)counted[k];
    for (int k = 0; k < PARTS; k++) {
        const float *part = markup + parts[k] * p->blocks;
        int64_t inside = 0;
        for (Py_ssize_t b = 0; b < p->blocks; b++)
            inside += part[b] > 0 ? p->plain[b] : 0;
        value[8 + COUNTED + k] = (double)inside / (double)p->total;
    }
    for (int k = 0; k < TYPES; k++)
        value[8 + COUNTED + PARTS + k] = p->types[k];
    for (int k = 0; k < 8 + COUNTED + PARTS + TYPES; k++) {
        float *to = next_column(p);
        for (Py_ssize_t b = 0; b < p->blocks; b++)
            to[b] = (float)value[k];
    }
}

enum { ALL = 12 + 9 + 21 + LEVELS * 7 + 11 + 17 + AROUND + HOLDERS + HINTS + 2 + 8 + COUNTED + PARTS + TYPES + 1 };

static PyObject *
evidence_of(page *p)
{
    size_t nodes = (size_t)p->nodes + 1, blocks = (size_t)p->blocks + 1, slots = 16;
    while (slots < 2 * blocks)
        slots *= 2;
    char *room = PyMem_Calloc(nodes * (5 * 8 + 5 * 4) + blocks * (2 * sizeof(sums) + 10 * 8 + 5 * 4 + 3) + slots * 4, 1);
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
    p->depth = (int32_t *)(void *)(p->plain + blocks);
    p->wider = p->depth + nodes;
    p->before = p->wider + nodes;
    p->children = p->before + nodes;
    int32_t *way = p->children + nodes, *last = way + nodes;
    p->node = last + blocks;
    p->origin = p->node + blocks;
    p->copies = p->origin + blocks;
    int32_t *alike = p->copies + blocks;
    p->table = alike + blocks;
    p->prose = (unsigned char *)(p->table + slots);
    p->heading = p->prose + blocks;
    p->ends_in_stop = p->heading + blocks;
    p->mask = slots - 1;
    p->out = (float *)(void *)PyBytes_AS_STRING(values);
    if (look_at_blocks(p) == 0 && look_at_nodes(p) == 0) {
        find_origins(p, p->text, p->origin);
        for (Py_ssize_t b = 0; b < p->blocks; b++)
            p->copies[p->origin[b]]++;
        put_text(p);
        put_position(p);
        put_neighbours(p);
        put_containers(p);
        put_attenuation(p, way);
        put_alike(p, p->path, place, alike, group, last);
        put_alike(p, p->path_named, place, alike, group, last);
        put_siblings(p);
        const float *markup = p->out;
        put_bits(p, NULL, p->tag_bits, p->around, AROUND);
        put_holders(p);
        put_bits(p, p->hint, NULL, p->hinted, HINTS);
        put_learned(p);
        put_page(p, markup);
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
    PyObject *o[20], *result = NULL;
    page p = {0};
    columns given = {.count = 0};
    Py_ssize_t tables = -1, kinds = 0x10000, types = TYPES;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOO!OOOOOOOOOOOOOOOO:gather", &o[0], &o[1], &o[2], &o[3], &PyList_Type, &p.texts, &o[4], &o[5], &o[6], &o[7],
                          &o[8], &o[9], &o[10], &o[11], &o[12], &o[13], &o[14], &o[15], &o[16], &o[17], &o[18], &o[19]))
        return NULL;
    p.nodes = p.count = p.blocks = -1;
    if ((p.tag = column(&given, o[0], 4, &p.nodes)) && (p.parent = column(&given, o[1], 4, &p.nodes)) &&
        (p.end = column(&given, o[2], 4, &p.nodes)) && (p.text_nodes = column(&given, o[3], 4, &p.count)) &&
        (p.element = column(&given, o[4], 4, &p.blocks)) && (p.first = column(&given, o[5], 4, &p.blocks)) &&
        (p.last = column(&given, o[6], 4, &p.blocks)) && (p.length = column(&given, o[7], 8, &p.blocks)) &&
        (p.link_length = column(&given, o[8], 8, &p.blocks)) && (p.hint = column(&given, o[9], 8, &p.nodes)) &&
        (p.named = column(&given, o[10], 8, &p.nodes)) && (p.learned_near = column(&given, o[11], 4, &p.nodes)) &&
        (p.learned_above = column(&given, o[12], 4, &p.nodes)) && (p.titles = column(&given, o[13], 1, &p.blocks)) &&
        (p.types = column(&given, o[14], 8, &types)) && (p.kinds = column(&given, o[15], 1, &kinds)) &&
        (p.tag_bits = column(&given, o[16], 8, &tables)) && (p.holder_bits = column(&given, o[17], 8, &tables)) &&
        (p.roles = column(&given, o[18], 1, &(Py_ssize_t){-1})) && (p.hidden = column(&given, o[19], 1, &p.blocks))) {
        int strings = PyList_GET_SIZE(p.texts) == p.count && p.nodes > 0 && p.blocks > 0 && tables > 0 && given.taken[18].len == 2 * tables;
        for (Py_ssize_t t = 0; strings && t < p.count; t++)
            strings = PyUnicode_Check(PyList_GET_ITEM(p.texts, t)) && p.text_nodes[t] >= 0 && p.text_nodes[t] < p.nodes;
        if (strings) {
            p.known = tables - 1;
            p.counted = (const signed char *)p.roles + tables;
            result = evidence_of(&p);
        } else
            PyErr_SetString(PyExc_ValueError, "columns do not fit each other");
    }
    release(&given);
    return result;
}

/* ---- forests ------------------------------------------------------------------------------------------------------------ */

#define MOST_LEVELS 8

/* With wider registers where the machine has them: comparisons, and so the same answer. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_REGISTERS
#endif

/* The value of a tree that each row leads to. With a depth that the compiler knows, four or eight rows are asked at a time. */
WIDE_REGISTERS static void
find_leaves(int32_t *leaf, const float *const *evidence, const float *limit, Py_ssize_t depth, Py_ssize_t rows)
{
    const float *a = evidence[0], *b, *c, *d, *e, *f;
    if (depth == 6) {
        b = evidence[1], c = evidence[2], d = evidence[3], e = evidence[4], f = evidence[5];
        for (Py_ssize_t r = 0; r < rows; r++)
            leaf[r] = (a[r] > limit[0]) | (b[r] > limit[1]) << 1 | (c[r] > limit[2]) << 2 | (d[r] > limit[3]) << 3 |
                      (e[r] > limit[4]) << 4 | (f[r] > limit[5]) << 5;
        return;
    }
    for (Py_ssize_t r = 0; r < rows; r++) {
        int32_t answers = 0;
        for (Py_ssize_t level = 0; level < depth; level++)
            answers |= (int32_t)(evidence[level][r] > limit[level]) << level;
        leaf[r] = answers;
    }
}

PyDoc_STRVAR(score_doc, "score(...)\n--\n\nSee evidence.pyi.");

static PyObject *
score(PyObject *module, PyObject *args)
{
    PyObject *o[4], *result = NULL;
    Py_ssize_t rows, depth, outputs, values = -1, asked = -1, leaves = -1;
    columns given = {.count = 0};
    const float *table, *border, *value;
    const int16_t *which;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOOOnn:score", &o[0], &rows, &o[1], &o[2], &o[3], &depth, &outputs))
        return NULL;
    if ((table = column(&given, o[0], 4, &values)) && (which = column(&given, o[1], 2, &asked)) &&
        (border = column(&given, o[2], 4, &asked)) && (value = column(&given, o[3], 4, &leaves))) {
        int fits = rows > 0 && depth > 0 && depth <= MOST_LEVELS && outputs > 0 && asked % depth == 0 && values % rows == 0 &&
                   leaves == asked / depth * ((Py_ssize_t)1 << depth) * outputs;
        for (Py_ssize_t k = 0; fits && k < asked; k++)
            fits = which[k] >= 0 && which[k] < values / rows;
        int32_t *leaf = fits ? PyMem_Malloc((size_t)rows * sizeof(int32_t)) : NULL;
        if (leaf != NULL)
            result = PyBytes_FromStringAndSize(NULL, rows * outputs * (Py_ssize_t)sizeof(double));
        if (result != NULL) {
            double *sum = (double *)(void *)PyBytes_AS_STRING(result);
            memset(sum, 0, (size_t)(rows * outputs) * sizeof(double));
            for (Py_ssize_t tree = 0; tree < asked / depth; tree++) {
                const float *evidence[MOST_LEVELS], *limit = border + tree * depth;
                for (Py_ssize_t level = 0; level < depth; level++)
                    evidence[level] = table + which[tree * depth + level] * rows;
                find_leaves(leaf, evidence, limit, depth, rows);
                const float *of_tree = value + tree * ((Py_ssize_t)1 << depth) * outputs;
                if (outputs == 1)
                    for (Py_ssize_t r = 0; r < rows; r++)
                        sum[r] += (double)of_tree[leaf[r]];
                else
                    for (Py_ssize_t r = 0; r < rows; r++)
                        for (Py_ssize_t k = 0; k < outputs; k++)
                            sum[r * outputs + k] += (double)of_tree[leaf[r] * outputs + k];
            }
        } else if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, fits ? "out of memory" : "columns do not fit each other");
        PyMem_Free(leaf);
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
    {"score", score, METH_VARARGS, score_doc},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(evidence, "Evidence and forests.", methods, prepare_nothing)
