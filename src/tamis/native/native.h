/* What the compiled modules share: a hash, white space, arguments and columns, and the end of a module. */
#ifndef TAMIS_NATIVE_H
#define TAMIS_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* ---- hashes and characters ------------------------------------------------------------------------------------------- */

/* The finaliser of splitmix64: numbers that differ in one bit become unlike. tamis.structure.hashing.mix */
static inline uint64_t
mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

/* White space as str.isspace has it. */
static inline int
is_white(Py_UCS4 character)
{
    return character < 128 ? character == ' ' || (character >= 9 && character <= 13) || (character >= 28 && character <= 31)
                           : Py_UNICODE_ISSPACE(character);
}

/* A decimal digit, as str.isdecimal has it. */
static inline int
is_digit(Py_UCS4 character)
{
    return character < 128 ? character >= '0' && character <= '9' : Py_UNICODE_ISDECIMAL(character);
}

/* Where a text begins and ends without the white space around it. */
static inline void
strip(PyObject *text, Py_ssize_t *first, Py_ssize_t *last)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    *first = 0;
    *last = PyUnicode_GET_LENGTH(text);
    while (*first < *last && is_white(PyUnicode_READ(kind, data, *first)))
        ++*first;
    while (*first < *last && is_white(PyUnicode_READ(kind, data, *last - 1)))
        --*last;
}

/* ---- arguments and results -------------------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 28, MOST_PIECES = 10, MOST_RESULTS = 12 };

/* What a call borrows, the memory it takes, and what it gives back; finished() ends it. Whatever fails sets an error. */
typedef struct {
    Py_buffer column[MOST_COLUMNS];
    void *memory[MOST_PIECES];
    PyObject *result[MOST_RESULTS];
    int columns, pieces, results;
} call;

/* Set the error of memory that is used up. -1. */
static inline int
no_memory(void)
{
    PyErr_NoMemory();
    return -1;
}

/* Zeroed memory for `count` entries and one more, as long as the call lasts. NULL: error. */
static inline void *
room(call *c, Py_ssize_t count, size_t size)
{
    void *memory = c->memory[c->pieces++] = PyMem_Calloc((size_t)count + 1, size);
    if (memory == NULL)
        no_memory();
    return memory;
}

/* The same, not zeroed. */
static inline void *
room_unset(call *c, Py_ssize_t count, size_t size)
{
    void *memory = c->memory[c->pieces++] = (size_t)count >= PY_SSIZE_T_MAX / size ? NULL : PyMem_Malloc(((size_t)count + 1) * size);
    if (memory == NULL)
        no_memory();
    return memory;
}

/* A result of the call; NULL is an error. The object. */
static inline PyObject *
give(call *c, PyObject *result)
{
    return c->result[c->results++] = result;
}

/* A column of `count` entries as a result of the call: its memory. NULL: error. */
static inline void *
give_column(call *c, Py_ssize_t count, size_t size)
{
    PyObject *bytes = give(c, PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)size));
    return bytes == NULL ? NULL : PyBytes_AS_STRING(bytes);
}

/* A copy of a column as a result of the call. */
static inline void
give_copy(call *c, const void *data, Py_ssize_t count, size_t size)
{
    give(c, PyBytes_FromStringAndSize(data, count * (Py_ssize_t)size));
}

/* The end of a call: what it gives back, several results as a tuple; NULL where there was an error. */
static inline PyObject *
finished(call *c)
{
    PyObject *all = PyErr_Occurred() ? NULL : c->results == 1 ? Py_NewRef(c->result[0]) : PyTuple_New(c->results);
    while (c->results-- > 0) {
        if (all != NULL && all != c->result[c->results])
            PyTuple_SET_ITEM(all, c->results, Py_NewRef(c->result[c->results]));
        Py_XDECREF(c->result[c->results]);
    }
    while (c->pieces > 0)
        PyMem_Free(c->memory[--c->pieces]);
    while (c->columns > 0)
        PyBuffer_Release(&c->column[--c->columns]);
    return all;
}

/* A column of `length` entries of `size` bytes (any number: length -1, and it is set). NULL: error. */
static inline const void *
column(call *c, PyObject *object, size_t size, Py_ssize_t *length)
{
    static const char nothing[8];
    Py_buffer *view = &c->column[c->columns];
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    c->columns++;
    if (view->len % (Py_ssize_t)size != 0 || (*length >= 0 && view->len != *length * (Py_ssize_t)size)) {
        PyErr_SetString(PyExc_ValueError, "columns do not fit each other");
        return NULL;
    }
    *length = view->len / (Py_ssize_t)size;
    return view->len > 0 ? view->buf : nothing;
}

static inline int
are_texts(PyObject *list)
{
    int texts = PyList_Check(list);
    for (Py_ssize_t k = 0; texts && k < PyList_GET_SIZE(list); k++)
        texts = PyUnicode_Check(PyList_GET_ITEM(list, k));
    if (!texts)
        PyErr_SetString(PyExc_TypeError, "texts are a list of str");
    return texts;
}

/* Read the arguments of a call, a letter each:
 *     1 2 4 8  a column of entries of this many bytes: the addresses of a pointer and of a length, as in column()
 *     n d      a whole number, any number: the address of a Py_ssize_t, of a double
 *     S L T D  a list of str, a list, a tuple, a dict: the address of a PyObject *
 *     O        any object, the same
 * The references are borrowed. 0: done; -1: error. */
static inline int
arguments(call *c, PyObject *args, const char *format, ...)
{
    int ok = PyTuple_GET_SIZE(args) == (Py_ssize_t)strlen(format);
    if (!ok)
        PyErr_Format(PyExc_TypeError, "%zd arguments are wanted, not %zd", (Py_ssize_t)strlen(format), PyTuple_GET_SIZE(args));
    va_list to;
    va_start(to, format);
    for (Py_ssize_t k = 0; ok && format[k] != 0; k++) {
        PyObject *object = PyTuple_GET_ITEM(args, k);
        void *target = va_arg(to, void *);
        if (format[k] == 'n') {
            Py_ssize_t number = PyLong_AsSsize_t(object);
            ok = number != -1 || !PyErr_Occurred();
            memcpy(target, &number, sizeof number);
        }
        else if (format[k] == 'd') {
            double number = PyFloat_AsDouble(object);
            ok = number != -1 || !PyErr_Occurred();
            memcpy(target, &number, sizeof number);
        }
        else if (format[k] > '8') {
            ok = format[k] == 'S'   ? are_texts(object)
                 : format[k] == 'L' ? PyList_Check(object)
                 : format[k] == 'T' ? PyTuple_Check(object)
                                    : format[k] == 'O' || PyDict_Check(object);
            if (!ok && !PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "an argument is of the wrong type");
            memcpy(target, &object, sizeof object);
        }
        else {
            const void *data = column(c, object, (size_t)(format[k] - '0'), va_arg(to, Py_ssize_t *));
            ok = data != NULL;
            memcpy(target, &data, sizeof data);
        }
    }
    va_end(to);
    return ok ? 0 : -1;
}

/* Set an error, if none is set: an index leads out of its column. -1. */
static inline int
misfit(void)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "columns do not fit each other: an index is out of its column");
    return -1;
}

/* The flags of a tag code, by a table of those that are known. */
static inline unsigned char
flags_by(const unsigned char *flags, Py_ssize_t known, int32_t code)
{
    return code >= 0 && code < known ? flags[code] : 0;
}

/* Append a new object to a list. 0: done; -1: error. */
static inline int
append_new(PyObject *list, PyObject *object)
{
    int failed = object == NULL || PyList_Append(list, object) < 0;
    Py_XDECREF(object);
    return failed ? -1 : 0;
}

/* The first place in [low, high) of a rising column with a value of key or more. */
static inline size_t
first_from(const uint64_t *value, size_t low, size_t high, uint64_t key)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- equal keys ------------------------------------------------------------------------------------------------------- */

/* Number equal keys from 0 in the order they are met: `number` of each key, and the `first` place of each number. How many numbers
 * there are; -1: no memory. */
static inline Py_ssize_t
number_keys(const uint64_t *key, Py_ssize_t count, int32_t *number, int32_t *first)
{
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    int32_t *slot = PyMem_Malloc(size * sizeof *slot), next = 0; /* the number of a key; -1: free */
    if (slot == NULL)
        return no_memory();
    memset(slot, 0xFF, size * sizeof *slot);
    for (Py_ssize_t i = 0; i < count; i++) {
        size_t at = (size_t)mix(key[i]) & (size - 1);
        while (slot[at] >= 0 && key[first[slot[at]]] != key[i])
            at = (at + 1) & (size - 1);
        if (slot[at] < 0) {
            first[next] = (int32_t)i;
            slot[at] = next++;
        }
        number[i] = slot[at];
    }
    PyMem_Free(slot);
    return next;
}

/* ---- modules --------------------------------------------------------------------------------------------------------- */

/* Raised with every change of what a function takes or gives; tamis.native.__init__ refuses modules of another version. */
#define VERSION 22

static inline int
prepare_nothing(PyObject *module)
{
    return 0;
}

/* The parser and NumPy are for one interpreter and its lock; these modules ask for no more, so they keep tables in static memory. */
#if PY_VERSION_HEX >= 0x030C0000
#define ONE_INTERPRETER {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#else
#define ONE_INTERPRETER
#endif
#if PY_VERSION_HEX >= 0x030D0000
#define WITH_LOCK {Py_mod_gil, Py_MOD_GIL_USED},
#else
#define WITH_LOCK
#endif

/* The end of the module tamis.native.<name>; `prepare` fills its static tables (or prepare_nothing). */
#define NATIVE_MODULE(name, text, functions, prepare)                                                                                 \
    static int                                                                                                                         \
    add_version(PyObject *module)                                                                                                      \
    {                                                                                                                                  \
        return PyModule_AddIntConstant(module, "VERSION", VERSION);                                                                    \
    }                                                                                                                                  \
    static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, prepare}, {Py_mod_exec, add_version}, ONE_INTERPRETER WITH_LOCK {0, NULL}};                             \
    static struct PyModuleDef module_definition = {                                                                                    \
        PyModuleDef_HEAD_INIT, .m_name = "tamis.native." #name, .m_doc = text, .m_methods = functions, .m_slots = module_slots,        \
    };                                                                                                                                 \
    PyMODINIT_FUNC PyInit_##name(void)                                                                                                 \
    {                                                                                                                                  \
        return PyModuleDef_Init(&module_definition);                                                                                   \
    }

#endif
