/* Equal subtrees numbered and free matching of them, compiled: what tamis.structure.shapes does with a dictionary and
 * tamis.structure.free_matching with NumPy, node by node and pair by pair in C.
 *
 * Every function takes columns as buffers and gives columns as bytes. Indices are checked before they are followed.
 */
#include "native.h"

#include <stdlib.h>

static PyObject *
as_bytes(const void *data, size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)(count * size));
}

/* ---- equal subtrees --------------------------------------------------------------------------------------------------- */

typedef struct {
    int32_t nodes;
    const int32_t *label, *parent;
    int ordered;
    int32_t *first_child, *next;    /* of each node */
    int32_t *number;                /* of each node */
    int32_t *children;              /* numbers of the children of the node at hand */
    int32_t *shape_label, *start;   /* of each shape; start has one more */
    int32_t *child;                 /* children of all shapes, one after the other */
    int64_t *size;                  /* of each shape */
    int32_t *height;
    int32_t shapes;
    int32_t *slots;                 /* shape + 1 by hash; 0 is free */
    uint32_t mask;
} consing;

static int
by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void
sort_numbers(int32_t *numbers, int32_t count)
{
    if (count > 16) {
        qsort(numbers, (size_t)count, sizeof *numbers, by_number);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        int32_t value = numbers[i], j = i;
        for (; j > 0 && numbers[j - 1] > value; j--)
            numbers[j] = numbers[j - 1];
        numbers[j] = value;
    }
}

/* The shape of a label with these children: the one there is, or a new one. */
static int32_t
shape_of(consing *all, int32_t label, int32_t count)
{
    uint64_t hash = mix((uint64_t)(uint32_t)label + UINT64_C(0x9E3779B97F4A7C15));
    for (int32_t i = 0; i < count; i++)
        hash = mix(hash + (uint64_t)(uint32_t)all->children[i] + UINT64_C(0x9E3779B97F4A7C15));
    uint32_t slot = (uint32_t)hash & all->mask;
    for (; all->slots[slot] != 0; slot = (slot + 1) & all->mask) {
        int32_t found = all->slots[slot] - 1;
        if (all->shape_label[found] == label && all->start[found + 1] - all->start[found] == count
            && memcmp(all->child + all->start[found], all->children, (size_t)count * sizeof(int32_t)) == 0)
            return found;
    }
    int32_t made = all->shapes++;
    all->slots[slot] = made + 1;
    all->shape_label[made] = label;
    memcpy(all->child + all->start[made], all->children, (size_t)count * sizeof(int32_t));
    all->start[made + 1] = all->start[made] + count;
    all->size[made] = 1;
    all->height[made] = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t below = all->children[i];
        all->size[made] += all->size[below];
        if (all->height[below] >= all->height[made])
            all->height[made] = all->height[below] + 1;
    }
    return made;
}

/* From the last node to the first, so children come before parents, and lists of children end up in order. */
static void
number_nodes(consing *all)
{
    for (int32_t node = all->nodes - 1; node >= 0; node--) {
        int32_t count = 0;
        for (int32_t below = all->first_child[node]; below >= 0; below = all->next[below])
            all->children[count++] = all->number[below];
        if (!all->ordered)
            sort_numbers(all->children, count);
        all->number[node] = shape_of(all, all->label[node], count);
        int32_t above = all->parent[node];
        if (above >= 0) {
            all->next[node] = all->first_child[above];
            all->first_child[above] = node;
        }
    }
}

PyDoc_STRVAR(cons_doc, "cons(label, parent, ordered)\n--\n\nSee matching.pyi.");

static PyObject *
cons(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer label, parent;
    int ordered;
    if (!PyArg_ParseTuple(args, "y*y*p", &label, &parent, &ordered))
        return NULL;
    consing all = {.ordered = ordered, .label = label.buf, .parent = parent.buf};
    PyObject *result = NULL;
    int32_t *memory = NULL;
    if (label.len != parent.len || label.len % (Py_ssize_t)sizeof(int32_t) != 0 || label.len / 4 >= INT32_MAX / 8) {
        misfit();
        goto done;
    }
    all.nodes = (int32_t)(label.len / (Py_ssize_t)sizeof(int32_t));
    for (int32_t node = 0; node < all.nodes; node++)
        if (all.parent[node] >= node) {
            misfit();
            goto done;
        }
    uint32_t size = 16;
    while (size < 2 * (uint32_t)all.nodes)
        size *= 2;
    size_t n = (size_t)all.nodes;
    memory = malloc((8 * n + 1) * sizeof(int32_t));
    all.size = malloc((n + 1) * sizeof(int64_t));
    all.slots = calloc(size, sizeof(int32_t));
    if (memory == NULL || all.slots == NULL || all.size == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    all.mask = size - 1;
    all.first_child = memory;
    all.next = memory + n;
    all.number = memory + 2 * n;
    all.children = memory + 3 * n;
    all.shape_label = memory + 4 * n;
    all.child = memory + 5 * n;
    all.height = memory + 6 * n;
    all.start = memory + 7 * n;
    all.start[0] = 0;
    memset(all.first_child, 0xff, n * sizeof(int32_t));
    number_nodes(&all);
    size_t shapes = (size_t)all.shapes;
    result = Py_BuildValue("(NNNNNN)", as_bytes(all.number, n, 4), as_bytes(all.shape_label, shapes, 4),
                           as_bytes(all.start, shapes + 1, 4), as_bytes(all.child, (size_t)all.start[all.shapes], 4),
                           as_bytes(all.size, shapes, 8), as_bytes(all.height, shapes, 4));
done:
    free(memory);
    free(all.slots);
    free(all.size);
    PyBuffer_Release(&label);
    PyBuffer_Release(&parent);
    return result;
}

/* ---- free matching ---------------------------------------------------------------------------------------------------- */

enum { UNSEEN = -1, OPENED = -2 };
#define EQUAL 2.0 /* best of a child whose equal is on the other side */

typedef struct {
    int64_t key; /* lower shape by number of shapes, plus the higher */
    double value; /* below 0: UNSEEN, or OPENED and not known yet */
} pair;

typedef struct {
    int32_t shapes;
    const int32_t *label, *height, *child, *count;
    const int64_t *size, *first;
    pair *pairs;
    int64_t met, room_for; /* pairs there are, and room for */
    int32_t *slots;        /* pair + 1 by hash of its key */
    uint64_t mask;
    int32_t *waiting;
    int64_t depth, waiting_room;
    int64_t meetings, most;
    double *best; /* of the second side's children */
    int64_t best_room;
} matching;

/* The value of a pair that needs no look at children; below 0 where it does. */
static double
plain_value(const matching *all, int32_t a, int32_t b)
{
    if (a < 0 || b < 0 || all->label[a] != all->label[b])
        return 0.0;
    if (a == b)
        return 1.0;
    if (all->height[a] == 0 || all->height[b] == 0)
        return 2.0 / (double)(all->size[a] + all->size[b]);
    return UNSEEN;
}

static int
grow(matching *all)
{
    int64_t room = all->room_for ? 2 * all->room_for : 1024;
    if (room > INT32_MAX / 4) {
        PyErr_NoMemory();
        return -1;
    }
    pair *pairs = realloc(all->pairs, (size_t)room * sizeof *pairs);
    if (pairs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    all->pairs = pairs;
    int32_t *slots = calloc((size_t)(4 * room), sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    free(all->slots);
    all->slots = slots;
    all->mask = (uint64_t)(4 * room) - 1;
    all->room_for = room;
    for (int64_t k = 0; k < all->met; k++) {
        uint64_t slot = mix((uint64_t)pairs[k].key + 1) & all->mask;
        while (slots[slot] != 0)
            slot = (slot + 1) & all->mask;
        slots[slot] = (int32_t)k + 1;
    }
    return 0;
}

/* The place of a pair among those met, made where it is new; -1: error. */
static int32_t
place_of(matching *all, int32_t a, int32_t b)
{
    int64_t key = a < b ? (int64_t)a * all->shapes + b : (int64_t)b * all->shapes + a;
    if (all->met >= all->room_for && grow(all) < 0)
        return -1;
    uint64_t slot = mix((uint64_t)key + 1) & all->mask;
    for (; all->slots[slot] != 0; slot = (slot + 1) & all->mask)
        if (all->pairs[all->slots[slot] - 1].key == key)
            return all->slots[slot] - 1;
    all->slots[slot] = (int32_t)++all->met;
    all->pairs[all->met - 1] = (pair){key, UNSEEN};
    return (int32_t)all->met - 1;
}

static int
wait_for(matching *all, int32_t place)
{
    if (all->depth >= all->waiting_room) {
        int64_t room = all->waiting_room ? 2 * all->waiting_room : 1024;
        int32_t *waiting = realloc(all->waiting, (size_t)room * sizeof *waiting);
        if (waiting == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        all->waiting = waiting;
        all->waiting_room = room;
    }
    all->waiting[all->depth++] = place;
    return 0;
}

/* Let the children of a pair meet, label by label. 0: its value is known now; 1: others must be known before; -1: error. */
static int
open_pair(matching *all, int32_t place)
{
    int32_t a = (int32_t)(all->pairs[place].key / all->shapes), b = (int32_t)(all->pairs[place].key % all->shapes);
    const int32_t *child = all->child;
    int64_t i = all->first[a], end_a = all->first[a + 1], start_b = all->first[b], end_b = all->first[b + 1], j = start_b;
    int64_t depth = all->depth;
    int again = all->pairs[place].value == OPENED;
    double total = 2.0;
    if (all->best == NULL || end_b - start_b > all->best_room) {
        double *best = realloc(all->best, (size_t)(end_b - start_b + 1) * sizeof *best);
        if (best == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        all->best = best;
        all->best_room = end_b - start_b;
    }
    memset(all->best, 0, (size_t)(end_b - start_b) * sizeof(double));
    while (i < end_a && j < end_b) {
        int32_t label = all->label[child[i]];
        if (label != all->label[child[j]]) {
            if (label < all->label[child[j]])
                i++;
            else
                j++;
            continue;
        }
        int64_t to_a = i, to_b = j;
        while (to_a < end_a && all->label[child[to_a]] == label)
            to_a++;
        while (to_b < end_b && all->label[child[to_b]] == label)
            to_b++;
        for (int64_t x = j, y = i; x < to_b && y < to_a;) { /* equal children have found their best */
            if (child[x] == child[y])
                all->best[x++ - start_b] = EQUAL;
            else if (child[x] < child[y])
                x++;
            else
                y++;
        }
        int64_t equal = j;
        for (; i < to_a; i++) {
            double best = 0.0;
            while (equal < to_b && child[equal] < child[i])
                equal++;
            int same = equal < to_b && child[equal] == child[i];
            if (same)
                best = 1.0;
            for (int64_t x = j; x < to_b; x++) {
                if (same && all->best[x - start_b] == EQUAL)
                    continue;
                if (!again && ++all->meetings > all->most)
                    return 0;
                double value = plain_value(all, child[i], child[x]);
                if (value < 0) {
                    int32_t other = place_of(all, child[i], child[x]);
                    if (other < 0)
                        return -1;
                    value = all->pairs[other].value;
                    if (value < 0 && wait_for(all, other) < 0)
                        return -1;
                }
                if (value > best)
                    best = value;
                if (value > all->best[x - start_b])
                    all->best[x - start_b] = value;
            }
            total += (double)(all->size[child[i]] * all->count[i]) * best;
        }
        j = to_b;
    }
    if (all->depth > depth) {
        all->pairs[place].value = OPENED;
        return 1;
    }
    for (int64_t x = start_b; x < end_b; x++) {
        double best = all->best[x - start_b];
        total += (double)(all->size[child[x]] * all->count[x]) * (best == EQUAL ? 1.0 : best);
    }
    all->pairs[place].value = total / (double)(all->size[a] + all->size[b]);
    return 0;
}

/* The value of every pair that waits, those below it first. */
static int
settle(matching *all)
{
    while (all->depth > 0 && all->meetings <= all->most) {
        int32_t place = all->waiting[all->depth - 1];
        if (all->pairs[place].value >= 0) {
            all->depth--;
            continue;
        }
        int state = open_pair(all, place);
        if (state < 0 || PyErr_CheckSignals() < 0)
            return -1;
        if (state == 0)
            all->depth--;
    }
    return 0;
}

/* Whether the columns are those of shapes: children there are, and lower than what they are in, so that nothing is in itself. */
static int
are_shapes(const matching *all, int64_t entries)
{
    for (int32_t shape = 0; shape < all->shapes; shape++) {
        if (all->first[shape] < 0 || all->first[shape + 1] < all->first[shape] || all->first[shape + 1] > entries)
            return 0;
        for (int64_t k = all->first[shape]; k < all->first[shape + 1]; k++)
            if (all->child[k] < 0 || all->child[k] >= all->shapes || all->height[all->child[k]] >= all->height[shape])
                return 0;
    }
    return 1;
}

/* Values of the pairs asked for; NULL: error. */
static PyObject *
values_of(matching *all, const int64_t *a, const int64_t *b, int64_t wanted)
{
    PyObject *values = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(wanted * (int64_t)sizeof(double)));
    if (values == NULL)
        return NULL;
    double *value = (double *)PyBytes_AS_STRING(values);
    for (int64_t k = 0; k < wanted && all->meetings <= all->most; k++) {
        if (a[k] >= all->shapes || b[k] >= all->shapes) {
            misfit();
            Py_DECREF(values);
            return NULL;
        }
        value[k] = plain_value(all, (int32_t)a[k], (int32_t)b[k]);
        if (value[k] >= 0)
            continue;
        int32_t place = place_of(all, (int32_t)a[k], (int32_t)b[k]);
        if (place < 0 || wait_for(all, place) < 0 || settle(all) < 0) {
            Py_DECREF(values);
            return NULL;
        }
        value[k] = all->pairs[place].value;
    }
    return values;
}

/* Keys and values of all pairs that were opened. */
static PyObject *
opened(const matching *all, PyObject *values)
{
    size_t met = (size_t)all->met;
    PyObject *keys = as_bytes(NULL, met, sizeof(int64_t)), *known = as_bytes(NULL, met, sizeof(double));
    if (keys != NULL && known != NULL)
        for (size_t k = 0; k < met; k++) {
            memcpy(PyBytes_AS_STRING(keys) + k * sizeof(int64_t), &all->pairs[k].key, sizeof(int64_t));
            memcpy(PyBytes_AS_STRING(known) + k * sizeof(double), &all->pairs[k].value, sizeof(double));
        }
    return Py_BuildValue("(NNN)", values, keys, known);
}

PyDoc_STRVAR(free_doc, "free(label, size, height, first, child, count, a, b, most)\n--\n\nSee matching.pyi.");

enum { LABEL, SIZE, HEIGHT, FIRST, CHILD, COUNT, A, B, COLUMNS };

static PyObject *
free_matching(PyObject *module, PyObject *args)
{
    (void)module;
    static const Py_ssize_t width[COLUMNS] = {4, 8, 4, 8, 4, 4, 8, 8};
    Py_buffer view[COLUMNS];
    long long most;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*L", &view[LABEL], &view[SIZE], &view[HEIGHT], &view[FIRST], &view[CHILD],
                          &view[COUNT], &view[A], &view[B], &most))
        return NULL;
    int64_t length[COLUMNS];
    int fits = 1;
    for (int k = 0; k < COLUMNS; k++) {
        fits = fits && view[k].len % width[k] == 0;
        length[k] = view[k].len / width[k];
    }
    fits = fits && length[LABEL] < INT32_MAX && length[SIZE] == length[LABEL] && length[HEIGHT] == length[LABEL]
           && length[FIRST] == length[LABEL] + 1 && length[COUNT] == length[CHILD] && length[A] == length[B];
    matching all = {.label = view[LABEL].buf, .size = view[SIZE].buf, .height = view[HEIGHT].buf, .first = view[FIRST].buf,
                    .child = view[CHILD].buf, .count = view[COUNT].buf, .shapes = (int32_t)length[LABEL], .most = most};
    PyObject *result = NULL;
    if (!fits || !are_shapes(&all, length[CHILD]))
        misfit();
    else {
        PyObject *values = values_of(&all, view[A].buf, view[B].buf, length[A]);
        if (values != NULL && all.meetings > all.most) {
            Py_DECREF(values);
            result = Py_NewRef(Py_None);
        } else if (values != NULL)
            result = opened(&all, values);
    }
    free(all.pairs);
    free(all.slots);
    free(all.waiting);
    free(all.best);
    for (int k = 0; k < COLUMNS; k++)
        PyBuffer_Release(&view[k]);
    return result;
}

static PyMethodDef functions[] = {
    {"cons", cons, METH_VARARGS, cons_doc},
    {"free", free_matching, METH_VARARGS, free_doc},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(matching, "Equal subtrees numbered, and free matching of them.", functions, prepare_nothing)
