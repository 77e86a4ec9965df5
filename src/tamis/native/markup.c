/* Markup before it is parsed: what it would cost the parser, tag by tag. */
#include "native.h"

/* Meanings of a tag's name, in bits; above them its kind of item, if it is one. tamis.page.limits._MEANINGS */
enum { FORMATTING_TAG = 1, OPENS_NOTHING = 2, RAW = 4, FOREIGN = 8, HTML_WITHIN = 16, HTML_AGAIN = 32, CLOSED_BY_KIND = 64 };
enum { OPTION = 128, SELECT = 256, ROOT = 512, PLAINTEXT = 1024, END_MAKES_NODE = 2048, KIND = 12 };

enum { DEEP = 256 };     /* open elements up to which looking through them is not counted */
enum { FEW = 8 };        /* open formatting elements up to which opening them again is not counted */
enum { MOST_ALIKE = 3 }; /* those with the same attributes that the parser opens again (HTML standard, 13.2.4.3) */
enum { MOST_ROOTS = 100 }; /* tags html and body that may add attributes to the first one */
enum { NEAR = 8 };       /* open items that are searched for the one that an end tag closes */
enum { CACHED = 256 };  /* names remembered as they are written */

/* Why a page ends. tamis.page.limits._REASONS */
enum { WHOLE, TOO_DEEP, TOO_MANY_STEPS, TOO_MANY_COPIES, TOO_MANY_NAMES, TOO_MANY_TAGS };
enum { ATTRIBUTES, DEPTH, STEPS, COPIES, NAMES, TAGS, BOUNDS };

/* A name: its meanings, how many elements of it are open, and the last of its open elements and formatting elements (0: none). */
typedef struct {
    int32_t meanings, open, last, last_formatting;
} named;

/* An open element: the open items before it, or which tag as written and how many blocks are around it; and the one of its name before. */
typedef struct {
    int32_t number, blocks, before;
} opened;

/* The state that the parser would carry at a place in the page. */
typedef struct {
    const unsigned char *end; /* of the page */
    PyObject *meanings, *names, *written; /* of names; numbers of names, of formatting tags as they are written, by bytes */
    named *name;
    opened *element;
    int32_t *alike; /* open formatting elements by the number of how they are written */
    uint8_t *item;  /* kinds of the open items */
    int64_t steps, copies, tags;
    int32_t room, elements, items, open, blocks, reopened, options, roots, forms;
    int foreign, is_surplus; /* is_surplus: the tag is left out whole */
    struct {
        const unsigned char *at;
        Py_ssize_t length;
        int32_t number;
        int is_tag;
    } cache[CACHED];
} scales;

/* A start or end tag. */
typedef struct {
    const unsigned char *begin, *name, *attributes, *more, *closing, *end;
    Py_ssize_t length;
    uint32_t hash;
    int is_end;
} tag;

static const unsigned char is_space[256] = {[' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\r'] = 1, ['\f'] = 1};
static const unsigned char ends_name[256] = {[' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\r'] = 1, ['\f'] = 1, ['/'] = 1, ['>'] = 1};
#define HASH UINT32_C(0x9E3779B1)

/* The number of some bytes in a dict of numbers, which is its length for new ones (-2 if they are not to be added). -1: error. */
static int32_t
number_of(PyObject *numbers, const unsigned char *at, Py_ssize_t length, int lower, int add)
{
    PyObject *key = PyBytes_FromStringAndSize(NULL, length), *value; /* not of `at`: bytes of one letter are shared */
    int32_t number = -1;
    if (key == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < length; i++)
        PyBytes_AS_STRING(key)[i] = (char)(lower ? Py_TOLOWER(at[i]) : at[i]);
    if ((value = PyDict_GetItemWithError(numbers, key)) != NULL)
        number = (int32_t)PyLong_AsLong(value);
    else if (!PyErr_Occurred()) {
        number = add ? (int32_t)PyDict_GET_SIZE(numbers) : -2;
        if (add && ((value = PyLong_FromLong(number)) == NULL || PyDict_SetItem(numbers, key, value) < 0))
            number = -1;
        if (add)
            Py_XDECREF(value);
    }
    Py_DECREF(key);
    return number;
}

/* The number of the name of a tag or an attribute; -2 for an end tag's that no start tag had. -1: error. */
static int32_t
number_of_new(scales *s, const unsigned char *at, Py_ssize_t length, uint32_t slot, int is_tag, int add)
{
    int32_t number = number_of(s->names, at, length, is_tag, add);
    if (number < 0)
        return number;
    if (number >= s->room) {
        int32_t room = 2 * s->room + 256;
        named *name = PyMem_Realloc(s->name, (size_t)room * sizeof *name);
        if (name == NULL)
            return no_memory();
        memset(name + s->room, 0, (size_t)(room - s->room) * sizeof *name);
        for (int32_t i = s->room; i < room; i++)
            name[i].meanings = -1;
        s->name = name;
        s->room = room;
    }
    if (is_tag && s->name[number].meanings < 0) {
        int32_t meanings = number_of(s->meanings, at, length, 1, 0);
        if (meanings == -1)
            return -1;
        s->name[number].meanings = meanings < 0 ? 0 : meanings;
    }
    s->cache[slot].at = at;
    s->cache[slot].length = length;
    s->cache[slot].is_tag = is_tag;
    s->cache[slot].number = number;
    return number;
}

static inline int32_t
number_of_name(scales *s, const unsigned char *at, Py_ssize_t length, uint32_t hash, int is_tag, int add)
{
    const uint32_t slot = (hash ^ (uint32_t)is_tag << 31) >> 24;
    const int is_cached = s->cache[slot].length == length && s->cache[slot].is_tag == is_tag && memcmp(s->cache[slot].at, at, (size_t)length) == 0;
    return is_cached ? s->cache[slot].number : number_of_new(s, at, length, slot, is_tag, add);
}

/* The end of an attribute's value, or where there is none. */
static const unsigned char *
after_value(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *value = at;
    while (value < end && is_space[*value])
        value++;
    if (value == end || *value != '=')
        return at;
    while (++value < end && is_space[*value])
        ;
    if (value < end && (*value == '"' || *value == '\'')) {
        const unsigned char *quote = memchr(value + 1, *value, (size_t)(end - value - 1));
        return quote == NULL ? end : quote + 1;
    }
    while (value < end && !is_space[*value] && *value != '>')
        value++;
    return value;
}

/* Read the attributes of a tag, up to `most` and more of them, and its end. The names of the first count, if it is a start tag. 0: done;
 * -1: error. */
static int
read_attributes(scales *s, tag *t, int64_t most)
{
    const unsigned char *at = t->name + t->length, *const end = s->end;
    t->attributes = at;
    t->more = NULL;
    for (t->closing = at;; t->closing = at) {
        while (at < end && (is_space[*at] || *at == '/'))
            at++;
        if (at == end || *at == '>')
            break;
        if (most-- == 0)
            t->more = t->closing;
        const unsigned char *name = at;
        uint32_t hash = *at++ * HASH;
        while (at < end && !ends_name[*at] && *at != '=')
            hash = (hash ^ *at++) * HASH;
        if (most >= 0 && !t->is_end && number_of_name(s, name, at - name, hash, 0, 1) < 0)
            return -1;
        at = after_value(at, end);
    }
    t->more = t->more == NULL ? t->closing : t->more;
    t->end = at < end ? at + 1 : end;
    return 0;
}

/* The next tag from `at` on, with its name; comments and the like have none, and an end. 0: there is none. */
static int
next_tag(const unsigned char *at, const unsigned char *end, tag *t)
{
    const unsigned char *next;
    for (;; at++) {
        if (at == end || (at = memchr(at, '<', (size_t)(end - at))) == NULL || end - at < 2)
            return 0;
        t->begin = at;
        t->is_end = at[1] == '/';
        t->name = at + 1 + t->is_end;
        if (t->name < end && Py_ISALPHA(*t->name))
            break;
        t->length = 0;
        if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
            t->end = at + 4;
            if (end - t->end >= 1 && *t->end == '>')
                t->end++;
            else if (end - t->end >= 2 && t->end[0] == '-' && t->end[1] == '>')
                t->end += 2;
            else
                for (;; t->end++) {
                    if ((t->end = memchr(t->end, '-', (size_t)(end - t->end))) == NULL) {
                        t->end = end;
                        break;
                    }
                    if (end - t->end >= 3 && t->end[1] == '-' && (t->end[2] == '>' || (t->end[2] == '!' && end - t->end >= 4 && t->end[3] == '>'))) {
                        t->end += t->end[2] == '>' ? 3 : 4;
                        break;
                    }
                }
            return 1;
        }
        if (at[1] == '!' || at[1] == '?' || at[1] == '/') {
            next = memchr(at, '>', (size_t)(end - at));
            t->end = next == NULL ? end : next + 1;
            return 1;
        }
    }
    t->hash = 0;
    for (next = t->name; next < end && !ends_name[*next]; next++)
        t->hash = (t->hash ^ *next) * HASH;
    t->length = next - t->name;
    return 1;
}

/* The end of the text of an element that holds no markup. */
static const unsigned char *
end_of_raw(const unsigned char *at, const unsigned char *end, const tag *t)
{
    for (; end - at > t->length + 2 && (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++)
        if (end - at > t->length + 2 && at[1] == '/' && ends_name[at[t->length + 2]]) {
            Py_ssize_t same = 0;
            while (same < t->length && Py_TOLOWER(at[same + 2]) == Py_TOLOWER(t->name[same]))
                same++;
            if (same == t->length)
                return at;
        }
    return end;
}

/* Open an element; `last`: where its name keeps the last one. */
static void
push(scales *s, int32_t *last, int32_t number, int32_t blocks)
{
    opened element = {.number = number, .blocks = blocks, .before = *last};
    s->element[++s->elements] = element;
    *last = s->elements;
}

/* Take in a start tag. Where to go on reading; NULL: error. */
static const unsigned char *
take_start(scales *s, const tag *t)
{
    const int32_t number = number_of_name(s, t->name, t->length, t->hash, 1, 1);
    if (number < 0)
        return NULL;
    named *of = &s->name[number];
    const int32_t meanings = of->meanings, kind = meanings >> KIND;
    if (meanings & FORMATTING_TAG) {
        s->steps += s->reopened;
        const int32_t written = number_of(s->written, t->name, t->more - t->name, 0, 1);
        if (written < 0)
            return NULL;
        if (written == s->forms)
            s->alike[s->forms++] = 0;
        if (s->alike[written] < MOST_ALIKE) {
            s->alike[written]++;
            s->reopened++;
            push(s, &of->last_formatting, written, s->blocks);
        }
    }
    else if (s->reopened > FEW)
        s->copies += s->reopened;
    if (meanings & OPTION)
        s->steps += ++s->options;
    else if (meanings & SELECT)
        s->options = 0;
    else if (meanings & ROOT)
        s->is_surplus = t->more > t->attributes && ++s->roots > MOST_ROOTS;
    if (s->foreign && meanings & (HTML_AGAIN | HTML_WITHIN))
        s->foreign = 0;
    else
        s->foreign |= (meanings & FOREIGN) != 0;
    const int closed = s->foreign && t->end > t->closing + 1 && t->end[-1] == '>' && t->end[-2] == '/';
    if (kind) {
        if (!(meanings & CLOSED_BY_KIND && s->items > 0 && s->item[s->items - 1] == kind))
            s->item[s->items++] = (uint8_t)kind;
    }
    else if (!(meanings & OPENS_NOTHING) && !closed) {
        of->open++;
        s->open++;
        push(s, &of->last, s->items, 0);
        s->blocks += !(meanings & FORMATTING_TAG);
    }
    if (s->open + s->items > DEEP)
        s->steps += s->open + s->items;
    if (meanings & PLAINTEXT)
        return s->end;
    return meanings & RAW && !s->foreign ? end_of_raw(t->end, s->end, t) : t->end;
}

/* Take in an end tag. 0: done; -1: error. */
static int
take_end(scales *s, const tag *t, int32_t outer, int32_t other_outer)
{
    named unknown = {.meanings = 0}, *of = &unknown;
    const int32_t number = number_of_name(s, t->name, t->length, t->hash, 1, 0);
    if (number == -1)
        return -1;
    if (number >= 0)
        of = &s->name[number];
    else if ((unknown.meanings = number_of(s->meanings, t->name, t->length, 1, 0)) < 0) {
        if (unknown.meanings == -1)
            return -1;
        unknown.meanings = 0;
    }
    const int32_t meanings = of->meanings, kind = meanings >> KIND, depth = s->open + s->items;
    s->tags += (meanings & END_MAKES_NODE) != 0;
    if (depth > DEEP)
        s->steps += meanings & FORMATTING_TAG ? 8 * (int64_t)depth : depth; /* the standard's adoption agency goes round 8 times */
    if (of->open) {
        of->open--;
        s->open--;
        s->blocks -= !(meanings & FORMATTING_TAG);
        const opened element = s->element[of->last];
        of->last = element.before;
        s->items = element.number < s->items ? element.number : s->items;
    }
    else
        for (int32_t near = 1; kind && near <= NEAR && near <= s->items; near++)
            if (s->item[s->items - near] == kind) {
                s->items -= near;
                break;
            }
    if (meanings & FORMATTING_TAG && of->last_formatting && s->blocks <= s->element[of->last_formatting].blocks) {
        /* inside of other elements than the start tag it closes nothing for good: the element goes on in them */
        s->alike[s->element[of->last_formatting].number]--;
        s->reopened--;
        of->last_formatting = s->element[of->last_formatting].before;
    }
    if (meanings & (FOREIGN | HTML_WITHIN))
        s->foreign = s->name[outer].open || s->name[other_outer].open;
    return 0;
}

/* tamis.page.limits.cut: where a page ends, why, how many tags lose something, and what is kept of it before its end (nothing: all). Given
 * the page, meanings of names, and the bounds. */
static PyObject *
weigh(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t length = -1, bounds = BOUNDS, kept_length = 0, crowded = 0;
    const unsigned char *page;
    const int64_t *most;
    PyObject *meanings;
    if (arguments(&c, args, "1D8", &page, &length, &meanings, &most, &bounds) < 0)
        return finished(&c);
    const Py_ssize_t starts = (length / 3 < most[TAGS] ? length / 3 : (Py_ssize_t)most[TAGS]) + 2;
    scales *s = room(&c, 0, sizeof *s);
    /* not zeroed, as room() would: much of it stays unused */
    if (s == NULL || (s->element = c.memory[c.pieces++] = PyMem_Malloc((size_t)starts * (2 * sizeof *s->element + sizeof *s->alike + 1))) == NULL) {
        no_memory();
        return finished(&c);
    }
    s->alike = (int32_t *)(s->element + 2 * starts);
    s->item = (uint8_t *)(s->alike + starts);
    s->end = page + length;
    s->meanings = meanings;
    s->names = PyDict_New();
    s->written = PyDict_New();
    const unsigned char *at = page, *taken = page, *stop = s->end;
    char *kept = NULL;
    int reason = WHOLE;
    const int32_t svg = s->names == NULL || s->written == NULL ? -1 : number_of_name(s, (const unsigned char *)"svg", 3, 0, 1, 1);
    const int32_t math = svg < 0 ? -1 : number_of_name(s, (const unsigned char *)"math", 4, 0, 1, 1);
    tag t = {.length = 0};
    while (math >= 0 && at != NULL && next_tag(at, s->end, &t) &&
           (t.length == 0 || read_attributes(s, &t, most[ATTRIBUTES]) == 0)) {
        at = t.end;
        s->is_surplus = 0;
        s->tags += !t.is_end || t.length == 0;
        if (t.length > 0 && t.is_end)
            at = take_end(s, &t, svg, math) < 0 ? NULL : at;
        else if (t.length > 0)
            at = take_start(s, &t);
        if (at == NULL)
            break;
        reason = s->open + s->items > most[DEPTH]          ? TOO_DEEP
                 : s->steps > most[STEPS]                  ? TOO_MANY_STEPS
                 : s->copies > most[COPIES]                ? TOO_MANY_COPIES
                 : PyDict_GET_SIZE(s->names) > most[NAMES] ? TOO_MANY_NAMES
                 : s->tags > most[TAGS]                    ? TOO_MANY_TAGS
                                                           : WHOLE;
        if (reason != WHOLE) {
            stop = t.begin;
            break;
        }
        if (t.length > 0 && (s->is_surplus || t.closing > t.more)) {
            if (kept == NULL && (kept = room(&c, length, 1)) == NULL)
                break;
            const unsigned char *until = s->is_surplus ? t.begin : t.more;
            memcpy(kept + kept_length, taken, (size_t)(until - taken));
            kept_length += until - taken;
            taken = s->is_surplus ? t.end : t.closing;
            crowded++;
        }
    }
    Py_XDECREF(s->names);
    Py_XDECREF(s->written);
    PyMem_Free(s->name);
    if (PyErr_Occurred() == NULL) {
        if (kept != NULL && stop > taken) {
            memcpy(kept + kept_length, taken, (size_t)(stop - taken));
            kept_length += stop - taken;
        }
        give(&c, PyLong_FromSsize_t(stop - page));
        give(&c, PyLong_FromLong(reason));
        give(&c, PyLong_FromSsize_t(crowded));
        give_copy(&c, kept, kept_length, 1);
    }
    return finished(&c);
}

/* The first byte that is not ASCII, or the end. */
static const unsigned char *
after_ascii(const unsigned char *at, const unsigned char *end)
{
    for (uint64_t eight; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        if (eight & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < end && *at < 0x80)
        at++;
    return at;
}

/* Whether bytes are UTF-8; the last character may be cut. */
static int
is_utf_8(const unsigned char *at, const unsigned char *const end)
{
    while (at < end) {
        const unsigned char first = *at++;
        int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80, high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if ((first >= 0x80 && first < 0xC2) || first > 0xF4)
            return 0;
        for (; more > 0 && at < end; more--, low = 0x80, high = 0xBF)
            if (*at < low || *at++ > high)
                return 0;
        if (first < 0x80)
            at = after_ascii(at, end);
    }
    return 1;
}

/* The place of the first byte that is not ASCII, and whether as many bytes from there on as are looked at are UTF-8 but for a cut at their end. */
static PyObject *
read_utf_8(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t length = -1, most;
    const unsigned char *page;
    if (arguments(&c, args, "1n", &page, &length, &most) == 0) {
        const unsigned char *first = after_ascii(page, page + length);
        give(&c, PyLong_FromSsize_t(first - page));
        give(&c, PyBool_FromLong(is_utf_8(first, page + length - first < most ? page + length : first + most)));
    }
    return finished(&c);
}

static PyMethodDef methods[] = {{"read_utf_8", read_utf_8, METH_VARARGS, NULL}, {"weigh", weigh, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

NATIVE_MODULE(markup, "Markup before it is parsed.", methods, prepare_nothing)
