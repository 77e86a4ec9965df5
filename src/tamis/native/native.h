/* What the compiled modules share: buffers that a call borrows, a hash, white space, and the end of a module. */
#ifndef TAMIS_NATIVE_H
#define TAMIS_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

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

/* ---- columns --------------------------------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 20 };

/* The buffers that a call borrows, released together. */
typedef struct {
    Py_buffer taken[MOST_COLUMNS];
    int count;
} columns;

static inline void
release(columns *given)
{
    while (given->count > 0)
        PyBuffer_Release(&given->taken[--given->count]);
}

/* A column of `length` entries of `size` bytes (any number: length -1, and it is set). NULL: error. */
static inline const void *
column(columns *given, PyObject *object, size_t size, Py_ssize_t *length)
{
    static const char nothing[8];
    Py_buffer *view = &given->taken[given->count];
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    given->count++;
    if (view->len % (Py_ssize_t)size != 0 || (*length >= 0 && view->len != *length * (Py_ssize_t)size)) {
        PyErr_SetString(PyExc_ValueError, "columns do not fit each other");
        return NULL;
    }
    *length = view->len / (Py_ssize_t)size;
    return view->len > 0 ? view->buf : nothing;
}

/* A column to give back. */
static inline PyObject *
bytes_of(const void *data, size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)(count * size));
}

/* Set an error, if none is set: an index leads out of its column. -1. */
static inline int
misfit(void)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "columns do not fit each other: an index is out of its column");
    return -1;
}

/* ---- modules --------------------------------------------------------------------------------------------------------- */

static inline int
prepare_nothing(PyObject *module)
{
    (void)module;
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
    static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, prepare}, ONE_INTERPRETER WITH_LOCK {0, NULL}};                             \
    static struct PyModuleDef module_definition = {                                                                                    \
        PyModuleDef_HEAD_INIT, .m_name = "tamis.native." #name, .m_doc = text, .m_methods = functions, .m_slots = module_slots,        \
    };                                                                                                                                 \
    PyMODINIT_FUNC PyInit_##name(void)                                                                                                 \
    {                                                                                                                                  \
        return PyModuleDef_Init(&module_definition);                                                                                   \
    }

#endif
