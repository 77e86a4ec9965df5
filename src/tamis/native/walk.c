/* The walk over a parsed page: what tamis.page.walk_plain does, without recursion.
 *
 * The parser (lexbor, inside selectolax) keeps its tree in structs that differ between releases. Names and values are asked of the
 * parser's own functions; links are read at offsets that tamis.page.walk_compiled measures. bind() receives both. The caller keeps the
 * node's parser alive.
 */
#include "native.h"

/* ---- the parser's functions ---------------------------------------------------------------------------------------- */

typedef struct node node;           /* lxb_dom_node_t */
typedef struct attribute attribute; /* lxb_dom_attr_t */

typedef struct {
    const char *data;
    size_t length;
} span;

/* One parser is loaded per process, so one table serves all walks. */

typedef const char *(*reader)(const void *, size_t *);

/* In the order of tamis.page.walk_compiled.FUNCTIONS. */
static struct {
    reader tag_name; /* of an element */
    reader attribute_name;
    reader attribute_value;
} parser;

/* Offsets in bytes, in the order of tamis.page.walk_compiled.FIELDS, then of a text's bytes and their number. */
static struct {
    Py_ssize_t next, parent, first_child, tag_id, type, first_attribute, next_attribute, text;
} at;

enum { FUNCTIONS = sizeof parser / sizeof parser.tag_name, OFFSETS = sizeof at / sizeof at.next };

static int bound;

enum { ELEMENT = 1, TEXT = 3, INSTRUCTION = 7, COMMENT = 8, DOCUMENT = 9, DOCTYPE = 10 }; /* node types of the DOM */
enum { TEXT_ID = 2 };                                                                   /* the parser's tag number of a text */

/* Numbers below this are fixed by the parser, others are addresses. tamis.page.walk_plain.FIXED */
#define FIXED 256

/* Bits of the table of flags by tag code. tamis.page.walk_compiled._flags */
enum { RAW = 1, PREFORMATTED = 2, BREAK = 4, LINK = 8, SCRIPT = 16 };

static inline const void *
pointer_at(const void *object, Py_ssize_t offset)
{
    return *(const void *const *)((const char *)object + offset);
}

#define FIELD(name, type, of) static inline type name##_of(const of *here) { return (type)pointer_at(here, at.name); }
FIELD(next, const node *, node)
FIELD(parent, const node *, node)
FIELD(first_child, const node *, node)
FIELD(tag_id, uintptr_t, node)
FIELD(next_attribute, const attribute *, attribute)

static inline unsigned int
type_of(const node *here)
{
    return *(const unsigned int *)(const void *)((const char *)here + at.type);
}

static inline const attribute *
first_attribute(const node *here)
{
    return type_of(here) == ELEMENT ? pointer_at(here, at.first_attribute) : NULL;
}

static span
text_of(const node *here)
{
    span text;
    memcpy(&text, (const char *)here + at.text, sizeof text);
    return text;
}

/* What a function of the parser says; no data where there is nothing. The same name has the same address throughout a page. */
static span
ask(reader function, const void *of)
{
    span answer = {NULL, 0};
    answer.data = function(of, &answer.length);
    return answer;
}

static int
is_named(const span *name, const char *wanted)
{
    return name->length == strlen(wanted) && memcmp(name->data, wanted, name->length) == 0;
}

static PyObject *
decoded(const char *data, size_t length)
{
    return PyUnicode_DecodeUTF8(data == NULL ? "" : data, (Py_ssize_t)length, "replace");
}

/* ---- attributes that are looked for --------------------------------------------------------------------------------- */

enum { MOST_WANTED = 32, NAMES_KEPT = 256 };

/* Which attributes are looked for, and the position of the names seen lately, by address: a page has few, and uses them often. */
typedef struct {
    const char *names[MOST_WANTED];
    int count;
    struct {
        const char *name;
        int position;
    } lately[NAMES_KEPT];
} wanted;

/* The position of an attribute among those that are looked for; -1: another one. */
static int
position_of(wanted *w, const attribute *a)
{
    span name = ask(parser.attribute_name, a);
    size_t slot = ((uintptr_t)name.data ^ (uintptr_t)name.data >> 4) % NAMES_KEPT;
    if (w->lately[slot].name != name.data || name.data == NULL) {
        int position = name.data == NULL ? -1 : w->count - 1;
        while (position >= 0 && !is_named(&name, w->names[position]))
            position--;
        w->lately[slot].name = name.data;
        w->lately[slot].position = position;
    }
    return w->lately[slot].position;
}

/* ---- growing columns ---------------------------------------------------------------------------------------------- */

typedef struct {
    char *data;
    size_t length; /* bytes */
    size_t room;
} buffer;

static int
make_room(buffer *b, size_t more)
{
    if (more > (size_t)PY_SSIZE_T_MAX - b->length)
        return no_memory();
    size_t wanted = b->length + more;
    if (wanted > b->room) {
        size_t room = wanted < 4096 ? 4096 : wanted + wanted / 2;
        char *data = PyMem_Realloc(b->data, room);
        if (data == NULL)
            return no_memory();
        b->data = data;
        b->room = room;
    }
    return 0;
}

static inline int
append(buffer *b, const void *data, size_t length)
{
    if (length > b->room - b->length && make_room(b, length) < 0)
        return -1;
    if (length > 0) /* of nothing, memcpy may not take a pointer to nothing */
        memcpy(b->data + b->length, data, length);
    b->length += length;
    return 0;
}

static inline int
append_int(buffer *b, int32_t value)
{
    return append(b, &value, sizeof value);
}

static int32_t *
ints(const buffer *b)
{
    return (int32_t *)(void *)b->data;
}

/* ---- columns of attributes --------------------------------------------------------------------------------------------- */

/* The distinct values of an attribute as they are met. */
typedef struct {
    PyObject *values; /* a list */
    struct {
        span value;
        int32_t index; /* -1: the slot is free */
    } *slots;    /* a table by hash, of a size that is a power of two, never more than half full */
    size_t size; /* 0: no element had the attribute yet */
    buffer met;  /* row and index of a value, one pair after the other */
} interned;

/* A hash of a value, eight bytes at a time. */
static size_t
hash_of_span(const span *value)
{
    uint64_t hash = value->length, word;
    size_t at = 0;
    for (; at + sizeof word <= value->length; at += sizeof word) {
        memcpy(&word, value->data + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    word = 0;
    if (at < value->length)
        memcpy(&word, value->data + at, value->length - at);
    return (size_t)mix(hash ^ word);
}

static int
grow(interned *i)
{
    size_t size = i->size == 0 ? 64 : 4 * i->size, bytes = size * sizeof *i->slots;
    void *room = PyMem_Malloc(bytes);
    if (room == NULL)
        return no_memory();
    interned before = *i;
    i->slots = memset(room, 0xFF, bytes); /* all free */
    i->size = size;
    for (size_t k = 0; k < before.size; k++)
        if (before.slots[k].index >= 0) {
            size_t slot = hash_of_span(&before.slots[k].value) & (size - 1);
            while (i->slots[slot].index >= 0)
                slot = (slot + 1) & (size - 1);
            i->slots[slot] = before.slots[k];
        }
    PyMem_Free(before.slots);
    return 0;
}

/* The index of a value. -1: error. */
static int32_t
index_of(interned *i, const span *value)
{
    if (2 * (size_t)PyList_GET_SIZE(i->values) >= i->size && grow(i) < 0)
        return -1;
    size_t slot = hash_of_span(value) & (i->size - 1);
    for (; i->slots[slot].index >= 0; slot = (slot + 1) & (i->size - 1)) {
        const span *other = &i->slots[slot].value;
        if (other->length == value->length && (value->length == 0 || memcmp(other->data, value->data, value->length) == 0))
            return i->slots[slot].index;
    }
    if (append_new(i->values, decoded(value->data, value->length)) < 0)
        return -1;
    i->slots[slot].value = *value;
    return i->slots[slot].index = (int32_t)PyList_GET_SIZE(i->values) - 1;
}

/* Note the value of an attribute as that of row `row`. 0: done; -1: error. */
static int
intern(interned *of, const attribute *a, int32_t row)
{
    span value = ask(parser.attribute_value, a);
    int32_t pair[] = {row, index_of(of, &value)};
    return pair[1] < 0 ? -1 : append(&of->met, pair, sizeof pair);
}

/* Give the values of each attribute that some of `rows` rows have, by its name; and the index of each row's value, one attribute after the other,
 * behind as many of -1. */
static void
give_columns(call *c, const interned *found, PyObject *names, Py_ssize_t rows)
{
    PyObject *values = give(c, PyDict_New());
    for (Py_ssize_t k = 0; values != NULL && k < PyTuple_GET_SIZE(names); k++)
        if (found[k].met.length > 0 && PyDict_SetItem(values, PyTuple_GET_ITEM(names, k), found[k].values) < 0)
            return;
    const Py_ssize_t all = values == NULL ? 0 : (1 + PyDict_GET_SIZE(values)) * rows;
    int32_t *index = values == NULL ? NULL : give_column(c, all, sizeof *index);
    if (index == NULL)
        return;
    memset(index, 0xFF, (size_t)all * sizeof *index);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        const int32_t *met = ints(&found[k].met), *end = met + found[k].met.length / sizeof *met;
        index += met == NULL ? 0 : rows;
        for (; met < end; met += 2)
            index[met[0]] = met[1];
    }
}

static void
free_interned(interned *found)
{
    for (int k = 0; k < MOST_WANTED; k++) {
        Py_XDECREF(found[k].values);
        PyMem_Free(found[k].slots);
        PyMem_Free(found[k].met.data);
    }
}

/* ---- the walk ------------------------------------------------------------------------------------------------------- */

typedef struct {
    /* tables, borrowed */
    const int32_t *code_of_id; /* FIXED entries, -1: none */
    const unsigned char *flags;
    Py_ssize_t known; /* entries of flags */
    PyObject *code_of_name, *is_wanted; /* the latter of the type of a script */
    /* columns */
    buffer tag, parent, end, link, text_nodes;
    buffer nodes; /* their addresses */
    PyObject *texts, *codes, *scripts; /* codes of the names that only this page has */
    int32_t count;
    /* where the walk is */
    int32_t open;         /* index of the open element, -1: none */
    int32_t preformatted; /* index of the outermost open element that keeps white space, -1: none */
    int same_line;        /* a text came before, and no block boundary since */
    int after_space;      /* that text ends with a space */
    buffer blank;         /* white space in nodes of its own since that text; at the start of a preformatted line, its indentation */
    buffer scratch;
    wanted attributes; /* those of the columns */
    interned found[MOST_WANTED];
    int type, href; /* positions of these attributes */
    int unknown; /* the tree holds a node that is not an element, text, comment or document */
} walker;

static int
is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static int
is_blank(const span *text)
{
    if (text->data == NULL)
        return 1;
    for (size_t i = 0; i < text->length; i++)
        if (!is_space(text->data[i]))
            return 0;
    return 1;
}

/* The code of a name: one of the library's, or new to this page. -1: error. */
static int32_t
code_of_name(walker *w, PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(w->code_of_name, name);
    if (known == NULL && !PyErr_Occurred())
        known = PyDict_GetItemWithError(w->codes, name);
    if (known != NULL)
        return (int32_t)PyLong_AsLong(known);
    if (PyErr_Occurred())
        return -1;
    Py_ssize_t code = w->known + PyDict_GET_SIZE(w->codes);
    PyObject *number = PyLong_FromSsize_t(code);
    if (number == NULL)
        return -1;
    int failed = PyDict_SetItem(w->codes, name, number);
    Py_DECREF(number);
    return failed ? -1 : (int32_t)code;
}

/* The code of a node. -1: error, or w->unknown. */
static int32_t
code_of(walker *w, const node *here)
{
    uintptr_t id = tag_id_of(here);
    unsigned int type = type_of(here);
    if (id < FIXED && w->code_of_id[id] >= 0)
        return w->code_of_id[id];
    span name = {NULL, 0};
    if (type == ELEMENT)
        name = ask(parser.tag_name, here);
    else if (type == DOCUMENT || type == DOCTYPE)
        name.length = strlen(name.data = type == DOCUMENT ? "-document" : "-doctype");
    if (name.data == NULL) {
        w->unknown = 1;
        return -1;
    }
    PyObject *text = decoded(name.data, name.length);
    if (text == NULL)
        return -1;
    int32_t code = code_of_name(w, text);
    Py_DECREF(text);
    return code;
}

static int
append_node(walker *w, const node *here, int32_t code, unsigned char link)
{
    if (w->count == INT32_MAX)
        return no_memory();
    w->count++;
    if (append_int(&w->tag, code) < 0 || append_int(&w->parent, w->open) < 0 || append_int(&w->end, w->count) < 0 ||
        append(&w->nodes, &here, sizeof here) < 0)
        return -1;
    return append(&w->link, &link, 1);
}

/* A text with white space collapsed, one space before it where `spaced`. */
static PyObject *
collapsed(walker *w, const span *text, int spaced)
{
    const char *data = text->data;
    size_t length = text->length, tidy = 0;
    while (tidy < length && ((unsigned char)data[tidy] > ' ' || !is_space(data[tidy]) || (data[tidy] == ' ' && (tidy + 1 == length || !is_space(data[tidy + 1])))))
        tidy++;
    if (tidy == length && !spaced)
        return decoded(data, length);
    w->scratch.length = 0;
    if (length == SIZE_MAX || make_room(&w->scratch, length + 1) < 0)
        return length == SIZE_MAX ? PyErr_NoMemory() : NULL;
    char *out = w->scratch.data;
    if (spaced)
        *out++ = ' ';
    memcpy(out, data, tidy);
    out += tidy;
    for (size_t i = tidy; i < length;) {
        if (is_space(data[i])) {
            *out++ = ' ';
            while (i < length && is_space(data[i]))
                i++;
        }
        else
            *out++ = data[i++];
    }
    return decoded(w->scratch.data, (size_t)(out - w->scratch.data));
}

/* Remember a blank text for the one after it. A line begins with it only where white space is kept: the part after its last break. */
static int
enter_blank(walker *w, const span *text)
{
    const char *data = text->data;
    size_t length = text->length;
    if (!w->same_line) {
        if (w->preformatted < 0)
            return 0;
        for (size_t i = length; i-- > 0;) {
            if (data[i] != '\n' && data[i] != '\r')
                continue;
            w->blank.length = 0;
            data += i + 1;
            length -= i + 1;
            break;
        }
    }
    return append(&w->blank, data, length);
}

/* A text as it is, after the white space of separate nodes before it. */
static PyObject *
verbatim(walker *w, const span *text)
{
    if (w->blank.length == 0)
        return decoded(text->data, text->length);
    if (append(&w->blank, text->data, text->length) < 0)
        return NULL;
    return decoded(w->blank.data, w->blank.length);
}

/* Keep the text of a script whose type the caller wants. */
static int
enter_script(walker *w, const span *text)
{
    const buffer *met = &w->found[w->type].met;
    const int32_t *last = met->length == 0 ? NULL : ints(met) + met->length / sizeof *last - 2;
    if (last == NULL || last[0] != w->open)
        return 0;
    PyObject *answer = PyObject_CallOneArg(w->is_wanted, PyList_GET_ITEM(w->found[w->type].values, last[1]));
    int failed = answer == NULL || (answer == Py_True && append_new(w->scripts, decoded(text->data, text->length)) < 0);
    Py_XDECREF(answer);
    return failed ? -1 : 0;
}

static int
enter_text(walker *w, const node *here)
{
    const span read = text_of(here), *text = &read;
    unsigned char around = w->open >= 0 ? flags_by(w->flags, w->known, ints(&w->tag)[w->open]) : 0;
    if (is_blank(text))
        return around & RAW || text->data == NULL ? 0 : enter_blank(w, text);
    if (around & RAW)
        return around & SCRIPT ? enter_script(w, text) : 0;
    PyObject *kept;
    char last = text->data[text->length - 1];
    if (w->preformatted >= 0) {
        kept = verbatim(w, text);
        w->after_space = last == ' ';
    }
    else {
        kept = collapsed(w, text, w->same_line && w->blank.length > 0 && !w->after_space && !is_space(text->data[0]));
        w->after_space = is_space(last);
    }
    w->same_line = 1;
    w->blank.length = 0;
    if (append_new(w->texts, kept) < 0 || append_int(&w->text_nodes, w->count) < 0)
        return -1;
    return append_node(w, here, 0, 0);
}

static void
break_line(walker *w)
{
    w->same_line = 0;
    w->blank.length = 0;
}

/* Whether an element is one that a page defines itself: its name has a hyphen. */
static int
is_custom(const walker *w, const node *here, int32_t code)
{
    if (code < w->known || type_of(here) != ELEMENT)
        return 0;
    span name = ask(parser.tag_name, here);
    return name.data != NULL && memchr(name.data, '-', name.length) != NULL;
}

static int
enter_element(walker *w, const node *here)
{
    int32_t code = code_of(w, here);
    if (code < 0)
        return -1;
    unsigned char flags = flags_by(w->flags, w->known, code);
    unsigned char link = 0;
    for (const attribute *a = first_attribute(here); a != NULL; a = next_attribute_of(a)) {
        int position = position_of(&w->attributes, a);
        if (position == w->href)
            link = (flags & LINK) != 0 || is_custom(w, here, code);
        if (position >= 0 && intern(w->found + position, a, w->count) < 0)
            return -1;
    }
    if (flags & BREAK)
        break_line(w);
    if ((flags & PREFORMATTED) && w->preformatted < 0)
        w->preformatted = w->count;
    if (append_node(w, here, code, link) < 0)
        return -1;
    w->open = w->count - 1;
    return 0;
}

static void
leave_element(walker *w)
{
    int32_t left = w->open;
    ints(&w->end)[left] = w->count;
    if (flags_by(w->flags, w->known, ints(&w->tag)[left]) & BREAK)
        break_line(w);
    if (w->preformatted == left)
        w->preformatted = -1;
    w->open = ints(&w->parent)[left];
}

/* The node that comes after a node and all below it, leaving what ends between; NULL at the end of the walk. */
static const node *
following(walker *w, const node *here, const node *root)
{
    while (here != root) {
        const node *next = next_of(here);
        if (next != NULL)
            return next;
        here = parent_of(here);
        leave_element(w);
    }
    return NULL;
}

static int
walk_from(walker *w, const node *root)
{
    const node *here = root;
    while (here != NULL) {
        unsigned int type = type_of(here);
        if (type == TEXT && tag_id_of(here) == TEXT_ID) {
            if (enter_text(w, here) < 0)
                return -1;
        }
        else if (type != COMMENT && type != INSTRUCTION) {
            if (enter_element(w, here) < 0)
                return -1;
            const node *child = first_child_of(here);
            if (child != NULL) {
                here = child;
                continue;
            }
            leave_element(w);
        }
        here = following(w, here, root);
    }
    return 0;
}

static const node *
node_at(PyObject *address)
{
    const node *here = bound ? PyLong_AsVoidPtr(address) : NULL;
    if (here == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, bound ? "no node at this address" : "the parser's functions are not bound");
    return here;
}

/* Look for the attributes of the columns, type and href among them. 0: done; -1: error. */
static int
look_for(walker *w, PyObject *names)
{
    wanted *of = &w->attributes;
    w->type = w->href = -1;
    for (; of->count < PyTuple_GET_SIZE(names) && of->count < MOST_WANTED; of->count++) {
        of->names[of->count] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, of->count));
        if (of->names[of->count] == NULL || (w->found[of->count].values = PyList_New(0)) == NULL)
            return -1;
        if (strcmp(of->names[of->count], "type") == 0)
            w->type = of->count;
        if (strcmp(of->names[of->count], "href") == 0)
            w->href = of->count;
    }
    if (w->type < 0 || w->href < 0 || of->count < PyTuple_GET_SIZE(names)) {
        PyErr_Format(PyExc_ValueError, "names are at most %d, type and href among them", MOST_WANTED);
        return -1;
    }
    return 0;
}

/* The columns of the tree at an address (LexborNode.mem_id): tag, parent, end (int32), link (bool), text_nodes (int32), texts, the names of new
 * codes, the scripts that are wanted, the address of each node, and for each attribute that is asked for indices of values (int32, -1: none)
 * and the values, or None. None if the tree holds a node that is not an element, text, comment or document. Given the code of each fixed tag
 * number, flags by code, codes by name, names of attributes, and whether a script of some type is wanted. */
static PyObject *
walk(PyObject *module, PyObject *args)
{
    PyObject *address, *names;
    const node *root;
    call c = {.columns = 0};
    Py_ssize_t fixed = FIXED;
    walker *w = room(&c, 0, sizeof *w); /* not on the stack: it holds a table */
    if (w == NULL)
        return finished(&c);
    w->known = w->open = w->preformatted = -1;
    w->texts = PyList_New(0);
    w->codes = PyDict_New();
    w->scripts = PyList_New(0);
    if (w->texts != NULL && w->codes != NULL && w->scripts != NULL &&
        arguments(&c, args, "O41DTO", &address, &w->code_of_id, &fixed, &w->flags, &w->known, &w->code_of_name, &names, &w->is_wanted) == 0 &&
        look_for(w, names) == 0 && (root = node_at(address)) != NULL) {
        if (walk_from(w, root) == 0) {
            const buffer *const columns[] = {&w->tag, &w->parent, &w->end, &w->link, &w->text_nodes};
            for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
                give_copy(&c, columns[k]->data, (Py_ssize_t)columns[k]->length, 1);
            give(&c, Py_NewRef(w->texts));
            give(&c, PyDict_Keys(w->codes));
            give(&c, Py_NewRef(w->scripts));
            give_copy(&c, w->nodes.data, (Py_ssize_t)w->nodes.length, 1);
            give_columns(&c, w->found, names, w->count);
        }
        else if (w->unknown && !PyErr_Occurred())
            give(&c, Py_NewRef(Py_None));
    }
    Py_XDECREF(w->texts);
    Py_XDECREF(w->codes);
    Py_XDECREF(w->scripts);
    buffer *buffers[] = {&w->tag, &w->parent, &w->end, &w->link, &w->text_nodes, &w->nodes, &w->blank, &w->scratch};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        PyMem_Free(buffers[k]->data);
    free_interned(w->found);
    return finished(&c);
}

/* ---- attributes ------------------------------------------------------------------------------------------------------ */

/* The attributes of a node as a new dict. */
static PyObject *
attributes_of(const node *here)
{
    PyObject *found = PyDict_New();
    for (const attribute *a = first_attribute(here); found != NULL && a != NULL; a = next_attribute_of(a)) {
        span its[] = {ask(parser.attribute_name, a), ask(parser.attribute_value, a)};
        PyObject *name = decoded(its[0].data, its[0].length), *value = decoded(its[1].data, its[1].length);
        if (name == NULL || value == NULL || PyDict_SetItem(found, name, value) < 0)
            Py_CLEAR(found);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return found;
}

/* The attributes of some nodes, or of all (None), `none` for a text. The parser must live, and its tree be as it was. */
static PyObject *
attributes(PyObject *module, PyObject *args)
{
    PyObject *none, *elements, *all = NULL;
    call c = {.columns = 0};
    const node *const *nodes;
    const int32_t *tag;
    const int64_t *element = NULL;
    Py_ssize_t count = -1, rows = -1;
    if (arguments(&c, args, sizeof(node *) == 8 ? "84OO" : "44OO", &nodes, &count, &tag, &count, &none, &elements) == 0 &&
        (elements == Py_None || (element = column(&c, elements, sizeof *element, &rows)) != NULL))
        all = give(&c, PyList_New(element == NULL ? count : rows));
    for (Py_ssize_t row = 0; all != NULL && row < PyList_GET_SIZE(all); row++) {
        Py_ssize_t i = element == NULL ? row : (Py_ssize_t)element[row];
        PyObject *found = i < 0 || i >= count ? NULL : tag[i] == 0 ? Py_NewRef(none) : attributes_of(nodes[i]);
        if (found == NULL) {
            misfit();
            break;
        }
        PyList_SET_ITEM(all, row, found);
    }
    return finished(&c);
}

/* ---- binding --------------------------------------------------------------------------------------------------------- */

/* Take addresses of the parser's functions, and offsets, before any other call. */
static PyObject *
bind(PyObject *module, PyObject *args)
{
    PyObject *functions, *offsets;
    void *address[FUNCTIONS];
    Py_ssize_t offset[OFFSETS];
    if (arguments(NULL, args, "TT", &functions, &offsets) < 0)
        return NULL;
    int wrong = PyTuple_GET_SIZE(functions) != FUNCTIONS || PyTuple_GET_SIZE(offsets) != OFFSETS;
    for (Py_ssize_t i = 0; i < FUNCTIONS && !wrong; i++)
        wrong = (address[i] = PyLong_AsVoidPtr(PyTuple_GET_ITEM(functions, i))) == NULL;
    for (Py_ssize_t i = 0; i < OFFSETS && !wrong; i++)
        wrong = (offset[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(offsets, i))) < 0;
    if (wrong) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "bind needs the address of each function and each offset");
        return NULL;
    }
    memcpy(&parser, address, sizeof parser);
    memcpy(&at, offset, sizeof at);
    bound = 1;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"walk", walk, METH_VARARGS, NULL},
    {"attributes", attributes, METH_VARARGS, NULL},
    {"bind", bind, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(walk, "The walk over a parsed page.", methods, prepare_nothing)
