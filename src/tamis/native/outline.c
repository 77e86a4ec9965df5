/* What of a page is shown with markup: pieces of text and the elements around them, in one pass. outline.pyi documents the function. */
#include "native.h"

/* Bits of the table of flags by tag code: tamis.document.render.outline._FLAGS. Where an element of the first four kinds begins or ends,
 * something is counted. */
enum { BLOCK = 1, LINE_BREAK = 2, MARK = 4, LINK = 8, COUNTED = 15, PRE = 16, MEANING = 32, STRUCTURE = 64, PIECE = 128 };
enum { ITEM = 256, LIST = 512, HELD = 1024, PASSED = 2048 };
enum { BLOCKS, LINE_BREAKS, MARKS, LINKS, COUNTS };

typedef struct {
    int32_t node, code, one, two, three, borders, breaks;
} row;

/* An open element: its flags, its row (or NULL) and how many elements with structure were before it. */
typedef struct {
    int32_t end, structure;
    unsigned flags;
    row *at;
} level;

typedef struct {
    Py_ssize_t nodes, texts, count, other_count, known;
    const int32_t *tag, *parent, *end, *text_nodes, *length;
    const int64_t *shown, *others;
    const uint16_t *flags;
} page;

static unsigned
flags_of(const page *p, int32_t node)
{
    return p->tag[node] >= 0 && p->tag[node] < p->known ? p->flags[p->tag[node]] : 0;
}

/* The node of a shown text; INT32_MAX after the last. */
static int32_t
node_of(const page *p, Py_ssize_t s)
{
    return s < p->count ? p->text_nodes[p->shown[s]] : INT32_MAX;
}

/* Check what is followed, and find the first and the last place that is not blank. 1: there is one; 0: none; -1: error. */
static int
filled_range(const page *p, int32_t *first, int32_t *last)
{
    *first = INT32_MAX;
    *last = -1;
    for (Py_ssize_t i = 0; i < p->nodes; i++)
        if (p->end[i] <= i || p->end[i] > p->nodes || p->parent[i] >= i || p->parent[i] < -1)
            return misfit();
    for (Py_ssize_t k = 0; k < p->count + p->other_count; k++) {
        int64_t node = k < p->count ? p->shown[k] : p->others[k - p->count];
        if (node < 0 || node >= (k < p->count ? p->texts : p->nodes))
            return misfit();
        if (k < p->count && ((node = p->text_nodes[node]) < 0 || node >= p->nodes))
            return misfit();
        if (k >= p->count || p->length[node] > 0) {
            *first = node < *first ? (int32_t)node : *first;
            *last = node > *last ? (int32_t)node : *last;
        }
    }
    return *last >= 0;
}

/* The innermost element that holds a range of nodes, or an ancestor that gives it its meaning. A list with one shown item of several
 * paragraphs is boxes, not points, and is left out. */
static int32_t
top_of(const page *p, int32_t first, int32_t last)
{
    int several = 0;
    int32_t top = p->parent[first] < 0 ? 0 : p->parent[first];
    while (top > 0 && (p->end[top] <= last || flags_of(p, top) & PIECE))
        top = p->parent[top] < 0 ? 0 : p->parent[top];
    for (int32_t above = p->parent[top]; above >= 0; above = p->parent[above])
        top = flags_of(p, above) & PRE ? above : top;
    for (int32_t i = first + 1; i <= last && !several; i++)
        several = (flags_of(p, i) & (BLOCK | LIST | ITEM)) == BLOCK;
    for (int32_t node = top; !(several && flags_of(p, node) & ITEM) && p->parent[node] >= 0; node = p->parent[node]) {
        unsigned above = flags_of(p, p->parent[node]);
        if ((above & (BLOCK | HELD | PASSED)) == BLOCK || (above & ITEM && flags_of(p, node) & LIST))
            break;
        top = above & PASSED ? top : p->parent[node];
    }
    return top;
}

static void
cross(int32_t *counts, unsigned flags)
{
    for (int k = 0; k < COUNTS; k++)
        counts[k] += flags >> k & 1;
}

/* Write the rows; how many there are. There is room for one for every node and a level for each, too. */
static Py_ssize_t
read_rows(const page *p, int32_t top, row *rows, level *open)
{
    int32_t counts[COUNTS] = {0}, structure = 0, pre = 0, marked = 0;
    Py_ssize_t s = 0, filled = 0, o = 0;
    row *next = rows, *before = NULL; /* before: a text that the next one may join */
    level *inner = open;
    for (int32_t i = top; i <= p->end[top]; i++) {
        for (; inner > open && inner[-1].end <= i; inner--) {
            cross(counts, inner[-1].flags);
            if (inner[-1].at)
                inner[-1].at->two = structure - inner[-1].structure;
        }
        if (i == p->end[top])
            break;
        while (node_of(p, s) < i)
            s++;
        for (filled = filled < s ? s : filled; filled < p->count && p->length[node_of(p, filled)] == 0;)
            filled++;
        while (o < p->other_count && p->others[o] < i)
            o++;
        unsigned flags = flags_of(p, i);
        int32_t end = p->end[i], text = node_of(p, s), other = o < p->other_count ? (int32_t)p->others[o] : INT32_MAX;
        cross(counts, flags);
        pre = flags & PRE && end > pre ? end : pre;
        row here = {i, p->tag[i], 0, 0, 0, counts[BLOCKS], counts[LINE_BREAKS]};
        level opened = {end, structure, flags, NULL};
        structure += flags & STRUCTURE && (node_of(p, filled) < end || other < end);
        if (text == i) {
            int32_t mark = counts[i < pre ? LINKS : MARKS]; /* of marks in preformatted text only links show */
            here.one = (int32_t)s;
            here.two = (int32_t)s + 1;
            here.three = p->length[i] == 0;
            if (before && before->borders == here.borders && before->breaks == here.breaks && marked == mark) {
                before->two++;
                before->three &= here.three;
                continue;
            }
            before = next;
            marked = mark;
            *next++ = here;
        }
        else if (other == i) {
            before = NULL;
            *next++ = here;
        }
        else if (!(flags & PIECE) && (text < end || other < end)) {
            opened.at = next;
            *next++ = (row){i, p->tag[i], end, 0, (flags & MEANING) != 0, -1, -1};
        }
        if (opened.at || flags & COUNTED)
            *inner++ = opened;
    }
    return next - rows;
}

static PyObject *
outline(PyObject *module, PyObject *args)
{
    PyObject *result = NULL;
    int32_t first, last;
    int found = -1;
    page p = {.nodes = -1, .texts = -1, .count = -1, .other_count = -1, .known = -1};
    columns given = {.count = 0};
    if (arguments(&given, args, "44444882", &p.tag, &p.nodes, &p.parent, &p.nodes, &p.end, &p.nodes, &p.length, &p.nodes, &p.text_nodes,
                  &p.texts, &p.shown, &p.count, &p.others, &p.other_count, &p.flags, &p.known) == 0)
        found = filled_range(&p, &first, &last);
    if (found == 0)
        result = Py_NewRef(Py_None);
    else if (found > 0) {
        row *rows = PyMem_Malloc((size_t)p.nodes * sizeof *rows);
        level *open = PyMem_Malloc((size_t)p.nodes * sizeof *open);
        if (rows == NULL || open == NULL)
            no_memory();
        else
            result = bytes_of(rows, (size_t)read_rows(&p, top_of(&p, first, last), rows, open), sizeof *rows);
        PyMem_Free(rows);
        PyMem_Free(open);
    }
    release(&given);
    return result;
}

static PyMethodDef methods[] = {{"outline", outline, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

NATIVE_MODULE(outline, "What of a page is shown with markup.", methods, prepare_nothing)
