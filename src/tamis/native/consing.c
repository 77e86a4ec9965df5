/* Hash-consing: equal subtrees get one number. tamis.structure.consing
 *
 * Columns are borrowed as buffers and given as bytes. Indices are checked before they are followed.
 */
#include "native.h"

#include <stdlib.h>

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

PyDoc_STRVAR(cons_doc, "cons(label, parent, ordered)\n--\n\nSee consing.pyi.");

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
    result = Py_BuildValue("(NNNNNN)", bytes_of(all.number, n, 4), bytes_of(all.shape_label, shapes, 4),
                           bytes_of(all.start, shapes + 1, 4), bytes_of(all.child, (size_t)all.start[all.shapes], 4),
                           bytes_of(all.size, shapes, 8), bytes_of(all.height, shapes, 4));
done:
    free(memory);
    free(all.slots);
    free(all.size);
    PyBuffer_Release(&label);
    PyBuffer_Release(&parent);
    return result;
}

static PyMethodDef methods[] = {
    {"cons", cons, METH_VARARGS, cons_doc},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(consing, "Equal subtrees numbered.", methods, prepare_nothing)
