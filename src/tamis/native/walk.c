/* The walk over a parsed page: what tamis.page.walk_plain does, node by node in C.
 *
 * The parser (lexbor, inside selectolax) keeps its tree in structs that differ between releases. Names and values are asked of the
 * parser's own functions; links are read at offsets that tamis.page.walk_compiled measures when it is imported, by comparing memory with the
 * answers of the parser's functions. bind() receives both. The caller keeps the node's parser alive.
 *
 * Nothing here recurses: the open element is an index, and its parent is in the column of parents.
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

/* In the order of tamis.page.walk_compiled.FUNCTIONS. */
static struct {
    const char *(*tag_name)(const node *, size_t *); /* of an element */
    const char *(*attribute_name)(const attribute *, size_t *);
    const char *(*local_name)(const attribute *, size_t *); /* without prefix, in lower case */
    const char *(*attribute_value)(const attribute *, size_t *);
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

static inline const node *
next_of(const node *here)
{
    return pointer_at(here, at.next);
}

static inline const node *
parent_of(const node *here)
{
    return pointer_at(here, at.parent);
}

static inline const node *
first_child_of(const node *here)
{
    return pointer_at(here, at.first_child);
}

static inline uintptr_t
tag_id_of(const node *here)
{
    return (uintptr_t)pointer_at(here, at.tag_id);
}

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

static inline const attribute *
next_attribute(const attribute *a)
{
    return pointer_at(a, at.next_attribute);
}

static span
text_of(const node *here)
{
    span text;
    memcpy(&text, (const char *)here + at.text, sizeof text);
    return text;
}

/* The tag name of an element. The same name has the same address throughout a page. */
static span
tag_name(const node *here)
{
    span name = {NULL, 0};
    name.data = parser.tag_name(here, &name.length);
    return name;
}

/* The name of an attribute as it is written, with prefix. The same name has the same address throughout a page. */
static span
attribute_name(const attribute *a)
{
    span name = {NULL, 0};
    name.data = parser.attribute_name(a, &name.length);
    return name;
}

/* The value of an attribute; no data where it has none. */
static span
attribute_value(const attribute *a)
{
    span value = {NULL, 0};
    value.data = parser.attribute_value(a, &value.length);
    return value;
}

static int
is_named(const span *name, const char *wanted)
{
    return name->length == strlen(wanted) && memcmp(name->data, wanted, name->length) == 0;
}

static PyObject *
decoded(const char *data, size_t length)
{
    return PyUnicode_DecodeUTF8(data, (Py_ssize_t)length, "replace");
}

/* ---- attributes that are looked for --------------------------------------------------------------------------------- */

typedef enum { OTHER, CLASS, IDENT, TEST_IDENT, REL, PROPERTY, HREF, TYPE, KINDS } kind;

/* From this kind on, a local name may have a prefix in HTML: xlink:href, xlink:type. */
#define PREFIXED HREF

/* The kinds of the local names seen lately, by the parser's number for the name: a page has few, and uses them often. */
#define KINDS_KEPT 256

typedef struct {
    uintptr_t id;
    kind kind;
} kept_kind;

static kind
kind_of(kept_kind *lately, const attribute *a)
{
    static const char *const names[KINDS] = {
        [CLASS] = "class", [IDENT] = "id", [TEST_IDENT] = "data-testid", [REL] = "rel", [PROPERTY] = "itemprop", [HREF] = "href", [TYPE] = "type",
    };
    uintptr_t id = tag_id_of((const node *)(const void *)a); /* an attribute begins as a node does */
    kept_kind *kept = lately + (id ^ id >> 4) % KINDS_KEPT;
    span name = {NULL, 0};
    if (kept->id != id) {
        name.data = parser.local_name(a, &name.length);
        kept->id = id;
        kept->kind = KINDS - 1;
        while (kept->kind != OTHER && !is_named(&name, names[kept->kind]))
            kept->kind--;
    }
    if (kept->kind < PREFIXED)
        return kept->kind;
    name = attribute_name(a);
    return is_named(&name, names[kept->kind]) ? kept->kind : OTHER;
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
    if (more > (size_t)PY_SSIZE_T_MAX - b->length) {
        PyErr_NoMemory();
        return -1;
    }
    size_t wanted = b->length + more;
    if (wanted > b->room) {
        size_t room = wanted < 4096 ? 4096 : wanted + wanted / 2;
        char *data = PyMem_Realloc(b->data, room);
        if (data == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        b->data = data;
        b->room = room;
    }
    return 0;
}

static int
append(buffer *b, const void *data, size_t length)
{
    if (make_room(b, length) < 0)
        return -1;
    memcpy(b->data + b->length, data, length);
    b->length += length;
    return 0;
}

static int
append_int(buffer *b, int32_t value)
{
    return append(b, &value, sizeof value);
}

static int32_t *
ints(const buffer *b)
{
    return (int32_t *)(void *)b->data;
}

static PyObject *
as_bytes(const buffer *b)
{
    return PyBytes_FromStringAndSize(b->data, (Py_ssize_t)b->length);
}

/* ---- the walk ------------------------------------------------------------------------------------------------------- */

#define KEPT 64 /* names seen lately, by address: a page has few, and uses them often */
#define SLOT(name) (((uintptr_t)(name) >> 4) % KEPT)

typedef struct {
    /* tables, borrowed */
    const int32_t *code_of_id; /* FIXED entries, -1: none */
    const unsigned char *flags;
    Py_ssize_t known; /* entries of flags */
    PyObject *code_of_name;
    /* columns */
    buffer tag, parent, end, link, text_nodes;
    buffer nodes; /* their addresses, where the caller wants them */
    int wants_nodes;
    PyObject *texts, *names, *codes, *scripts;
    int32_t count;
    /* where the walk is */
    int32_t open;         /* index of the open element, -1: none */
    int32_t preformatted; /* index of the outermost open element that keeps white space, -1: none */
    int same_line;        /* a text came before, and no block boundary since */
    int after_space;      /* that text ends with a space */
    buffer blank;         /* on the same line, the white space in nodes of its own since that text */
    buffer scratch;
    struct {
        const char *name;
        int32_t code;
    } lately[KEPT];
    kept_kind kinds[KINDS_KEPT];
    int unknown; /* the tree holds a node that is no element, text, comment or document */
} walker;

static unsigned char
flags_of(const walker *w, int32_t code)
{
    return code < w->known ? w->flags[code] : 0;
}

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
    Py_ssize_t code = w->known + PyList_Size(w->names);
    PyObject *number = PyLong_FromSsize_t(code);
    if (number == NULL)
        return -1;
    int failed = PyDict_SetItem(w->codes, name, number) < 0 || PyList_Append(w->names, name) < 0;
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
        name = tag_name(here);
    else if (type == DOCUMENT || type == DOCTYPE)
        name.length = strlen(name.data = type == DOCUMENT ? "-document" : "-doctype");
    if (name.data == NULL) {
        w->unknown = 1;
        return -1;
    }
    size_t slot = SLOT(name.data);
    if (w->lately[slot].name == name.data)
        return w->lately[slot].code;
    PyObject *text = decoded(name.data, name.length);
    if (text == NULL)
        return -1;
    int32_t code = code_of_name(w, text);
    Py_DECREF(text);
    if (code >= 0) {
        w->lately[slot].name = name.data;
        w->lately[slot].code = code;
    }
    return code;
}

/* The attribute of a kind, or NULL. Of several the last counts, as in a dict. */
static const attribute *
find_attribute(walker *w, const node *here, kind wanted)
{
    const attribute *found = NULL;
    for (const attribute *a = first_attribute(here); a != NULL; a = next_attribute(a))
        if (kind_of(w->kinds, a) == wanted)
            found = a;
    return found;
}

static int
append_node(walker *w, const node *here, int32_t code, unsigned char link)
{
    if (w->count == INT32_MAX) {
        PyErr_NoMemory();
        return -1;
    }
    w->count++;
    if (w->wants_nodes && append(&w->nodes, &here, sizeof here) < 0)
        return -1;
    if (append_int(&w->tag, code) < 0 || append_int(&w->parent, w->open) < 0 || append_int(&w->end, w->count) < 0)
        return -1;
    return append(&w->link, &link, 1);
}

/* A text with white space collapsed, one space before it where `spaced`. */
static PyObject *
collapsed(walker *w, const span *text, int spaced)
{
    const char *data = text->data;
    size_t length = text->length, tidy = 0;
    while (tidy < length && (!is_space(data[tidy]) || (data[tidy] == ' ' && (tidy + 1 == length || !is_space(data[tidy + 1])))))
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

/* A text as it is, after the white space that stood in nodes of its own before it. */
static PyObject *
verbatim(walker *w, const span *text)
{
    if (w->blank.length == 0)
        return decoded(text->data, text->length);
    if (append(&w->blank, text->data, text->length) < 0)
        return NULL;
    return decoded(w->blank.data, w->blank.length);
}

static int
has_json_ld(const span *type)
{
    static const char wanted[] = "ld+json";
    size_t size = sizeof wanted - 1;
    for (size_t at = 0; at + size <= type->length; at++) {
        size_t i = 0;
        while (i < size && (wanted[i] == '+' ? type->data[at + i] == '+' : (type->data[at + i] | 0x20) == wanted[i]))
            i++;
        if (i == size)
            return 1;
    }
    return 0;
}

/* Keep the text of a script that may be JSON-LD, with its type: the caller decides. */
static int
enter_script(walker *w, const node *script, const span *text)
{
    const attribute *found = find_attribute(w, script, TYPE);
    span type = {NULL, 0};
    if (found != NULL)
        type = attribute_value(found);
    if (type.data == NULL || !has_json_ld(&type))
        return 0;
    PyObject *pair = Py_BuildValue("(NN)", decoded(type.data, type.length), decoded(text->data, text->length));
    if (pair == NULL)
        return -1;
    int failed = PyList_Append(w->scripts, pair);
    Py_DECREF(pair);
    return failed;
}

static int
enter_text(walker *w, const node *here)
{
    const span read = text_of(here), *text = &read;
    unsigned char around = w->open >= 0 ? flags_of(w, ints(&w->tag)[w->open]) : 0;
    if (is_blank(text)) {
        if (w->same_line && !(around & RAW) && text->data != NULL)
            return append(&w->blank, text->data, text->length);
        return 0;
    }
    if (around & RAW)
        return around & SCRIPT ? enter_script(w, parent_of(here), text) : 0;
    PyObject *kept;
    char last = text->data[text->length - 1];
    if (w->preformatted >= 0) {
        kept = verbatim(w, text);
        w->after_space = last == ' ';
    }
    else {
        kept = collapsed(w, text, w->blank.length > 0 && !w->after_space && !is_space(text->data[0]));
        w->after_space = is_space(last);
    }
    if (kept == NULL)
        return -1;
    int failed = PyList_Append(w->texts, kept);
    Py_DECREF(kept);
    w->same_line = 1;
    w->blank.length = 0;
    if (failed < 0 || append_int(&w->text_nodes, w->count) < 0)
        return -1;
    return append_node(w, here, 0, 0);
}

static void
break_line(walker *w)
{
    w->same_line = 0;
    w->blank.length = 0;
}

static int
enter_element(walker *w, const node *here)
{
    int32_t code = code_of(w, here);
    if (code < 0)
        return -1;
    unsigned char flags = flags_of(w, code);
    int link = (flags & LINK) && find_attribute(w, here, HREF) != NULL;
    if (flags & BREAK)
        break_line(w);
    if ((flags & PREFORMATTED) && w->preformatted < 0)
        w->preformatted = w->count;
    if (append_node(w, here, code, (unsigned char)link) < 0)
        return -1;
    w->open = w->count - 1;
    return 0;
}

static void
leave_element(walker *w)
{
    int32_t left = w->open;
    ints(&w->end)[left] = w->count;
    if (flags_of(w, ints(&w->tag)[left]) & BREAK)
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
    if (!bound) {
        PyErr_SetString(PyExc_RuntimeError, "the parser's functions are not bound");
        return NULL;
    }
    const node *here = PyLong_AsVoidPtr(address);
    if (here == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "no node at this address");
    return here;
}

static PyObject *
columns_of(walker *w)
{
    return Py_BuildValue("(NNNNNOOON)", as_bytes(&w->tag), as_bytes(&w->parent), as_bytes(&w->end), as_bytes(&w->link),
                         as_bytes(&w->text_nodes), w->texts, w->names, w->scripts, as_bytes(&w->nodes));
}

PyDoc_STRVAR(walk_doc, "walk(address, code_of_id, flags, code_of_name, wants_nodes)\n--\n\nSee walk.pyi.");

static PyObject *
walk(PyObject *module, PyObject *args)
{
    PyObject *address, *columns = NULL;
    Py_buffer code_of_id, flags;
    walker *w = PyMem_Calloc(1, sizeof(walker)); /* not on the stack: it holds a table */
    (void)module;
    if (w == NULL)
        return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "O!y*y*O!p:walk", &PyLong_Type, &address, &code_of_id, &flags, &PyDict_Type, &w->code_of_name,
                          &w->wants_nodes)) {
        PyMem_Free(w);
        return NULL;
    }
    w->code_of_id = code_of_id.buf;
    w->flags = flags.buf;
    w->known = flags.len;
    w->open = w->preformatted = -1;
    w->texts = PyList_New(0);
    w->names = PyList_New(0);
    w->codes = PyDict_New();
    w->scripts = PyList_New(0);
    if (w->texts != NULL && w->names != NULL && w->codes != NULL && w->scripts != NULL) {
        const node *root = NULL;
        if (code_of_id.len != FIXED * (Py_ssize_t)sizeof(int32_t))
            PyErr_SetString(PyExc_ValueError, "code_of_id has one int32 for each fixed tag number");
        else
            root = node_at(address);
        if (root != NULL) {
            if (walk_from(w, root) == 0)
                columns = columns_of(w);
            else if (w->unknown && !PyErr_Occurred())
                columns = Py_NewRef(Py_None);
        }
    }
    Py_XDECREF(w->texts);
    Py_XDECREF(w->names);
    Py_XDECREF(w->codes);
    Py_XDECREF(w->scripts);
    PyMem_Free(w->tag.data);
    PyMem_Free(w->parent.data);
    PyMem_Free(w->end.data);
    PyMem_Free(w->link.data);
    PyMem_Free(w->text_nodes.data);
    PyMem_Free(w->nodes.data);
    PyMem_Free(w->blank.data);
    PyMem_Free(w->scratch.data);
    PyMem_Free(w);
    PyBuffer_Release(&code_of_id);
    PyBuffer_Release(&flags);
    return columns;
}

/* ---- attributes ------------------------------------------------------------------------------------------------------ */

typedef struct {
    struct {
        const char *at;
        PyObject *name;
    } lately[KEPT];
} name_keeper;

/* The name of an attribute, a borrowed reference. */
static PyObject *
kept_name(name_keeper *names, const attribute *a)
{
    span text = attribute_name(a);
    size_t slot = SLOT(text.data);
    if (names->lately[slot].at != text.data || text.data == NULL) {
        PyObject *name = decoded(text.data, text.length);
        if (name == NULL)
            return NULL;
        Py_XSETREF(names->lately[slot].name, name);
        names->lately[slot].at = text.data;
    }
    return names->lately[slot].name;
}

static void
forget(name_keeper *names)
{
    for (size_t slot = 0; slot < KEPT; slot++)
        Py_XDECREF(names->lately[slot].name);
}

/* The attributes of a node as a new dict. */
static PyObject *
attributes_of(name_keeper *names, const node *here)
{
    PyObject *found = PyDict_New();
    if (found == NULL)
        return NULL;
    for (const attribute *a = first_attribute(here); a != NULL; a = next_attribute(a)) {
        span text = attribute_value(a);
        PyObject *name = kept_name(names, a);
        PyObject *value = name == NULL ? NULL : decoded(text.data == NULL ? "" : text.data, text.length);
        int failed = value == NULL || PyDict_SetItem(found, name, value) < 0;
        Py_XDECREF(value);
        if (failed) {
            Py_DECREF(found);
            return NULL;
        }
    }
    return found;
}

/* The next element in document order, or NULL. */
static const node *
next_element(const node *here, const node *root)
{
    unsigned int type;
    do {
        const node *next = first_child_of(here);
        while (next == NULL && here != root) {
            next = next_of(here);
            if (next == NULL)
                here = parent_of(here);
        }
        if (next == NULL)
            return NULL;
        here = next;
        type = type_of(here);
    } while (type == TEXT || type == COMMENT || type == INSTRUCTION);
    return here;
}

/* 0: done; -1: error. */
static int
fill_attributes(PyObject *all, name_keeper *names, const node *root, const int32_t *tag, PyObject *none)
{
    const node *here = root;
    for (Py_ssize_t i = 0; i < PyList_Size(all); i++) {
        PyObject *found;
        if (tag[i] == 0)
            found = Py_NewRef(none);
        else if (here == NULL) {
            PyErr_SetString(PyExc_RuntimeError, "the parser's tree was changed after the page was read");
            return -1;
        }
        else {
            found = attributes_of(names, here);
            here = next_element(here, root);
        }
        if (found == NULL)
            return -1;
        if (PyList_SetItem(all, i, found) < 0)
            return -1;
    }
    return 0;
}

PyDoc_STRVAR(attributes_doc, "attributes(address, tag, none)\n--\n\nSee walk.pyi.");

static PyObject *
attributes(PyObject *module, PyObject *args)
{
    PyObject *address, *none, *all = NULL;
    Py_buffer tag;
    name_keeper names = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*O:attributes", &PyLong_Type, &address, &tag, &none))
        return NULL;
    const node *root = node_at(address);
    if (root != NULL && (all = PyList_New(tag.len / (Py_ssize_t)sizeof(int32_t))) != NULL)
        if (fill_attributes(all, &names, root, tag.buf, none) < 0)
            Py_CLEAR(all);
    forget(&names);
    PyBuffer_Release(&tag);
    return all;
}

/* ---- attributes of some nodes, and of those that say what they are ----------------------------------------------------- */

PyDoc_STRVAR(attributes_at_doc, "attributes_at(nodes, wanted)\n--\n\nSee walk.pyi.");

static PyObject *
attributes_at(PyObject *module, PyObject *args)
{
    PyObject *wanted, *found = NULL;
    Py_buffer nodes;
    name_keeper names = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*O!:attributes_at", &nodes, &PyList_Type, &wanted))
        return NULL;
    const node *const *at = nodes.buf;
    Py_ssize_t count = nodes.len / (Py_ssize_t)sizeof(node *);
    found = PyList_New(0);
    for (Py_ssize_t i = 0; found != NULL && i < PyList_Size(wanted); i++) {
        Py_ssize_t which = PyLong_AsSsize_t(PyList_GetItem(wanted, i));
        if (which < 0 || which >= count) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_IndexError, "there is no such node");
            Py_CLEAR(found);
            break;
        }
        PyObject *given = attributes_of(&names, at[which]);
        if (given == NULL || PyList_Append(found, given) < 0)
            Py_CLEAR(found);
        Py_XDECREF(given);
    }
    forget(&names);
    PyBuffer_Release(&nodes);
    return found;
}

typedef struct {
    kept_kind lately[KINDS_KEPT];
    const char *hints; /* lower case, a byte 0 after each */
    size_t length;
    unsigned char begins[256]; /* whether a hint begins with the letter, of either case */
    PyObject *properties, *names, *authors;
} marker;

/* Whether a value of ASCII holds a word, which is in lower case. */
static int
holds(const span *value, size_t at, const char *word)
{
    for (; *word != 0; word++, at++)
        if (at == value->length || (unsigned char)(value->data[at] | ((unsigned char)(value->data[at] - 'A') < 26 ? 32 : 0)) != (unsigned char)*word)
            return 0;
    return 1;
}

/* Whether a name holds a hint, or may hold one: it is not of ASCII, or long. */
static int
is_hinted(const marker *m, const span *name)
{
    enum { LONG = 300 };
    if (name->length > LONG)
        return 1;
    for (size_t at = 0; at < name->length; at++) {
        unsigned char c = (unsigned char)name->data[at];
        if (c >= 128)
            return 1;
        if (m->begins[c])
            for (const char *hint = m->hints; hint < m->hints + m->length; hint += strlen(hint) + 1)
                if (holds(name, at, hint))
                    return 1;
    }
    return 0;
}

static int
may_be_author(const span *rel)
{
    for (size_t at = 0; at < rel->length; at++)
        if ((unsigned char)rel->data[at] >= 128 || holds(rel, at, "author"))
            return 1;
    return 0;
}

static int
append_value(PyObject *list, int32_t index, const attribute *a)
{
    span value = attribute_value(a);
    PyObject *pair = Py_BuildValue("(iN)", (int)index, decoded(value.data == NULL ? "" : value.data, value.length));
    int failed = pair == NULL || PyList_Append(list, pair) < 0;
    Py_XDECREF(pair);
    return failed ? -1 : 0;
}

/* Note what an element says it is. `small`: it holds little text, so that what its names say counts. */
static int
mark_element(marker *m, const node *here, int32_t index, int small)
{
    const attribute *given[KINDS] = {NULL};
    for (const attribute *a = first_attribute(here); a != NULL; a = next_attribute(a))
        given[kind_of(m->lately, a)] = a; /* of several the last counts, as in a dict */
    if (given[PROPERTY] != NULL && append_value(m->properties, index, given[PROPERTY]) < 0)
        return -1;
    if (!small)
        return 0;
    if (given[REL] != NULL) {
        span rel = attribute_value(given[REL]);
        if (may_be_author(&rel) && append_value(m->authors, index, given[REL]) < 0)
            return -1;
    }
    span name = {NULL, 0};
    kind named = CLASS;
    if (given[CLASS] != NULL)
        name = attribute_value(given[CLASS]);
    else {
        if (given[IDENT] != NULL)
            name = attribute_value(given[named = IDENT]);
        if (name.length == 0 && given[TEST_IDENT] != NULL)
            name = attribute_value(given[named = TEST_IDENT]);
    }
    return name.length > 0 && is_hinted(m, &name) ? append_value(m->names, index, given[named]) : 0;
}

/* The elements before and after a place that hold some text, but not more than `most` pieces: as flags by node. */
static void
flag_small(unsigned char *small, const int32_t *tag, const int32_t *end, const int32_t *texts, Py_ssize_t count, Py_ssize_t near,
           Py_ssize_t before, Py_ssize_t after, int32_t most)
{
    for (int down = 0; down < 2; down++) {
        Py_ssize_t left = down ? before : after;
        for (Py_ssize_t i = down ? near - 1 : near; left > 0 && i >= 0 && i < count; i += down ? -1 : 1) {
            int32_t pieces = tag[i] == 0 || end[i] <= i || end[i] > count ? 0 : texts[end[i]] - texts[i];
            if (pieces > 0 && pieces <= most) {
                small[i] = 1;
                left--;
            }
        }
    }
}

PyDoc_STRVAR(marks_doc, "marks(nodes, tag, end, near, window, hints)\n--\n\nSee walk.pyi.");

static PyObject *
marks(PyObject *module, PyObject *args)
{
    Py_buffer nodes, tag, end, hints;
    Py_ssize_t near, before, after;
    int most;
    marker m = {0};
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*n(nni)y*:marks", &nodes, &tag, &end, &near, &before, &after, &most, &hints))
        return NULL;
    Py_ssize_t count = nodes.len / (Py_ssize_t)sizeof(node *);
    const char *words = hints.buf;
    m.hints = words;
    m.length = (size_t)hints.len;
    for (size_t i = 0; i < m.length; i++)
        if (i == 0 || words[i - 1] == 0)
            m.begins[(unsigned char)words[i]] = m.begins[(unsigned char)(words[i] & ~32)] = 1;
    char *room = PyMem_Calloc((size_t)count + 1, sizeof(int32_t) + 1);
    m.properties = PyList_New(0);
    m.names = PyList_New(0);
    m.authors = PyList_New(0);
    if (room == NULL)
        PyErr_NoMemory();
    else if (tag.len != count * (Py_ssize_t)sizeof(int32_t) || end.len != tag.len || (hints.len > 0 && words[hints.len - 1] != 0))
        PyErr_SetString(PyExc_ValueError, "columns do not fit each other");
    else if (m.properties != NULL && m.names != NULL && m.authors != NULL) {
        int32_t *texts = (int32_t *)(void *)room;
        unsigned char *small = (unsigned char *)(texts + count + 1);
        const int32_t *code = tag.buf;
        const node *const *at = nodes.buf;
        for (Py_ssize_t i = 0; i < count; i++)
            texts[i + 1] = texts[i] + (code[i] == 0);
        flag_small(small, code, end.buf, texts, count, near < 0 ? 0 : near > count ? count : near, before, after,
                   most);
        Py_ssize_t i = 0;
        while (i < count && (code[i] == 0 || mark_element(&m, at[i], (int32_t)i, small[i]) == 0))
            i++;
        if (i == count)
            result = Py_BuildValue("(OOO)", m.properties, m.names, m.authors);
    }
    Py_XDECREF(m.properties);
    Py_XDECREF(m.names);
    Py_XDECREF(m.authors);
    PyMem_Free(room);
    PyBuffer_Release(&nodes);
    PyBuffer_Release(&tag);
    PyBuffer_Release(&end);
    PyBuffer_Release(&hints);
    return result;
}

/* ---- names of elements -------------------------------------------------------------------------------------------------- */

enum { MOST_TOKENS = 12, MOST_CHARACTERS = 80 }; /* tamis.page.element_names.MAX_TOKENS, MAX_TOKEN */

typedef struct {
    int32_t code;
    int32_t name; /* -1: the slot is free */
    span class_names, ident;
} named;

typedef struct {
    PyObject *tag_names, *make; /* borrowed: names by code, and who makes the name of what is not plain */
    PyObject *names, *indices;
    named *slots; /* a table by hash, of a size that is a power of two, never more than half full */
    size_t size, used;
    buffer scratch;
    kept_kind lately[KINDS_KEPT];
} namer;

static int
same_span(const span *a, const span *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

/* A hash of a value, eight bytes at a time. */
static uint64_t
hash_of_span(uint64_t hash, const span *value)
{
    size_t at = 0;
    uint64_t word;
    for (; at + sizeof word <= value->length; at += sizeof word) {
        memcpy(&word, value->data + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    word = 0;
    if (at < value->length)
        memcpy(&word, value->data + at, value->length - at);
    hash = (hash ^ word ^ (uint64_t)value->length << 56) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ (hash >> 31);
}

static size_t
hash_of(int32_t code, const span *a, const span *b)
{
    return (size_t)hash_of_span(hash_of_span((uint64_t)(uint32_t)code, a), b);
}

/* Class names and id of an element, empty where it has none. Of several attributes of a name the last counts, as in a dict. */
static void
read_names(namer *n, const node *here, span *class_names, span *ident)
{
    span nothing = {NULL, 0};
    *class_names = *ident = nothing;
    for (const attribute *a = first_attribute(here); a != NULL; a = next_attribute(a)) {
        kind found = kind_of(n->lately, a);
        if (found == CLASS || found == IDENT)
            *(found == CLASS ? class_names : ident) = attribute_value(a);
    }
}

/* Whether a value is of printable ASCII and white space, so that it is split as Python does it. */
static int
is_plain(const span *value)
{
    for (size_t i = 0; i < value->length; i++) {
        unsigned char c = (unsigned char)value->data[i];
        if (c >= 127 || (c < 32 && !is_space((char)c)))
            return 0;
    }
    return 1;
}

/* The next token of a value from `at` on; length 0: there is none. */
static span
token_from(const span *value, size_t at)
{
    while (at < value->length && is_space(value->data[at]))
        at++;
    size_t end = at;
    while (end < value->length && !is_space(value->data[end]))
        end++;
    span token = {value->data == NULL ? NULL : value->data + at, end - at};
    return token;
}

static int
append_token(buffer *b, char kind, const span *token)
{
    char mark[2] = {'\t', kind};
    return append(b, mark, 2) < 0 ? -1 : append(b, token->data, token->length < MOST_CHARACTERS ? token->length : MOST_CHARACTERS);
}

/* tamis.page.element_names.element_name, of plain values */
static PyObject *
plain_name(namer *n, PyObject *tag, const span *class_names, const span *ident)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(tag, &length);
    n->scratch.length = 0;
    if (text == NULL || append(&n->scratch, text, (size_t)length) < 0)
        return NULL;
    span token = {class_names->data, 0};
    for (int count = 0; count < MOST_TOKENS && class_names->length > 0; count++) {
        token = token_from(class_names, (size_t)(token.data + token.length - class_names->data));
        if (token.length == 0)
            break;
        if (append_token(&n->scratch, '.', &token) < 0)
            return NULL;
    }
    token = token_from(ident, 0);
    if (token.length > 0) {
        const char *end = ident->data + ident->length;
        while (is_space(end[-1]))
            end--;
        token.length = (size_t)(end - token.data); /* white space within stays */
        if (append_token(&n->scratch, '#', &token) < 0)
            return NULL;
    }
    return decoded(n->scratch.data, n->scratch.length);
}

static PyObject *
text_or_none(const span *value)
{
    return value->data == NULL ? Py_NewRef(Py_None) : decoded(value->data, value->length);
}

/* The index of a name that was not met with these values yet. -1: error. */
static int32_t
new_name(namer *n, int32_t code, const span *class_names, const span *ident)
{
    PyObject *tag = code >= 0 && code < PyTuple_Size(n->tag_names) ? PyTuple_GetItem(n->tag_names, code) : NULL;
    if (tag == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a tag has no name");
        return -1;
    }
    PyObject *name = NULL;
    if (is_plain(class_names) && is_plain(ident))
        name = plain_name(n, tag, class_names, ident);
    else {
        PyObject *one = text_or_none(class_names), *other = text_or_none(ident);
        if (one != NULL && other != NULL)
            name = PyObject_CallFunctionObjArgs(n->make, tag, one, other, NULL);
        Py_XDECREF(one);
        Py_XDECREF(other);
    }
    if (name == NULL)
        return -1;
    int32_t index = -1;
    PyObject *known = PyDict_GetItemWithError(n->indices, name);
    if (known != NULL)
        index = (int32_t)PyLong_AsLong(known);
    else if (!PyErr_Occurred()) {
        PyObject *number = PyLong_FromSsize_t(PyList_Size(n->names));
        if (number != NULL && PyDict_SetItem(n->indices, name, number) == 0 && PyList_Append(n->names, name) == 0)
            index = (int32_t)PyList_Size(n->names) - 1;
        Py_XDECREF(number);
    }
    Py_DECREF(name);
    return index;
}

static int
grow(namer *n)
{
    size_t size = n->size == 0 ? 256 : 2 * n->size;
    named *slots = PyMem_Malloc(size * sizeof(named));
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < size; i++)
        slots[i].name = -1;
    for (size_t i = 0; i < n->size; i++)
        if (n->slots[i].name >= 0) {
            size_t at = hash_of(n->slots[i].code, &n->slots[i].class_names, &n->slots[i].ident) & (size - 1);
            while (slots[at].name >= 0)
                at = (at + 1) & (size - 1);
            slots[at] = n->slots[i];
        }
    PyMem_Free(n->slots);
    n->slots = slots;
    n->size = size;
    return 0;
}

/* The index of an element's name. -1: error. */
static int32_t
name_index(namer *n, int32_t code, const node *here)
{
    span class_names, ident;
    read_names(n, here, &class_names, &ident);
    if (2 * n->used >= n->size && grow(n) < 0)
        return -1;
    size_t at = hash_of(code, &class_names, &ident) & (n->size - 1);
    for (; n->slots[at].name >= 0; at = (at + 1) & (n->size - 1)) {
        const named *slot = &n->slots[at];
        if (slot->code == code && same_span(&slot->class_names, &class_names) && same_span(&slot->ident, &ident))
            return slot->name;
    }
    int32_t index = new_name(n, code, &class_names, &ident);
    if (index >= 0) {
        named slot = {code, index, class_names, ident};
        n->slots[at] = slot;
        n->used++;
    }
    return index;
}

/* 0: done; -1: error. Goes through the parser's tree. */
static int
name_in_tree(namer *n, const node *root, const int32_t *tag, Py_ssize_t count, const int64_t *elements, Py_ssize_t wanted, int32_t *index)
{
    const node *here = root;
    Py_ssize_t next = 0;
    for (Py_ssize_t i = 0; i < count && next < wanted; i++) {
        if (tag[i] == 0)
            continue;
        if (here == NULL) {
            PyErr_SetString(PyExc_RuntimeError, "the parser's tree was changed after the page was read");
            return -1;
        }
        if (elements[next] == i && (index[next++] = name_index(n, tag[i], here)) < 0)
            return -1;
        here = next_element(here, root);
    }
    if (next < wanted) {
        PyErr_SetString(PyExc_ValueError, "elements are indices that rise, none of a text");
        return -1;
    }
    return 0;
}

/* Likewise, from the addresses of the nodes. */
static int
name_at(namer *n, const node *const *nodes, const int32_t *tag, Py_ssize_t count, const int64_t *elements, Py_ssize_t wanted, int32_t *index)
{
    for (Py_ssize_t k = 0; k < wanted; k++) {
        if (elements[k] < 0 || elements[k] >= count || tag[elements[k]] == 0) {
            PyErr_SetString(PyExc_ValueError, "elements are indices that rise, none of a text");
            return -1;
        }
        if ((index[k] = name_index(n, tag[elements[k]], nodes[elements[k]])) < 0)
            return -1;
    }
    return 0;
}

PyDoc_STRVAR(element_names_doc, "element_names(address, nodes, tag, elements, tag_names, make)\n--\n\nSee walk.pyi.");

static PyObject *
element_names(PyObject *module, PyObject *args)
{
    PyObject *address, *result = NULL;
    Py_buffer nodes, tag, elements;
    namer n = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*y*y*O!O:element_names", &PyLong_Type, &address, &nodes, &tag, &elements, &PyTuple_Type, &n.tag_names,
                          &n.make))
        return NULL;
    Py_ssize_t count = tag.len / (Py_ssize_t)sizeof(int32_t), wanted = elements.len / (Py_ssize_t)sizeof(int64_t);
    n.names = PyList_New(0);
    n.indices = PyDict_New();
    PyObject *indices = PyBytes_FromStringAndSize(NULL, wanted * (Py_ssize_t)sizeof(int32_t));
    const node *root = node_at(address);
    if (nodes.len > 0 && nodes.len != count * (Py_ssize_t)sizeof(node *))
        PyErr_SetString(PyExc_ValueError, "columns do not fit each other");
    else if (root != NULL && n.names != NULL && n.indices != NULL && indices != NULL) {
        int32_t *index = (int32_t *)(void *)PyBytes_AsString(indices);
        int failed = nodes.len > 0 ? name_at(&n, nodes.buf, tag.buf, count, elements.buf, wanted, index)
                                   : name_in_tree(&n, root, tag.buf, count, elements.buf, wanted, index);
        if (!failed)
            result = Py_BuildValue("(OO)", indices, n.names);
    }
    Py_XDECREF(indices);
    PyBuffer_Release(&nodes);
    Py_XDECREF(n.names);
    Py_XDECREF(n.indices);
    PyMem_Free(n.slots);
    PyMem_Free(n.scratch.data);
    PyBuffer_Release(&tag);
    PyBuffer_Release(&elements);
    return result;
}

/* ---- binding --------------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(bind_doc, "bind(functions, offsets)\n--\n\nSee walk.pyi.");

static PyObject *
bind(PyObject *module, PyObject *args)
{
    PyObject *functions, *offsets;
    void *address[FUNCTIONS];
    Py_ssize_t offset[OFFSETS];
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!:bind", &PyTuple_Type, &functions, &PyTuple_Type, &offsets))
        return NULL;
    if (PyTuple_Size(functions) != FUNCTIONS || PyTuple_Size(offsets) != OFFSETS) {
        PyErr_SetString(PyExc_ValueError, "bind needs the address of each function and each offset");
        return NULL;
    }
    int wrong = 0;
    for (Py_ssize_t i = 0; i < FUNCTIONS; i++)
        wrong |= (address[i] = PyLong_AsVoidPtr(PyTuple_GetItem(functions, i))) == NULL;
    for (Py_ssize_t i = 0; i < OFFSETS && !PyErr_Occurred(); i++)
        wrong |= (offset[i] = PyLong_AsSsize_t(PyTuple_GetItem(offsets, i))) < 0;
    if (PyErr_Occurred())
        return NULL;
    if (wrong) {
        PyErr_SetString(PyExc_ValueError, "an address is none, or an offset is negative");
        return NULL;
    }
    memcpy(&parser, address, sizeof parser);
    memcpy(&at, offset, sizeof at);
    bound = 1;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"walk", walk, METH_VARARGS, walk_doc},
    {"attributes", attributes, METH_VARARGS, attributes_doc},
    {"attributes_at", attributes_at, METH_VARARGS, attributes_at_doc},
    {"marks", marks, METH_VARARGS, marks_doc},
    {"element_names", element_names, METH_VARARGS, element_names_doc},
    {"bind", bind, METH_VARARGS, bind_doc},
    {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(walk, "The walk over a parsed page.", methods, prepare_nothing)
