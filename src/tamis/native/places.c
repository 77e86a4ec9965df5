/* What the sample of a site says of the blocks of a page, and trees that weigh it (tamis.site.places).
 *
 * Sums over sample pages are whole numbers: no order of adding them changes a bit. Columns are float32, as the trees compare them.
 */
#include "native.h"

#include <math.h>

#define PATH_BASE UINT64_C(0x9E3779B97F4A7C15)  /* tamis.structure.hashing._BASE */
#define PLACE_AND_TEXT UINT64_C(0xD6E8FEB86659FD93) /* tamis.site.places.PLACE_AND_TEXT */

/* tamis.site.places.KINDS of keys; those of the first are also keys of containers */
enum { KINDS = 3, PATHS = 2, LOCAL = PATHS, UP = 3 };
static const uint64_t salt[KINDS] = {0, UINT64_C(0x2545F4914F6CDD1D), UINT64_C(0x5851F42D4C957F2D)};

/* tamis.site.places.PLACE and CONTAINER: what is summed of the blocks of a place, and of all below an element */
enum { PAGES, BLOCKS, P, LO, WORDS, PW, LENGTH, LINKED, FREQUENT, FREQUENT_P, LOW, HIGH, PLACE_SUMS };
enum { C_PAGES, C_BLOCKS, C_P, C_WORDS, C_PW, C_FREQUENT, C_LINKED, C_OWN, CONTAINER_SUMS };

enum { LO_UNIT = 256, MOST_LO = 8 * LO_UNIT, P_UNIT = 65535, OWN_UNIT = 65536, LINK_UNIT = 256 };

/* ---- keys of elements --------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t own, sum[PATHS], power; /* of its step with names; of the steps down to it */
} path;

static int
find_keys(const uint64_t *step, Py_ssize_t names, const int32_t *name, const int32_t *parent, Py_ssize_t elements, path *at, uint64_t *key)
{
    for (Py_ssize_t e = 0; e < elements; e++) {
        const int32_t above = parent[e], its = name[e];
        if (above >= e || (above < 0 && e > 0) || its < 0 || its >= names)
            return misfit();
        at[e].power = above < 0 ? PATH_BASE : at[above].power * PATH_BASE;
        for (int k = 0; k < PATHS; k++) {
            const uint64_t own = mix(step[its * PATHS + k] + PATH_BASE);
            at[e].own = k == 0 ? own : at[e].own;
            at[e].sum[k] = (above < 0 ? 0 : at[above].sum[k]) + own * at[e].power;
            key[k * elements + e] = mix(at[e].sum[k]) ^ salt[k];
        }
        const uint64_t one_up = above < 0 ? 0 : at[above].own, two_up = above < 0 || parent[above] < 0 ? 0 : at[parent[above]].own;
        key[LOCAL * elements + e] = mix(at[e].own * 3 + one_up * 5 + two_up * 7) ^ salt[LOCAL];
    }
    return 0;
}

/* The keys of each element, uint64 (KINDS, e). Given two hashes of each distinct element name, with its tokens and of its tag. */
static PyObject *
keys(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t steps = -1, elements = -1;
    const uint64_t *step;
    const int32_t *name, *parent;
    path *at;
    uint64_t *key;
    if (arguments(&c, args, "844", &step, &steps, &name, &elements, &parent, &elements) == 0 && (steps % PATHS == 0 || misfit() == 0) &&
        (at = room(&c, elements, sizeof *at)) != NULL && (key = give_column(&c, KINDS * elements, sizeof *key)) != NULL)
        find_keys(step, steps / PATHS, name, parent, elements, at, key);
    return finished(&c);
}

/* ---- what is summed ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const int32_t *name, *parent, *holder, *length, *linked, *words;
    const uint64_t *text;
    const int16_t *lo;
    const int32_t *p; /* by log-odds from -MOST_LO on */
    const unsigned char *frequent; /* of each block: whether its text is on many sample pages */
    Py_ssize_t elements, blocks;
} page_of;

static inline int64_t
clipped(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void
add_block(const page_of *page, Py_ssize_t b, double *sums)
{
    const int64_t lo = clipped(page->lo[b], -MOST_LO, MOST_LO), p = page->p[lo + MOST_LO], words = page->words[b];
    sums[BLOCKS] += 1;
    sums[P] += (double)p;
    sums[LO] += (double)lo;
    sums[WORDS] += (double)words;
    sums[PW] += (double)(p * words);
    sums[LENGTH] += page->length[b];
    sums[LINKED] += page->linked[b];
    sums[FREQUENT] += page->frequent[b];
    sums[FREQUENT_P] += page->frequent[b] ? (double)p : 0;
    sums[LOW] += lo < -LO_UNIT;
    sums[HIGH] += lo > 2 * LO_UNIT;
}

/* What a page adds to the sums below each of its elements: `below`, CONTAINER_SUMS an element. */
static int
sum_below(const page_of *page, double *below)
{
    int64_t all = 0;
    for (Py_ssize_t b = 0; b < page->blocks; b++)
        all += page->frequent[b] || page->length[b] <= page->linked[b] ? 0 : page->length[b] - page->linked[b];
    for (Py_ssize_t b = 0; b < page->blocks; b++) {
        if (page->holder[b] < 0 || page->holder[b] >= page->elements)
            return misfit();
        double *sums = below + page->holder[b] * CONTAINER_SUMS;
        const int64_t lo = clipped(page->lo[b], -MOST_LO, MOST_LO), p = page->p[lo + MOST_LO], words = page->words[b];
        const int64_t length = page->length[b], linked = clipped(page->linked[b], 0, length), own = page->frequent[b] ? 0 : length - linked;
        sums[C_BLOCKS] += 1;
        sums[C_P] += (double)p;
        sums[C_WORDS] += (double)words;
        sums[C_PW] += (double)(p * words);
        sums[C_FREQUENT] += page->frequent[b] ? (double)words : 0;
        sums[C_LINKED] += length > 0 ? (double)(words * linked * LINK_UNIT / length) : 0;
        sums[C_OWN] += all > 0 ? (double)(own * OWN_UNIT / all) : 0;
    }
    for (Py_ssize_t e = page->elements - 1; e > 0; e--)
        if (page->parent[e] >= 0 && page->parent[e] < e)
            for (int s = 1; s < CONTAINER_SUMS; s++)
                below[page->parent[e] * CONTAINER_SUMS + s] += below[e * CONTAINER_SUMS + s];
    return 0;
}

/* What a page adds: for each of its blocks PLACE_SUMS, for each of its elements CONTAINER_SUMS. Learning groups them by key. */
/* What a page adds to a sample: of each block (b, PLACE_SUMS), and below each element (e, CONTAINER_SUMS), float64. */
static PyObject *
sums(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    page_of page = {.elements = -1, .blocks = -1};
    Py_ssize_t steps = -1;
    double *places, *below;
    if (arguments(&c, args, "44444421", &page.parent, &page.elements, &page.holder, &page.blocks, &page.length, &page.blocks, &page.linked,
                  &page.blocks, &page.words, &page.blocks, &page.p, &steps, &page.lo, &page.blocks, &page.frequent, &page.blocks) == 0 &&
        (steps == 2 * MOST_LO + 1 || misfit() == 0) && (places = give_column(&c, page.blocks * PLACE_SUMS, sizeof *places)) != NULL &&
        (below = give_column(&c, page.elements * CONTAINER_SUMS, sizeof *below)) != NULL) {
        memset(places, 0, (size_t)(page.blocks * PLACE_SUMS) * sizeof *places);
        memset(below, 0, (size_t)(page.elements * CONTAINER_SUMS) * sizeof *below);
        for (Py_ssize_t b = 0; b < page.blocks; b++)
            add_block(&page, b, places + b * PLACE_SUMS);
        sum_below(&page, below);
    }
    return finished(&c);
}

/* ---- what the sample says of a block ------------------------------------------------------------------------------------ */

/* tamis.site.places.COLUMNS */
enum { NEAR = 3, LINKS = 13, HEADING, TEXT_AT, OF_TEXT = 3, OF_PLACE = 10, OF_LEVEL = 2, OF_CONTAINERS = 2 + UP * OF_LEVEL };
enum {
    PLACE_AT = TEXT_AT + OF_TEXT,
    CONTAINER_AT = PLACE_AT + KINDS * OF_PLACE,
    AROUND_AT = CONTAINER_AT + OF_CONTAINERS,
    SURE_AT = AROUND_AT + 2,
    LAYOUT_AT = SURE_AT + 4,
    COLUMNS
};
enum { MOST_COUNT = 20, MOST_TEXTS = 10, FAR = 50, SURE_WORDS = 8 };
#define SMALL_OWN 0.3   /* share of its pages' own text that a container of noise holds, less than */
#define SURE 1.5        /* log-odds with the consensus of the containers from which a block is sure */
#define CONSENSUS_ODDS 6 /* what the consensus, from -0.5 to 0.5, weighs there */
#define STRENGTH 3.0 /* of the consensus of the container above, in blocks */
static const int window[2] = {4, 12};

typedef struct {
    const uint64_t *key;
    const double *rows;
    Py_ssize_t count, width;
} table;

static const double *
row_of(const table *of, uint64_t key)
{
    Py_ssize_t at = (Py_ssize_t)first_from(of->key, 0, (size_t)of->count, key);
    return at < of->count && of->key[at] == key ? of->rows + at * of->width : NULL;
}

static inline float
share_of(double part, double whole)
{
    return whole > 0 ? (float)(part / whole) : NAN;
}

/* The mean of a column over the blocks around each, without what is not known. `upto`: room for two numbers a block. */
static void
mean_around(const float *from, int reach, float *to, Py_ssize_t blocks, double *upto)
{
    double *known = upto + blocks + 1;
    upto[0] = known[0] = 0;
    for (Py_ssize_t b = 0; b < blocks; b++) {
        const float value = from[b * COLUMNS];
        upto[b + 1] = upto[b] + (value == value ? value : 0);
        known[b + 1] = known[b] + (value == value);
    }
    for (Py_ssize_t b = 0; b < blocks; b++) {
        const Py_ssize_t low = b > reach ? b - reach : 0, high = b + reach + 1 < blocks ? b + reach + 1 : blocks;
        to[b * COLUMNS] = share_of(upto[high] - upto[low], known[high] - known[low]);
    }
}

/* A column of the block some places before or after. */
static void
shifted(const float *from, Py_ssize_t by, float *to, Py_ssize_t blocks)
{
    for (Py_ssize_t b = 0; b < blocks; b++)
        to[b * COLUMNS] = b + by >= 0 && b + by < blocks ? from[(b + by) * COLUMNS] : NAN;
}

typedef struct {
    page_of page;
    const unsigned char *heading; /* of each name */
    table texts, at_place, places, containers;
    double pages;  /* of the sample, the page itself not counted */
    int64_t least; /* pages that a frequent text is on */
    double share;  /* of the pages of a place that a text frequent there is on */
    int own;       /* whether the page is in the sample */
} asked;

static void
of_itself(const asked *a, float *out, double *upto)
{
    const page_of *page = &a->page;
    double words = 0, probable = 0, highest = -MOST_LO;
    for (Py_ssize_t b = 0; b < page->blocks; b++) {
        const int64_t lo = clipped(page->lo[b], -MOST_LO, MOST_LO);
        words += page->words[b];
        probable += (double)page->p[lo + MOST_LO] * page->words[b];
        highest = lo > highest ? (double)lo : highest;
        out[b * COLUMNS] = (float)lo / LO_UNIT;
    }
    for (int near = 1; near <= NEAR; near++) {
        shifted(out, -near, out + 2 * near - 1, page->blocks);
        shifted(out, near, out + 2 * near, page->blocks);
    }
    for (int w = 0; w < 2; w++)
        mean_around(out, window[w], out + 7 + w, page->blocks, upto);
    for (Py_ssize_t b = 0; b < page->blocks; b++) {
        float *row = out + b * COLUMNS + 9;
        row[0] = (float)(probable / P_UNIT / (words > 0 ? words : 1));
        row[1] = (float)(highest / LO_UNIT);
        row[2] = (float)words;
        row[3] = (float)page->words[b];
        row[4] = page->length[b] > 0 ? (float)page->linked[b] / (float)page->length[b] : 0;
    }
}

static void
of_place(const double *sums, float lo, float *to)
{
    const double pages = sums == NULL ? 0 : sums[PAGES];
    to[0] = (float)(pages < MOST_COUNT ? pages : MOST_COUNT);
    for (int c = 1; c < OF_PLACE; c++)
        to[c] = NAN;
    if (pages <= 0)
        return;
    const double n = sums[BLOCKS], mean = sums[LO] / LO_UNIT / n;
    to[1] = share_of(sums[P] / P_UNIT, n);
    to[2] = (float)mean;
    to[3] = share_of(sums[PW] / P_UNIT, sums[WORDS]);
    to[4] = share_of(sums[LOW], n);
    to[5] = share_of(sums[HIGH], n);
    to[6] = share_of(sums[LINKED], sums[LENGTH]);
    to[7] = share_of(sums[FREQUENT], n);
    to[8] = share_of((sums[P] - sums[FREQUENT_P]) / P_UNIT, n - sums[FREQUENT]);
    to[9] = (float)(lo - mean);
}

/* Columns of texts and places. `key`: of the elements; `mine`: room for the page's own sums, as many as blocks. */
static int
of_places(const asked *a, const uint64_t *key, float *out, unsigned char *frequent, double *mine, uint64_t *wanted, int32_t *number)
{
    const page_of *page = &a->page;
    int32_t last_holder = -1;
    double least_here = 2;
    for (Py_ssize_t b = 0; b < page->blocks; b++) {
        const int32_t holder = page->holder[b];
        const double *found = row_of(&a->texts, page->text[b]);
        const double *here = row_of(&a->at_place, ((key[holder] ^ salt[0]) * PLACE_AND_TEXT) ^ page->text[b]);
        double pages = found == NULL ? 0 : *found, at_place = here == NULL ? 0 : *here;
        if (holder != last_holder) {
            const double *sums = row_of(&a->places, key[holder]);
            last_holder = holder;
            least_here = sums == NULL ? 2 : a->share * sums[PAGES];
        }
        frequent[b] = pages >= (double)a->least || (at_place >= 2 && at_place >= least_here);
        pages -= a->own && pages > 0;
        at_place -= a->own && at_place > 0;
        float *row = out + b * COLUMNS + TEXT_AT;
        row[0] = (float)(pages / a->pages);
        row[1] = (float)(pages < MOST_TEXTS ? pages : MOST_TEXTS);
        row[2] = (float)at_place;
    }
    for (int k = 0; k < KINDS; k++) {
        const uint64_t *of_kind = key + k * page->elements;
        if (a->own) {
            for (Py_ssize_t b = 0; b < page->blocks; b++)
                wanted[b] = of_kind[page->holder[b]];
            if (number_keys(wanted, page->blocks, number, number + page->blocks + 1) < 0)
                return -1;
            memset(mine, 0, (size_t)(page->blocks * PLACE_SUMS) * sizeof *mine);
            for (Py_ssize_t b = 0; b < page->blocks; b++) {
                mine[number[b] * PLACE_SUMS + PAGES] = 1;
                add_block(page, b, mine + number[b] * PLACE_SUMS);
            }
        }
        const double *sums = NULL;
        double left[PLACE_SUMS];
        int32_t last = -1;
        for (Py_ssize_t b = 0; b < page->blocks; b++) {
            float *row = out + b * COLUMNS;
            if (page->holder[b] != last) {
                last = page->holder[b];
                sums = row_of(&a->places, of_kind[last]);
                if (sums != NULL && a->own) {
                    for (int s = 0; s < PLACE_SUMS; s++)
                        left[s] = sums[s] - mine[number[b] * PLACE_SUMS + s];
                    sums = left;
                }
            }
            of_place(sums, row[0], row + PLACE_AT + k * OF_PLACE);
            if (k == 0)
                row[TEXT_AT + 2] = share_of(row[TEXT_AT + 2], sums == NULL ? 0 : sums[PAGES]);
        }
    }
    return 0;
}

typedef struct {
    const double *sums;  /* of the sample at this container; NULL: none */
    double estimate;     /* consensus */
    double lowest;       /* least mean probability of a small container from here up; 2: there is none */
    int32_t known;       /* the first known container from here up, or -1 */
} container;

static void
consensus(const double *sums, const container *above, container *here)
{
    double prior = above != NULL ? above->estimate : 0.3;
    if (above == NULL && sums != NULL && sums[C_BLOCKS] > 0)
        prior = sums[C_P] / P_UNIT / sums[C_BLOCKS];
    here->estimate = sums == NULL ? prior : (sums[C_P] / P_UNIT + STRENGTH * prior) / (sums[C_BLOCKS] + STRENGTH);
    here->lowest = above != NULL ? above->lowest : 2;
    if (sums != NULL && sums[C_PAGES] >= 2 && sums[C_WORDS] > 0 && sums[C_OWN] < SMALL_OWN * OWN_UNIT * sums[C_PAGES]) {
        const double mean = sums[C_PW] / P_UNIT / sums[C_WORDS];
        here->lowest = mean < here->lowest ? mean : here->lowest;
    }
}

/* Columns of the containers. `mine`: the page's own sums by number of its key, which `number` gives. */
static void
of_containers(const asked *a, const uint64_t *key, container *at, double *left, const double *mine, const int32_t *number, float *out)
{
    const page_of *page = &a->page;
    for (Py_ssize_t e = 0; e < page->elements; e++) {
        const container *above = page->parent[e] < 0 ? NULL : &at[page->parent[e]];
        const double *sums = row_of(&a->containers, key[e]);
        if (sums != NULL && a->own) {
            double *rest = left + e * CONTAINER_SUMS;
            for (int s = 0; s < CONTAINER_SUMS; s++)
                rest[s] = sums[s] - mine[number[e] * CONTAINER_SUMS + s];
            sums = rest[C_PAGES] > 0 ? rest : NULL;
        }
        at[e].sums = sums;
        at[e].known = sums != NULL ? (int32_t)e : above != NULL ? above->known : -1;
        consensus(sums, above, &at[e]);
    }
    for (Py_ssize_t b = 0; b < page->blocks; b++) {
        const container *here = &at[page->holder[b]];
        float *row = out + b * COLUMNS;
        row[0] = (float)here->estimate;
        row[1] = here->lowest > 1 ? NAN : (float)here->lowest;
        int32_t level = here->known;
        for (int up = 0; up < UP; up++) {
            float *to = row + 2 + up * OF_LEVEL;
            for (int i = 0; i < OF_LEVEL; i++)
                to[i] = NAN;
            if (level < 0)
                continue;
            const double *sums = at[level].sums;
            to[0] = share_of(sums[C_FREQUENT], sums[C_WORDS]);
            to[1] = share_of(sums[C_LINKED] / LINK_UNIT, sums[C_WORDS]);
            level = page->parent[level] < 0 ? -1 : at[page->parent[level]].known;
        }
    }
}

/* Columns of the blocks around, and of the order of what is sure. */
static void
of_order(const asked *a, float *out, double *upto)
{
    const Py_ssize_t blocks = a->page.blocks;
    shifted(out + LINKS, -1, out + AROUND_AT, blocks);
    shifted(out + LINKS, 1, out + AROUND_AT + 1, blocks);
    double all = 0, before = 0;
    Py_ssize_t since = FAR, until = FAR;
    for (Py_ssize_t b = 0; b < blocks; b++) {
        float *row = out + b * COLUMNS;
        const int sure = row[0] + CONSENSUS_ODDS * (row[CONTAINER_AT] - 0.5) > SURE && a->page.words[b] >= SURE_WORDS;
        all += upto[b] = sure ? a->page.words[b] : 0;
    }
    for (Py_ssize_t b = 0; b < blocks; b++) {
        float *row = out + b * COLUMNS + SURE_AT;
        since = upto[b] > 0 ? 0 : since < FAR ? since + 1 : FAR;
        row[0] = (float)(before / (all > 1 ? all : 1));
        before += upto[b];
        row[1] = (float)((all - before) / (all > 1 ? all : 1));
        row[2] = (float)since;
    }
    for (Py_ssize_t b = blocks - 1; b >= 0; b--) {
        until = upto[b] > 0 ? 0 : until < FAR ? until + 1 : FAR;
        out[b * COLUMNS + SURE_AT + 3] = (float)until;
    }
}

static void
gather_from(asked *a, call *c, const uint64_t *step, Py_ssize_t names, double likeness, float *out)
{
    page_of page = a->page;
    const Py_ssize_t b_ = page.blocks, e_ = page.elements, most = b_ > e_ ? b_ : e_;
    path *way = room(c, e_, sizeof *way);
    uint64_t *key = room(c, (KINDS + 1) * (most + 1), sizeof *key);
    double *sums = room(c, (PLACE_SUMS + 2 * CONTAINER_SUMS) * (most + 1), sizeof *sums);
    container *at = room(c, e_, sizeof *at);
    int32_t *number = room(c, 2 * most + 1, sizeof *number);
    unsigned char *flags = room(c, b_ + e_, 1);
    if (way == NULL || key == NULL || sums == NULL || at == NULL || number == NULL || flags == NULL ||
        find_keys(step, names, page.name, page.parent, e_, way, key) < 0)
        return;
    for (Py_ssize_t b = 0; b < b_; b++)
        if (page.holder[b] < 0 || page.holder[b] >= e_) {
            misfit();
            return;
        }
    unsigned char *heading = flags + b_;
    for (Py_ssize_t e = 0; e < e_; e++)
        heading[e] = a->heading[page.name[e]] | (page.parent[e] >= 0 ? heading[page.parent[e]] : 0);
    page.frequent = a->page.frequent = flags;
    of_itself(a, out, sums);
    if (of_places(a, key, out, flags, sums, key + KINDS * e_, number) < 0)
        return;
    double *mine = sums, *own = sums + (most + 1) * CONTAINER_SUMS;
    if (a->own) {
        memset(sums, 0, (size_t)(2 * (most + 1) * CONTAINER_SUMS) * sizeof *sums);
        if (number_keys(key, e_, number, number + e_ + 1) < 0 || sum_below(&page, own) < 0)
            return;
        for (Py_ssize_t e = 0; e < e_; e++) {
            for (int s = 1; s < CONTAINER_SUMS; s++)
                mine[number[e] * CONTAINER_SUMS + s] += own[e * CONTAINER_SUMS + s];
            mine[number[e] * CONTAINER_SUMS] = 1;
        }
    }
    of_containers(a, key, at, own, mine, number, out + CONTAINER_AT);
    of_order(a, out, sums);
    for (Py_ssize_t b = 0; b < b_; b++) {
        out[b * COLUMNS + HEADING] = heading[page.holder[b]];
        out[b * COLUMNS + LAYOUT_AT] = (float)likeness;
    }
}

/* The evidence of a page, float32 (b, COLUMNS). Given the page; texts and the pages that each is on, the same at places, places and
 * containers with their sums, of the sample; likeness to the layout that the page is most like; pages of the sample, those that a frequent
 * text is on, the share of a place's pages that a text frequent there is on; whether the page is in the sample. */
static PyObject *
gather(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    asked a = {.page = {.elements = -1, .blocks = -1},
               .texts = {.count = -1, .width = 1},
               .at_place = {.count = -1, .width = 1},
               .places = {.count = -1, .width = PLACE_SUMS},
               .containers = {.count = -1, .width = CONTAINER_SUMS}};
    page_of *p = &a.page;
    Py_ssize_t steps = -1, names = -1, odds = -1, sums[4] = {-1, -1, -1, -1}, least, pages, own;
    const uint64_t *step;
    double likeness;
    float *out;
    if (arguments(&c, args, "8144484444288888888dnndn", &step, &steps, &a.heading, &names, &p->name, &p->elements, &p->parent, &p->elements,
                  &p->holder, &p->blocks, &p->text, &p->blocks, &p->length, &p->blocks, &p->linked, &p->blocks, &p->words, &p->blocks, &p->p,
                  &odds, &p->lo, &p->blocks, &a.texts.key, &a.texts.count, &a.texts.rows,
                  &sums[0], &a.at_place.key, &a.at_place.count, &a.at_place.rows, &sums[1], &a.places.key, &a.places.count,
                  &a.places.rows, &sums[2], &a.containers.key, &a.containers.count, &a.containers.rows, &sums[3], &likeness, &pages,
                  &least, &a.share, &own) < 0)
        return finished(&c);
    if (steps != names * PATHS || odds != 2 * MOST_LO + 1 || sums[0] != a.texts.count || sums[1] != a.at_place.count ||
        sums[2] != a.places.count * PLACE_SUMS || sums[3] != a.containers.count * CONTAINER_SUMS || pages <= 0) {
        misfit();
        return finished(&c);
    }
    a.pages = (double)pages;
    a.least = least;
    a.own = own != 0;
    if ((out = give_column(&c, p->blocks * COLUMNS, sizeof *out)) != NULL)
        gather_from(&a, &c, step, names, likeness, out);
    return finished(&c);
}

/* ---- trees -------------------------------------------------------------------------------------------------------------- */

/* The sum of the leaves that each row of evidence comes to. A node: its column, or -1 at a leaf; its threshold, or the leaf's value;
 * where more than that goes (others go to the next node); whether what is not known goes there, too. */
typedef struct {
    float threshold;
    int16_t column, more;
    int32_t unknown;
} node;

static PyObject *
weigh(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t values = -1, trees = -1, nodes = -1, columns;
    const float *evidence, *threshold;
    const int32_t *root;
    const int16_t *column, *more;
    const unsigned char *unknown;
    double *sum;
    node *all;
    if (arguments(&c, args, "4n42214", &evidence, &values, &columns, &threshold, &nodes, &column, &nodes, &more, &nodes, &unknown, &nodes,
                  &root, &trees) < 0 ||
        (all = room(&c, nodes, sizeof *all)) == NULL)
        return finished(&c);
    for (Py_ssize_t i = 0; i < nodes; i++) {
        all[i] = (node){threshold[i], column[i], more[i], unknown[i]};
        if (column[i] >= columns || (column[i] >= 0 && (more[i] <= i || more[i] >= nodes)))
            misfit();
    }
    for (Py_ssize_t t = 0; t < trees; t++)
        if (root[t] < 0 || root[t] >= nodes)
            misfit();
    if (columns < 1 || values % columns != 0)
        misfit();
    if (!PyErr_Occurred() && (sum = give_column(&c, values / columns, sizeof *sum)) != NULL) {
        memset(sum, 0, (size_t)(values / columns) * sizeof *sum);
        for (Py_ssize_t t = 0; t < trees; t++)
            for (Py_ssize_t row = 0; row < values / columns; row++) {
                const float *value = evidence + row * columns;
                const node *at = all + root[t];
                while (at->column >= 0) {
                    const float its = value[at->column];
                    at = (its > at->threshold) | ((its != its) & at->unknown) ? all + at->more : at + 1;
                }
                sum[row] += at->threshold;
            }
    }
    return finished(&c);
}

static PyMethodDef methods[] = {
    {"gather", gather, METH_VARARGS, NULL}, {"keys", keys, METH_VARARGS, NULL}, {"sums", sums, METH_VARARGS, NULL},
    {"weigh", weigh, METH_VARARGS, NULL},   {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(places, "What the sample of a site says of the blocks of a page.", methods, prepare_nothing)
