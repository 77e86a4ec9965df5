/* What of a page is shown with markup: pieces of text and the elements around them, in one pass. */
#include "native.h"

/* Bits of the table of flags by tag code: tamis.document.render.outline._FLAGS. Elements of the first four kinds are counted where they
 * begin and where they end. */
enum { BLOCK = 1, LINE_BREAK = 2, MARK = 4, LINK = 8, COUNTED = 15, PRE = 16, MEANING = 32, PIECE = 64 };
enum { ITEM = 128, LIST = 256, HELD = 512, PASSED = 1024 };
enum { BLOCKS, LINE_BREAKS, MARKS, LINKS, COUNTS };

typedef struct {
    int32_t node, code, one, two, three, borders, breaks;
} row;

typedef struct {
    int32_t end;
    unsigned flags;
} level;

typedef struct {
    Py_ssize_t nodes, texts, count, other_count, known, first, last;
    const int32_t *tag, *parent, *end, *text_nodes, *length;
    const int64_t *shown, *others;
    const uint32_t *flags;
} page;

static unsigned
flags_of(const page *p, Py_ssize_t node)
{
    return p->tag[node] >= 0 && p->tag[node] < p->known ? p->flags[p->tag[node]] : 0;
}

static Py_ssize_t
parent_of(const page *p, Py_ssize_t node)
{
    return p->parent[node] >= 0 && p->parent[node] < node ? p->parent[node] : -1;
}

/* The node of a shown text; INT32_MAX after the last. */
static int32_t
node_of(const page *p, Py_ssize_t s)
{
    return s < p->count && p->shown[s] >= 0 && p->shown[s] < p->texts ? p->text_nodes[p->shown[s]] : INT32_MAX;
}

/* The innermost element that holds all from `first` to `last`, or an ancestor that gives it its meaning. A list with one shown item of
 * several paragraphs is boxes, not points, and is left out. */
static Py_ssize_t
top_of(const page *p)
{
    int several = 0;
    Py_ssize_t top = parent_of(p, p->first) < 0 ? 0 : parent_of(p, p->first);
    while (top > 0 && (p->end[top] <= p->last || flags_of(p, top) & PIECE))
        top = parent_of(p, top) < 0 ? 0 : parent_of(p, top);
    for (Py_ssize_t above = parent_of(p, top); above >= 0; above = parent_of(p, above))
        top = flags_of(p, above) & PRE ? above : top;
    for (Py_ssize_t i = p->first + 1; i <= p->last && !several; i++)
        several = (flags_of(p, i) & (BLOCK | LIST | ITEM)) == BLOCK;
    for (Py_ssize_t node = top; !(several && flags_of(p, node) & ITEM) && parent_of(p, node) >= 0; node = parent_of(p, node)) {
        unsigned above = flags_of(p, parent_of(p, node));
        if ((above & (BLOCK | HELD | PASSED)) == BLOCK || (above & ITEM && flags_of(p, node) & LIST))
            break;
        top = above & PASSED ? top : parent_of(p, node);
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
read_rows(const page *p, row *next, level *open)
{
    int32_t counts[COUNTS] = {0}, pre = 0, marked = 0;
    Py_ssize_t s = 0, o = 0, top = top_of(p);
    const row *rows = next;
    row *before = NULL; /* a text that the next one may join */
    level *inner = open;
    for (int32_t i = (int32_t)top; i < p->end[top] && i < p->nodes; i++) {
        for (; inner > open && inner[-1].end <= i; inner--)
            cross(counts, inner[-1].flags);
        while (node_of(p, s) < i)
            s++;
        while (o < p->other_count && p->others[o] < i)
            o++;
        unsigned flags = flags_of(p, i);
        int32_t end = p->end[i], text = node_of(p, s), other = o < p->other_count ? (int32_t)p->others[o] : INT32_MAX;
        cross(counts, flags);
        if (flags & COUNTED)
            *inner++ = (level){end, flags};
        pre = flags & PRE && end > pre ? end : pre;
        row here = {i, p->tag[i], 0, 0, 0, counts[BLOCKS], counts[LINE_BREAKS]};
        if (text == i) {
            int32_t mark = counts[i < pre ? LINKS : MARKS]; /* of marks in preformatted text only links show */
            int blank = p->length[i] == 0;
            if (before && before->borders == here.borders && before->breaks == here.breaks && marked == mark) {
                before->two++;
                before->three &= blank;
                continue;
            }
            marked = mark;
            before = next;
            *next++ = (row){i, p->tag[i], (int32_t)s, (int32_t)s + 1, blank, here.borders, here.breaks};
        }
        else if (other == i) {
            before = NULL;
            *next++ = here;
        }
        else if (!(flags & PIECE) && (text < end || other < end))
            *next++ = (row){i, p->tag[i], end, 0, (flags & MEANING) != 0, -1, -1};
    }
    return next - rows;
}

static char is_special[128]; /* ASCII that Markdown may need an escape for, or that is not shown as it is */

/* The pieces that are shown and the elements around them, a row each (struct row); the first one gives all that is shown its meaning.
 *     a piece: its node, its tag, the index among the shown of its first text and after its last (else 0), whether it is blank, how many
 *         blocks begin or end from the top up to it, and the same of br; texts of one line with the same marks are one piece
 *     an element: its node, its tag, its end, 0, whether it has a meaning, and -1 twice
 * Given columns of the tree, positions of shown texts, nodes of shown images, rules and texts that join no other, both int64 and rising, flags,
 * and the first and the last node that is shown and not blank. */
static PyObject *
outline(PyObject *module, PyObject *args)
{
    page p = {.nodes = -1, .texts = -1, .count = -1, .other_count = -1, .known = -1};
    call c = {.columns = 0};
    row *rows;
    level *open;
    if (arguments(&c, args, "44444884nn", &p.tag, &p.nodes, &p.parent, &p.nodes, &p.end, &p.nodes, &p.length, &p.nodes, &p.text_nodes,
                  &p.texts, &p.shown, &p.count, &p.others, &p.other_count, &p.flags, &p.known, &p.first, &p.last) == 0 &&
        ((p.first >= 0 && p.first <= p.last && p.last < p.nodes) || misfit() == 0) && (rows = room(&c, p.nodes, sizeof *rows)) != NULL &&
        (open = room(&c, p.nodes, sizeof *open)) != NULL)
        give_copy(&c, rows, read_rows(&p, rows, open), sizeof *rows);
    return finished(&c);
}

/* A text without spaces around it; None where its white space is to be collapsed, or where it holds a special character. */
static PyObject *
plain(PyObject *module, PyObject *text)
{
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "a text is a str");
    const int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t first = 0, last = PyUnicode_GET_LENGTH(text);
    for (; last > 0 && PyUnicode_READ(kind, data, last - 1) == ' '; last--)
        ;
    for (; first < last && PyUnicode_READ(kind, data, first) == ' '; first++)
        ;
    Py_UCS4 before = 0;
    for (Py_ssize_t i = first; i < last; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        if (character < 128 ? is_special[character] || (character == ' ' && before == ' ') : !Py_UNICODE_ISPRINTABLE(character))
            Py_RETURN_NONE;
        before = character;
    }
    return PyUnicode_Substring(text, first, last);
}

static PyMethodDef methods[] = {{"outline", outline, METH_VARARGS, NULL}, {"plain", plain, METH_O, NULL}, {NULL, NULL, 0, NULL}};

static int
prepare(PyObject *module)
{
    for (int character = 0; character < 128; character++)
        is_special[character] = character < 32 || character == 127 || strchr("\\`*_<&[]~", character) != NULL;
    return 0;
}

NATIVE_MODULE(outline, "What of a page is shown with markup.", methods, prepare)
