/* The walk over a parsed page, compiled: what tamis.page.walk_plain does, node by node in C.
 *
 * The parser (lexbor, inside selectolax) keeps its tree in plain structs. This module is given the address of a node
 * (LexborNode.mem_id) and follows the pointers. The layouts below are those of the lexbor that the versions of
 * selectolax in tamis.page.walk_compiled.VERIFIED are built with; that module sees to it that no other version gets here,
 * and looks at the result of fields() before the first walk. The caller keeps the node's parser alive.
 *
 * Nothing here recurses: the open element is an index, and its parent stands in the column of parents.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

/* ---- the parser's structs, as far as they are read -------------------------------------------------------------- */

typedef struct node node;
struct node {
    void *events;
    uintptr_t local_name; /* number of the tag; of a name that the parser does not know, the address of its entry */
    uintptr_t prefix;
    uintptr_t ns;
    void *owner_document;
    node *next;
    node *prev;
    node *parent;
    node *first_child;
    node *last_child;
    void *user;
    unsigned int type;
};

typedef struct {
    const char *data;
    size_t length;
} span;

typedef struct {
    node node;
    span data;
} character_data;

typedef struct attribute attribute;
struct attribute {
    node node;
    uintptr_t upper_name;
    uintptr_t qualified_name; /* as written, with prefix; 0 where local_name says it all */
    const span *value;
    void *owner;
    attribute *next;
};

typedef struct {
    node node;
    uintptr_t upper_name;
    uintptr_t qualified_name;
    void *is_value;
    attribute *first_attribute;
} element;

#define SHORT_NAME 16

typedef struct {
    union {
        const char *at;
        char here[SHORT_NAME + 1];
    } text;
    size_t length;
} name_entry;

enum { ELEMENT = 1, TEXT = 3, INSTRUCTION = 7, COMMENT = 8 }; /* node.type */
enum { TEXT_ID = 2 };                                           /* node.local_name of a text */

/* Numbers below this are fixed by the parser, others are addresses. tamis.page.walk_plain.FIXED */
#define FIXED 256

/* Bits of the table of flags by tag code. tamis.page.walk_compiled._flags */
enum { RAW = 1, PREFORMATTED = 2, BREAK = 4, LINK = 8, SCRIPT = 16 };

static span
name_of_entry(uintptr_t address)
{
    const name_entry *entry = (const name_entry *)address;
    span name = {entry->length <= SHORT_NAME ? entry->text.here : entry->text.at, entry->length};
    return name;
}

static PyObject *
decoded(const char *data, size_t length)
{
    return PyUnicode_DecodeUTF8(data, (Py_ssize_t)length, "replace");
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

typedef struct {
    /* tables, borrowed */
    const int32_t *code_of_id; /* FIXED entries, -1: none */
    PyObject *name_of_id;      /* tuple, None: unknown */
    const unsigned char *flags;
    Py_ssize_t known; /* entries of flags */
    PyObject *code_of_name;
    uintptr_t href;
    uintptr_t type;
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
        uintptr_t address;
        int32_t code;
    } lately[KEPT];
    int unknown; /* the tree holds what this module has no name for */
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
    uintptr_t id = here->local_name;
    if (id < FIXED && w->code_of_id[id] >= 0)
        return w->code_of_id[id];
    if (here->type == ELEMENT && ((const element *)here)->qualified_name != 0)
        id = ((const element *)here)->qualified_name;
    if (id < FIXED) {
        PyObject *name = (Py_ssize_t)id < PyTuple_Size(w->name_of_id) ? PyTuple_GetItem(w->name_of_id, (Py_ssize_t)id) : Py_None;
        if (name == NULL)
            return -1;
        if (name == Py_None) {
            w->unknown = 1;
            return -1;
        }
        return code_of_name(w, name);
    }
    if (here->type != ELEMENT) {
        w->unknown = 1;
        return -1;
    }
    size_t slot = (id >> 4) % KEPT;
    if (w->lately[slot].address == id)
        return w->lately[slot].code;
    span text = name_of_entry(id);
    PyObject *name = decoded(text.data, text.length);
    if (name == NULL)
        return -1;
    int32_t code = code_of_name(w, name);
    Py_DECREF(name);
    if (code >= 0) {
        w->lately[slot].address = id;
        w->lately[slot].code = code;
    }
    return code;
}

/* The attribute of a name, or NULL. Of several the last counts, as in a dict. */
static const attribute *
find_attribute(const node *here, uintptr_t wanted, const char *wanted_name)
{
    const attribute *found = NULL;
    if (here->type != ELEMENT)
        return NULL;
    for (const attribute *a = ((const element *)here)->first_attribute; a != NULL; a = a->next) {
        uintptr_t id = a->qualified_name != 0 ? a->qualified_name : a->node.local_name;
        if (id == wanted)
            found = a;
        else if (id >= FIXED) {
            span name = name_of_entry(id);
            if (name.length == strlen(wanted_name) && memcmp(name.data, wanted_name, name.length) == 0)
                found = a;
        }
    }
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
    const attribute *type = find_attribute(script, w->type, "type");
    if (type == NULL || type->value == NULL || type->value->data == NULL || !has_json_ld(type->value))
        return 0;
    PyObject *pair = Py_BuildValue("(NN)", decoded(type->value->data, type->value->length), decoded(text->data, text->length));
    if (pair == NULL)
        return -1;
    int failed = PyList_Append(w->scripts, pair);
    Py_DECREF(pair);
    return failed;
}

static int
enter_text(walker *w, const node *here)
{
    const span *text = &((const character_data *)here)->data;
    unsigned char around = w->open >= 0 ? flags_of(w, ints(&w->tag)[w->open]) : 0;
    if (is_blank(text)) {
        if (w->same_line && !(around & RAW) && text->data != NULL)
            return append(&w->blank, text->data, text->length);
        return 0;
    }
    if (around & RAW)
        return around & SCRIPT ? enter_script(w, here->parent, text) : 0;
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
    int link = (flags & LINK) && find_attribute(here, w->href, "href") != NULL;
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
        if (here->next != NULL)
            return here->next;
        here = here->parent;
        leave_element(w);
    }
    return NULL;
}

static int
walk_from(walker *w, const node *root)
{
    const node *here = root;
    while (here != NULL) {
        if (here->type == TEXT && here->local_name == TEXT_ID) {
            if (enter_text(w, here) < 0)
                return -1;
        }
        else if (here->type != COMMENT && here->type != INSTRUCTION) {
            if (enter_element(w, here) < 0)
                return -1;
            if (here->first_child != NULL) {
                here = here->first_child;
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

PyDoc_STRVAR(walk_doc, "walk(address, code_of_id, name_of_id, flags, code_of_name, href, type, wants_nodes)\n--\n\nSee _walk.pyi.");

static PyObject *
walk(PyObject *module, PyObject *args)
{
    PyObject *address, *columns = NULL;
    Py_buffer code_of_id, flags;
    Py_ssize_t href, type;
    walker *w = PyMem_Calloc(1, sizeof(walker)); /* not on the stack: it holds a table */
    (void)module;
    if (w == NULL)
        return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "O!y*O!y*O!nnp:walk", &PyLong_Type, &address, &code_of_id, &PyTuple_Type, &w->name_of_id,
                          &flags, &PyDict_Type, &w->code_of_name, &href, &type, &w->wants_nodes)) {
        PyMem_Free(w);
        return NULL;
    }
    w->code_of_id = code_of_id.buf;
    w->flags = flags.buf;
    w->known = flags.len;
    w->href = (uintptr_t)href;
    w->type = (uintptr_t)type;
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
    PyObject *name_of_id; /* borrowed */
    struct {
        uintptr_t address;
        PyObject *name;
    } lately[KEPT];
} name_keeper;

/* The name of an attribute, a borrowed reference. Py_None: a fixed number without a known name. */
static PyObject *
attribute_name(name_keeper *names, const attribute *a)
{
    uintptr_t id = a->qualified_name != 0 ? a->qualified_name : a->node.local_name;
    if (id < FIXED)
        return (Py_ssize_t)id < PyTuple_Size(names->name_of_id) ? PyTuple_GetItem(names->name_of_id, (Py_ssize_t)id) : Py_None;
    size_t slot = (id >> 4) % KEPT;
    if (names->lately[slot].address != id) {
        span text = name_of_entry(id);
        PyObject *name = decoded(text.data, text.length);
        if (name == NULL)
            return NULL;
        Py_XSETREF(names->lately[slot].name, name);
        names->lately[slot].address = id;
    }
    return names->lately[slot].name;
}

/* The attributes of a node as a new dict; None where one has no known name. */
static PyObject *
attributes_of(name_keeper *names, const node *here)
{
    PyObject *found = PyDict_New();
    if (found == NULL || here->type != ELEMENT)
        return found;
    for (const attribute *a = ((const element *)here)->first_attribute; a != NULL; a = a->next) {
        PyObject *name = attribute_name(names, a);
        if (name == Py_None) {
            Py_DECREF(found);
            return Py_NewRef(Py_None);
        }
        int given = a->value != NULL && a->value->data != NULL;
        PyObject *value = name == NULL ? NULL : given ? decoded(a->value->data, a->value->length) : decoded("", 0);
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
    do {
        if (here->first_child != NULL)
            here = here->first_child;
        else {
            while (here != root && here->next == NULL)
                here = here->parent;
            if (here == root)
                return NULL;
            here = here->next;
        }
    } while (here->type == TEXT || here->type == COMMENT || here->type == INSTRUCTION);
    return here;
}

/* 0: done; 1: a name is not known; -1: error. */
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
        int unknown = found == Py_None;
        if (PyList_SetItem(all, i, found) < 0)
            return -1;
        if (unknown)
            return 1;
    }
    return 0;
}

PyDoc_STRVAR(attributes_doc, "attributes(address, tag, name_of_id, none)\n--\n\nSee _walk.pyi.");

static PyObject *
attributes(PyObject *module, PyObject *args)
{
    PyObject *address, *none, *all = NULL;
    Py_buffer tag;
    name_keeper names = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*O!O:attributes", &PyLong_Type, &address, &tag, &PyTuple_Type, &names.name_of_id, &none))
        return NULL;
    const node *root = node_at(address);
    if (root != NULL && (all = PyList_New(tag.len / (Py_ssize_t)sizeof(int32_t))) != NULL) {
        int outcome = fill_attributes(all, &names, root, tag.buf, none);
        if (outcome != 0)
            Py_SETREF(all, outcome > 0 ? Py_NewRef(Py_None) : NULL);
    }
    for (size_t slot = 0; slot < KEPT; slot++)
        Py_XDECREF(names.lately[slot].name);
    PyBuffer_Release(&tag);
    return all;
}

/* ---- attributes of some nodes, and of those that say what they are ----------------------------------------------------- */

PyDoc_STRVAR(attributes_at_doc, "attributes_at(nodes, wanted, name_of_id)\n--\n\nSee _walk.pyi.");

static PyObject *
attributes_at(PyObject *module, PyObject *args)
{
    PyObject *wanted, *found = NULL;
    Py_buffer nodes;
    name_keeper names = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*O!O!:attributes_at", &nodes, &PyList_Type, &wanted, &PyTuple_Type, &names.name_of_id))
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
        if (given == Py_None)
            Py_SETREF(found, Py_NewRef(Py_None));
        else if (given == NULL || PyList_Append(found, given) < 0)
            Py_CLEAR(found);
        Py_XDECREF(given);
        if (found == Py_None)
            break;
    }
    for (size_t slot = 0; slot < KEPT; slot++)
        Py_XDECREF(names.lately[slot].name);
    PyBuffer_Release(&nodes);
    return found;
}

/* Attributes that say what an element is. tamis.document.metadata.on_page */
enum { OTHER, CLASS, IDENT, TEST_IDENT, REL, PROPERTY, KINDS };

typedef struct {
    uintptr_t class_id, ident_id, rel_id;
    struct {
        uintptr_t address;
        int kind;
    } lately[KEPT];
    const char *hints; /* lower case, a byte 0 after each */
    size_t length;
    unsigned char begins[256]; /* whether a hint begins with the letter, of either case */
    PyObject *properties, *names, *authors;
} marker;

static int
kind_of(marker *m, const attribute *a)
{
    uintptr_t id = a->qualified_name != 0 ? a->qualified_name : a->node.local_name;
    if (id < FIXED)
        return id == m->class_id ? CLASS : id == m->ident_id ? IDENT : id == m->rel_id ? REL : OTHER;
    size_t slot = (id >> 4) % KEPT;
    if (m->lately[slot].address != id) {
        span name = name_of_entry(id);
        m->lately[slot].address = id;
        m->lately[slot].kind = name.length == 8 && memcmp(name.data, "itemprop", 8) == 0       ? PROPERTY
                               : name.length == 11 && memcmp(name.data, "data-testid", 11) == 0 ? TEST_IDENT
                                                                                                : OTHER;
    }
    return m->lately[slot].kind;
}

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
append_pair(PyObject *list, int32_t index, const span *value)
{
    PyObject *pair = Py_BuildValue("(iN)", (int)index, decoded(value->data, value->length));
    int failed = pair == NULL || PyList_Append(list, pair) < 0;
    Py_XDECREF(pair);
    return failed ? -1 : 0;
}

/* Note what an element says it is. `small`: it holds little text, so that what its names say counts. */
static int
mark_element(marker *m, const node *here, int32_t index, int small)
{
    span value[KINDS];
    int given[KINDS] = {0};
    if (here->type != ELEMENT)
        return 0;
    for (const attribute *a = ((const element *)here)->first_attribute; a != NULL; a = a->next) {
        int kind = kind_of(m, a);
        span nothing = {"", 0};
        value[kind] = a->value != NULL && a->value->data != NULL ? *a->value : nothing;
        given[kind] = 1; /* of several the last counts, as in a dict */
    }
    if (given[PROPERTY] && append_pair(m->properties, index, &value[PROPERTY]) < 0)
        return -1;
    if (!small)
        return 0;
    if (given[REL] && may_be_author(&value[REL]) && append_pair(m->authors, index, &value[REL]) < 0)
        return -1;
    int kind = given[CLASS] ? CLASS : given[IDENT] && value[IDENT].length > 0 ? IDENT : given[TEST_IDENT] ? TEST_IDENT : OTHER;
    return kind != OTHER && is_hinted(m, &value[kind]) ? append_pair(m->names, index, &value[kind]) : 0;
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

PyDoc_STRVAR(marks_doc, "marks(nodes, tag, end, near, window, hints, ids)\n--\n\nSee _walk.pyi.");

static PyObject *
marks(PyObject *module, PyObject *args)
{
    Py_buffer nodes, tag, end, hints;
    Py_ssize_t near, before, after, class_id, ident_id, rel_id;
    int most;
    marker m = {0};
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*n(nni)y*(nnn):marks", &nodes, &tag, &end, &near, &before, &after, &most, &hints, &class_id,
                          &ident_id, &rel_id))
        return NULL;
    Py_ssize_t count = nodes.len / (Py_ssize_t)sizeof(node *);
    const char *words = hints.buf;
    m.class_id = (uintptr_t)class_id;
    m.ident_id = (uintptr_t)ident_id;
    m.rel_id = (uintptr_t)rel_id;
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
    uintptr_t class_id, ident_id;
    named *slots; /* a table by hash, of a size that is a power of two, never more than half full */
    size_t size, used;
    buffer scratch;
    struct {
        uintptr_t address;
        int kind;
    } lately[KEPT];
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

static int
is_named(uintptr_t id, const char *wanted, size_t length)
{
    span name = name_of_entry(id);
    return name.length == length && memcmp(name.data, wanted, length) == 0;
}

/* Class names and id of an element, empty where it has none. Of several attributes of a name the last counts, as in a dict. */
static void
read_names(namer *n, const node *here, span *class_names, span *ident)
{
    span nothing = {NULL, 0};
    *class_names = *ident = nothing;
    if (here->type != ELEMENT)
        return;
    for (const attribute *a = ((const element *)here)->first_attribute; a != NULL; a = a->next) {
        uintptr_t id = a->qualified_name != 0 ? a->qualified_name : a->node.local_name;
        int kind = id == n->class_id ? 1 : id == n->ident_id ? 2 : 0;
        if (id >= FIXED) {
            size_t slot = (id >> 4) % KEPT;
            if (n->lately[slot].address != id) {
                n->lately[slot].address = id;
                n->lately[slot].kind = is_named(id, "class", 5) ? 1 : is_named(id, "id", 2) ? 2 : 0;
            }
            kind = n->lately[slot].kind;
        }
        if (kind != 0)
            *(kind == 1 ? class_names : ident) = a->value != NULL && a->value->data != NULL ? *a->value : nothing;
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

PyDoc_STRVAR(element_names_doc, "element_names(address, nodes, tag, elements, tag_names, class_id, ident_id, make)\n--\n\nSee _walk.pyi.");

static PyObject *
element_names(PyObject *module, PyObject *args)
{
    PyObject *address, *result = NULL;
    Py_buffer nodes, tag, elements;
    Py_ssize_t class_id, ident_id;
    namer n = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*y*y*O!nnO:element_names", &PyLong_Type, &address, &nodes, &tag, &elements, &PyTuple_Type,
                          &n.tag_names, &class_id, &ident_id, &n.make))
        return NULL;
    Py_ssize_t count = tag.len / (Py_ssize_t)sizeof(int32_t), wanted = elements.len / (Py_ssize_t)sizeof(int64_t);
    n.class_id = (uintptr_t)class_id;
    n.ident_id = (uintptr_t)ident_id;
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

/* ---- what the check needs ---------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(fields_doc, "fields(address)\n--\n\nSee _walk.pyi.");

static PyObject *
fields(PyObject *module, PyObject *address)
{
    (void)module;
    const node *here = node_at(address);
    if (here == NULL)
        return NULL;
    return Py_BuildValue("(KKKKKKI)", (unsigned long long)here->local_name, (unsigned long long)(uintptr_t)here->next,
                         (unsigned long long)(uintptr_t)here->prev, (unsigned long long)(uintptr_t)here->parent,
                         (unsigned long long)(uintptr_t)here->first_child, (unsigned long long)(uintptr_t)here->last_child, here->type);
}

PyDoc_STRVAR(attribute_ids_doc, "attribute_ids(address)\n--\n\nSee _walk.pyi.");

static PyObject *
attribute_ids(PyObject *module, PyObject *address)
{
    (void)module;
    const node *here = node_at(address);
    if (here == NULL)
        return NULL;
    PyObject *ids = PyList_New(0);
    if (ids == NULL || here->type != ELEMENT)
        return ids;
    for (const attribute *a = ((const element *)here)->first_attribute; a != NULL; a = a->next) {
        uintptr_t id = a->qualified_name != 0 ? a->qualified_name : a->node.local_name;
        PyObject *number = PyLong_FromUnsignedLongLong(id);
        int failed = number == NULL || PyList_Append(ids, number) < 0;
        Py_XDECREF(number);
        if (failed) {
            Py_DECREF(ids);
            return NULL;
        }
    }
    return ids;
}

static PyMethodDef methods[] = {
    {"walk", walk, METH_VARARGS, walk_doc},
    {"attributes", attributes, METH_VARARGS, attributes_doc},
    {"attributes_at", attributes_at, METH_VARARGS, attributes_at_doc},
    {"marks", marks, METH_VARARGS, marks_doc},
    {"element_names", element_names, METH_VARARGS, element_names_doc},
    {"fields", fields, METH_O, fields_doc},
    {"attribute_ids", attribute_ids, METH_O, attribute_ids_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "tamis.native.walk", .m_doc = "The walk over a parsed page, compiled.", .m_size = 0, .m_methods = methods,
};

PyMODINIT_FUNC
PyInit_walk(void)
{
    return PyModuleDef_Init(&definition);
}
