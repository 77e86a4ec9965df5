/* Which rows can be the same as a text, from sorted postings, without reading the postings that most rows have.
 *
 * A posting is a feature in the upper 32 bits and a row in the lower ones. Of a text, the features that few rows have are looked up
 * first; as long as a row that was not met can still have enough of the text, rows are taken in; after that only those taken in are
 * counted on, by reading the postings or by looking for each row in them, whichever is less.
 */
#include "native.h"

#include <stdlib.h>

/* ---- arguments ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const uint64_t *value; /* 64-bit numbers; or 32-bit ones, which `about` knows */
    size_t count;
} numbers;

typedef struct {
    Py_buffer *view;
    numbers *numbers;
    size_t count;
} number_lists;

static void
number_lists_free(number_lists *c)
{
    for (size_t i = 0; i < c->count; i++)
        PyBuffer_Release(&c->view[i]);
    free(c->view);
    free(c->numbers);
}

/* Buffers of a list, of numbers of a width. */
static int
number_lists_of(PyObject *list, size_t width, number_lists *c)
{
    Py_ssize_t size = PyList_Size(list);
    if (size < 0)
        return -1;
    size_t count = (size_t)size;
    c->view = calloc(count + 1, sizeof *c->view);
    c->numbers = calloc(count + 1, sizeof *c->numbers);
    if (c->view == NULL || c->numbers == NULL)
        return no_memory();
    for (; c->count < count; c->count++) {
        Py_buffer *view = &c->view[c->count];
        if (PyObject_GetBuffer(PyList_GET_ITEM(list, (Py_ssize_t)c->count), view, PyBUF_SIMPLE) < 0)
            return -1;
        c->numbers[c->count] = (numbers){view->buf, (size_t)view->len / width};
    }
    return 0;
}

/* A row of tamis.duplicates.candidates.Batch.texts. */
typedef struct {
    int64_t first, length, passages, demanded, needed, letters;
} text;

typedef struct {
    const uint32_t *feature;
    const int64_t *order;
    const text *texts;
    Py_ssize_t features, count;
} asked;

static size_t
last_feature(const asked *a, size_t number)
{
    return (size_t)(number + 1 < (size_t)a->count ? a->texts[number + 1].first : a->features);
}

/* ---- postings ------------------------------------------------------------------------------------------------------- */

/* The first place from one on with a value of key or more, where it is expected to be about a step away. */
static size_t
next_from(const numbers *c, size_t from, size_t step, uint64_t key)
{
    if (from >= c->count || c->value[from] >= key)
        return from;
    while (from + step < c->count && c->value[from + step] < key) {
        from += step;
        step *= 2;
    }
    return first_from(c->value, from + 1, from + step < c->count ? from + step : c->count, key);
}

/* Places of the features in each segment. */
typedef struct {
    const number_lists *segments;
    size_t *start;   /* by feature, then segment */
    uint32_t *count; /* the same */
    uint64_t *total; /* by feature */
} ranges;

static void
ranges_free(ranges *r)
{
    free(r->start);
    free(r->count);
    free(r->total);
}

static int
look_up(const asked *a, const number_lists *segments, ranges *r)
{
    size_t width = segments->count, features = (size_t)a->features;
    r->segments = segments;
    r->start = malloc((features * width + 1) * sizeof *r->start);
    r->count = malloc((features * width + 1) * sizeof *r->count);
    r->total = calloc(features + 1, sizeof *r->total);
    if (r->start == NULL || r->count == NULL || r->total == NULL)
        return -1;
    for (size_t s = 0; s < width; s++) {
        const numbers *c = &segments->numbers[s];
        size_t step = c->count / (features + 1) + 1, start = 0, end = 0;
        for (size_t i = 0; i < features; i++) {
            size_t place = (size_t)a->order[i];
            uint64_t key = (uint64_t)a->feature[place] << 32;
            if (i == 0 || a->feature[place] != a->feature[a->order[i - 1]]) {
                start = next_from(c, end, step, key);
                end = next_from(c, start, 1, key + ((uint64_t)1 << 32));
            }
            r->start[place * width + s] = start;
            r->count[place * width + s] = (uint32_t)(end - start);
            r->total[place] += end - start;
        }
    }
    return 0;
}

/* The postings of a feature in a segment. */
static numbers
postings(const ranges *r, size_t feature, size_t segment)
{
    size_t place = feature * r->segments->count + segment;
    return (numbers){r->segments->numbers[segment].value + r->start[place], r->count[place]};
}

/* Whether a row has a feature. */
static int
has(const ranges *r, size_t feature, uint32_t row)
{
    for (size_t s = 0; s < r->segments->count; s++) {
        numbers c = postings(r, feature, s);
        if (c.count == 0 || (uint32_t)c.value[0] > row || (uint32_t)c.value[c.count - 1] < row)
            continue; /* segments hold ranges of rows */
        uint64_t wanted = (c.value[0] & ~(uint64_t)UINT32_MAX) | row;
        size_t place = first_from(c.value, 0, c.count, wanted);
        return place < c.count && c.value[place] == wanted;
    }
    return 0;
}

/* What is known of a row, from 32-bit parts that follow each other. */
static uint32_t
about(const number_lists *parts, uint32_t row)
{
    size_t left = row;
    for (size_t i = 0; i < parts->count; i++) {
        if (left < parts->numbers[i].count)
            return ((const uint32_t *)parts->numbers[i].value)[left];
        left -= parts->numbers[i].count;
    }
    return 0;
}

/* ---- rows that were met --------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t row;
    uint32_t strength; /* features in common (the text is the shorter one: of passages that were found) */
    uint32_t found;    /* the text is the shorter one: passages; the longer one: features that have to be in common */
    uint32_t passage;  /* that the hits are of, plus one */
    uint32_t hits;
    uint32_t active; /* not of this row: the place of the entry with this number among the active ones, which can still have enough */
} entry;

typedef struct {
    uint32_t *slot; /* a place among the entries, plus one */
    size_t mask;
    entry *entries;
    size_t count, room, active_count;
} table;

static size_t
table_place(const table *t, uint32_t row)
{
    size_t place = (size_t)(((uint64_t)row * 0x9E3779B97F4A7C15u) >> 32) & t->mask;
    while (t->slot[place] != 0 && t->entries[t->slot[place] - 1].row != row)
        place = (place + 1) & t->mask;
    return place;
}

static void
table_clear(table *t)
{
    if (t->count > t->mask / 8)
        memset(t->slot, 0, (t->mask + 1) * sizeof *t->slot);
    else
        while (t->count > 0) /* the last first: each is found where it was put */
            t->slot[table_place(t, t->entries[--t->count].row)] = 0;
    t->count = t->active_count = 0;
}

static int
table_grow(table *t)
{
    size_t room = t->room == 0 ? 1024 : 2 * t->room;
    entry *entries = realloc(t->entries, room * sizeof *entries);
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    t->entries = entries != NULL ? entries : t->entries;
    if (entries == NULL || slot == NULL) {
        free(slot);
        return -1;
    }
    free(t->slot);
    t->slot = slot;
    t->mask = 2 * room - 1;
    t->room = room;
    for (size_t i = 0; i < t->count; i++)
        t->slot[table_place(t, t->entries[i].row)] = (uint32_t)i + 1;
    return 0;
}

static entry *
table_get(const table *t, uint32_t row)
{
    size_t place = table_place(t, row);
    return t->slot[place] == 0 ? NULL : &t->entries[t->slot[place] - 1];
}

static entry *
table_add(table *t, uint32_t row, uint32_t found)
{
    if (t->count == t->room && table_grow(t) < 0)
        return NULL;
    t->entries[t->count] = (entry){.row = row, .found = found};
    t->slot[table_place(t, row)] = (uint32_t)t->count + 1;
    return &t->entries[t->count++];
}

static void
all_active(table *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->entries[i].active = (uint32_t)i;
    t->active_count = t->count;
}

static entry *
active(const table *t, size_t number)
{
    return &t->entries[t->entries[number].active];
}

/* ---- what is found -------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t text, row, strength;
} pair;

typedef struct {
    pair *pair;
    size_t count, room;
} pairs;

static int
by_row(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static int
by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The active entries of a table with enough, in the order of the rows; needed: 0 where each entry says how much that is. */
static int
pairs_add(pairs *p, const table *t, size_t number, uint32_t needed)
{
    size_t first = p->count;
    if (p->count + t->active_count > p->room) {
        size_t room = 2 * (p->count + t->active_count);
        pair *larger = realloc(p->pair, room * sizeof *larger);
        if (larger == NULL)
            return -1;
        p->pair = larger;
        p->room = room;
    }
    for (size_t i = 0; i < t->active_count; i++) {
        const entry *e = active(t, i);
        if (needed ? e->found >= needed : e->strength >= e->found)
            p->pair[p->count++] = (pair){(uint32_t)number, e->row, e->strength};
    }
    if (p->count > first)
        qsort(p->pair + first, p->count - first, sizeof *p->pair, by_row);
    return 0;
}

/* ---- the rarest first ----------------------------------------------------------------------------------------------- */

#define PROBE 24 /* searching a row in postings costs as much as reading this many of them */

typedef struct {
    uint64_t cost;
    size_t first, count;
} passage;

typedef struct {
    uint64_t *feature; /* how many rows have it (as many as fit), and its place in the text; sorted within a passage */
    passage *passages;
} ranking;

static int
by_cost(const void *a, const void *b)
{
    const passage *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost) : (x->first > y->first) - (x->first < y->first);
}

/* Sort some features of a text, given by their places in it. */
static void
rank_features(const ranges *r, size_t text_first, size_t first, size_t count, ranking *out)
{
    for (size_t place = first; place < first + count; place++) {
        uint64_t total = r->total[text_first + place];
        out->feature[place] = (total < UINT32_MAX ? total : UINT32_MAX) << 32 | place;
    }
    qsort(out->feature + first, count, sizeof *out->feature, by_number);
}

static void
rank_passages(const asked *a, const ranges *r, size_t number, ranking *out)
{
    const text *x = &a->texts[number];
    size_t features = last_feature(a, number) - (size_t)x->first, passages = (size_t)x->passages;
    for (size_t k = 0; k < passages; k++) {
        passage *p = &out->passages[k];
        p->first = k * (size_t)x->length;
        p->count = (k + 1 < passages ? p->first + (size_t)x->length : features) - p->first;
        p->cost = 0;
        rank_features(r, (size_t)x->first, p->first, p->count, out);
        for (size_t i = 0; i + (size_t)x->demanded - 1 < p->count; i++)
            p->cost += out->feature[p->first + i] >> 32;
    }
    qsort(out->passages, passages, sizeof *out->passages, by_cost);
}

/* ---- the text as the shorter one ------------------------------------------------------------------------------------ */

/* What is counted: a feature of the passage of a rank; demanded: how many of them make a passage found. */
typedef struct {
    size_t feature;
    uint32_t rank, demanded;
    uint64_t letters;
} counted;

static inline void
hit(entry *e, const counted *c)
{
    if (e->passage != c->rank + 1) {
        e->passage = c->rank + 1;
        e->hits = 0;
    }
    e->hits++;
    if (e->hits == c->demanded) {
        e->found++;
        e->strength += c->demanded;
    }
    else if (e->hits > c->demanded)
        e->strength++;
}

/* Count all rows with a feature, and take in those that are not too short. */
static int
take_in(table *t, const ranges *r, const number_lists *size, const counted *what)
{
    for (size_t s = 0; s < r->segments->count; s++) {
        numbers c = postings(r, what->feature, s);
        for (size_t i = 0; i < c.count; i++) {
            uint32_t row = (uint32_t)c.value[i];
            entry *e = table_get(t, row);
            if (e == NULL) {
                if (about(size, row) < what->letters)
                    continue;
                if ((e = table_add(t, row, 0)) == NULL)
                    return -1;
            }
            hit(e, what);
        }
    }
    return 0;
}

/* Count the active rows with a feature; others may be counted or not. */
static void
count_on(const table *t, const ranges *r, const counted *what)
{
    if (r->total[what->feature] > PROBE * (uint64_t)t->active_count) {
        for (size_t i = 0; i < t->active_count; i++)
            if (has(r, what->feature, active(t, i)->row))
                hit(active(t, i), what);
        return;
    }
    for (size_t s = 0; s < r->segments->count; s++) {
        numbers c = postings(r, what->feature, s);
        for (size_t i = 0; i < c.count; i++) {
            entry *e = table_get(t, (uint32_t)c.value[i]);
            if (e != NULL)
                hit(e, what);
        }
    }
}

static int
shorter(const asked *a, const ranges *r, const number_lists *size, size_t number, ranking *ranked, table *t, pairs *found)
{
    const text *x = &a->texts[number];
    size_t passages = (size_t)x->passages, spare = passages - (size_t)x->needed;
    table_clear(t);
    rank_passages(a, r, number, ranked);
    for (size_t rank = 0; rank < passages; rank++) {
        const passage *p = &ranked->passages[rank];
        counted what = {0, (uint32_t)rank, (uint32_t)x->demanded, (uint64_t)x->letters};
        size_t taken_in = rank <= spare ? p->count - (size_t)(x->demanded - 1) : 0, kept = 0;
        for (size_t i = 0; i < taken_in; i++) {
            what.feature = (size_t)x->first + (uint32_t)ranked->feature[p->first + i];
            if (take_in(t, r, size, &what) < 0)
                return -1;
        }
        if (rank <= spare)
            all_active(t);
        else { /* without those that cannot have enough any more */
            for (size_t i = 0; i < t->active_count; i++)
                if (active(t, i)->found + (passages - rank) >= (size_t)x->needed)
                    t->entries[kept++].active = t->entries[i].active;
            t->active_count = kept;
        }
        for (size_t i = taken_in; i < p->count && t->active_count; i++) {
            what.feature = (size_t)x->first + (uint32_t)ranked->feature[p->first + i];
            count_on(t, r, &what);
        }
    }
    return pairs_add(found, t, number, (uint32_t)x->needed);
}

/* ---- the text as the longer one ------------------------------------------------------------------------------------- */

/* Take in the shorter rows that have a feature in a rare passage. */
static int
take_in_shorter(table *t, const ranges *rarest, const number_lists *size, const number_lists *demand, size_t feature, uint64_t letters)
{
    for (size_t s = 0; s < rarest->segments->count; s++) {
        numbers c = postings(rarest, feature, s);
        for (size_t i = 0; i < c.count; i++) {
            uint32_t row = (uint32_t)c.value[i];
            if (table_get(t, row) == NULL && about(size, row) < letters && table_add(t, row, about(demand, row)) == NULL)
                return -1;
        }
    }
    return 0;
}

static int
longer(const asked *a, const ranges *every, const ranges *rarest, const number_lists *size, const number_lists *demand, size_t number, ranking *ranked,
       table *t, pairs *found)
{
    const text *x = &a->texts[number];
    size_t first = (size_t)x->first, features = last_feature(a, number) - first;
    counted what = {0}; /* every feature adds to the strength */
    table_clear(t);
    for (size_t i = 0; i < features; i++)
        if (take_in_shorter(t, rarest, size, demand, first + i, (uint64_t)x->letters) < 0)
            return -1;
    all_active(t);
    rank_features(every, first, 0, features, ranked);
    for (size_t i = 0; i < features && t->active_count; i++) {
        size_t kept = 0;
        for (size_t k = 0; k < t->active_count; k++) { /* without those that cannot have enough any more */
            const entry *e = active(t, k);
            if (e->strength + (features - i) >= e->found)
                t->entries[kept++].active = t->entries[k].active;
        }
        t->active_count = kept;
        what.feature = first + (uint32_t)ranked->feature[i];
        count_on(t, every, &what);
    }
    return pairs_add(found, t, number, 0);
}

/* ---- Python --------------------------------------------------------------------------------------------------------- */

/* Text after text, until there are enough pairs; rarest: NULL where the texts are the shorter ones. The first text not done, or -1. */
static Py_ssize_t
search(const asked *a, const number_lists *every, const number_lists *rarest, const number_lists *size, const number_lists *demand, size_t from, size_t most,
       pairs *found)
{
    ranges in_every = {0}, in_rarest = {0};
    table t = {0};
    size_t room = (size_t)a->features + 1, number = from; /* no text has more features, or passages */
    ranking ranked = {malloc(room * sizeof *ranked.feature), malloc(room * sizeof *ranked.passages)};
    int failed = ranked.feature == NULL || ranked.passages == NULL || look_up(a, every, &in_every) < 0 ||
                 (rarest != NULL && look_up(a, rarest, &in_rarest) < 0) || table_grow(&t) < 0;
    for (; !failed && number < (size_t)a->count && found->count < most; number++)
        failed = (rarest == NULL ? shorter(a, &in_every, size, number, &ranked, &t, found)
                                 : longer(a, &in_every, &in_rarest, size, demand, number, &ranked, &t, found)) < 0;
    free(t.slot);
    free(t.entries);
    free(ranked.feature);
    free(ranked.passages);
    ranges_free(&in_every);
    ranges_free(&in_rarest);
    return failed ? -1 : (Py_ssize_t)number;
}

static PyObject *
candidates(PyObject *module, PyObject *args)
{
    PyObject *every_list, *rarest_list, *size_list, *demand_list, *texts;
    Py_ssize_t from, most, done;
    call c = {.columns = 0};
    number_lists every = {0}, rarest = {0}, size = {0}, demand = {0};
    pairs found = {0};
    asked a = {.features = -1, .count = -1};
    if (arguments(&c, args, "LOLL48Onn", &every_list, &rarest_list, &size_list, &demand_list, &a.feature, &a.features, &a.order, &a.features,
                  &texts, &from, &most) == 0 &&
        (a.texts = column(&c, texts, sizeof *a.texts, &a.count)) != NULL && number_lists_of(every_list, sizeof(uint64_t), &every) == 0 &&
        (rarest_list == Py_None || number_lists_of(rarest_list, sizeof(uint64_t), &rarest) == 0) &&
        number_lists_of(size_list, sizeof(uint32_t), &size) == 0 && number_lists_of(demand_list, sizeof(uint32_t), &demand) == 0) {
        Py_BEGIN_ALLOW_THREADS
        done = search(&a, &every, rarest_list == Py_None ? NULL : &rarest, &size, &demand, (size_t)from, (size_t)most, &found);
        Py_END_ALLOW_THREADS
        give(&c, done < 0 ? PyErr_NoMemory() : PyLong_FromSsize_t(done));
        give_copy(&c, found.pair, (Py_ssize_t)found.count, sizeof *found.pair);
    }
    free(found.pair);
    number_lists_free(&every);
    number_lists_free(&rarest);
    number_lists_free(&size);
    number_lists_free(&demand);
    return finished(&c);
}

static PyObject *
counts(PyObject *module, PyObject *args)
{
    PyObject *list;
    call c = {.columns = 0};
    number_lists every = {0};
    ranges r = {0};
    asked a = {.features = -1};
    if (arguments(&c, args, "L48", &list, &a.feature, &a.features, &a.order, &a.features) == 0 &&
        number_lists_of(list, sizeof(uint64_t), &every) == 0) {
        int failed;
        Py_BEGIN_ALLOW_THREADS
        failed = look_up(&a, &every, &r) < 0;
        Py_END_ALLOW_THREADS
        if (!failed || no_memory() == 0)
            give_copy(&c, r.total, a.features, sizeof *r.total);
    }
    ranges_free(&r);
    number_lists_free(&every);
    return finished(&c);
}

static PyMethodDef methods[] = {{"candidates", candidates, METH_VARARGS, NULL}, {"counts", counts, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

NATIVE_MODULE(candidates, "Rows that can be the same as a text.", methods, prepare_nothing)
