/* Work on the columns of a page, compiled: digests, templates held against them, a look at the markup; what others
 * do with NumPy, node by node in C. Most pages are small, so that some hundred calls of NumPy cost more than the parser does.
 *
 * Every function takes columns as buffers and gives columns as bytes. Indices are checked where they are followed, so that
 * columns that do not fit each other end in an error.
 */
#include "native.h"

/* Bits of the table of flags by tag code. tamis.site.digest._flags */
enum { BLOCK = 1, PREFORMATTED = 2, BREAK = 4, UNSEEN = 8 };

/* tamis.site.template.VERDICTS */
enum { UNDECIDED, CONTENT, OUTSIDE, STATIC, LINKS };

#define PATH_BASE UINT64_C(0x9E3779B97F4A7C15) /* tamis.structure.hashing._BASE */
#define TEXT_BASE UINT64_C(0xD1342543DE82EF95) /* tamis.structure.hashing._TEXT_BASE */
#define PLACE_AND_TEXT UINT64_C(0xD6E8FEB86659FD93) /* tamis.site.template.PLACE_AND_TEXT */

/* ---- hashes of texts ---------------------------------------------------------------------------------------------------- */

/* A sequence of characters: the sum of mixed characters by powers of a base, tamis.structure.hashing.text_hashes */
typedef struct {
    uint64_t sum;
    uint64_t power;
} running;

static uint64_t of_ascii[128];

static void
feed(running *hash, Py_UCS4 character)
{
    hash->sum += (character < 128 ? of_ascii[character] : mix((uint64_t)character + 1)) * hash->power;
    hash->power *= TEXT_BASE;
}

static uint64_t
finished(const running *hash)
{
    return hash->sum + of_ascii[0] * hash->power;
}

static int
is_of_word(Py_UCS4 character)
{
    if (character < 128)
        return (character >= '0' && character <= '9') || ((character | 32) >= 'a' && (character | 32) <= 'z');
    return Py_UNICODE_ISALNUM(character);
}

/* A sequence under way, of pieces with one space between them: words, or what stands between white space. */
typedef struct {
    running hash;
    int begun; /* there was a piece */
    int apart; /* what separates pieces came since */
} pieces;

/* Kinds of the characters of ASCII, in bits. */
enum { WHITE = 1, OF_WORD = 2 };
static unsigned char kind_of_ascii[128];

/* Add a text of ASCII; what is not of the wanted kind separates. In registers: every page pays for this. */
static void
add_ascii(pieces *p, const unsigned char *data, Py_ssize_t length, unsigned char mask, unsigned char wanted)
{
    uint64_t sum = p->hash.sum, power = p->hash.power;
    int begun = p->begun, apart = p->apart;
    for (Py_ssize_t i = 0; i < length; i++) {
        unsigned char character = data[i];
        if ((kind_of_ascii[character] & mask) != wanted) {
            apart = 1;
            continue;
        }
        if (apart && begun) {
            sum += of_ascii[' '] * power;
            power *= TEXT_BASE;
        }
        sum += of_ascii[character] * power;
        power *= TEXT_BASE;
        apart = 0;
        begun = 1;
    }
    p->hash.sum = sum;
    p->hash.power = power;
    p->begun = begun;
    p->apart = apart;
}

/* Add a text: its words, or all but white space. */
static void
add_pieces(pieces *p, PyObject *text, int words)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_IS_ASCII(text)) {
        add_ascii(p, PyUnicode_DATA(text), length, words ? OF_WORD : WHITE, words ? OF_WORD : 0);
        return;
    }
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        if (words ? !is_of_word(character) : is_white(character)) {
            p->apart = 1;
            continue;
        }
        if (p->apart && p->begun)
            feed(&p->hash, ' ');
        feed(&p->hash, character);
        p->apart = 0;
        p->begun = 1;
    }
}

/* A hash of all texts from first to last, white space collapsed. */
static uint64_t
hash_of_line(PyObject *texts, int32_t first, int32_t last)
{
    pieces line = {{0, 1}, 0, 0};
    for (int32_t t = first; t < last; t++)
        add_pieces(&line, PyList_GET_ITEM(texts, t), 0);
    return finished(&line.hash);
}

/* A hash of the words outside links in the texts from first to last. 0: there is none. */
static int
hash_of_words(PyObject *texts, const unsigned char *linked, int32_t first, int32_t last, uint64_t *result)
{
    pieces words = {{0, 1}, 0, 0};
    for (int32_t t = first; t < last; t++) {
        if (linked[t])
            words.apart = 1;
        else
            add_pieces(&words, PyList_GET_ITEM(texts, t), 1);
    }
    *result = finished(&words.hash);
    return words.begun;
}

/* Characters of a text without outer white space. */
static Py_ssize_t
stripped_length(PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t first = 0, last = PyUnicode_GET_LENGTH(text);
    while (first < last && is_white(PyUnicode_READ(kind, data, first)))
        first++;
    while (first < last && is_white(PyUnicode_READ(kind, data, last - 1)))
        last--;
    return last - first;
}

PyDoc_STRVAR(text_hashes_doc, "text_hashes(texts)\n--\n\nSee columns.pyi.");

static PyObject *
text_hashes(PyObject *module, PyObject *texts)
{
    (void)module;
    if (!PyList_Check(texts))
        return PyErr_Format(PyExc_TypeError, "texts are a list");
    Py_ssize_t count = PyList_GET_SIZE(texts);
    PyObject *hashes = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint64_t));
    if (hashes == NULL)
        return NULL;
    for (Py_ssize_t t = 0; t < count; t++) {
        PyObject *text = PyList_GET_ITEM(texts, t);
        if (!PyUnicode_Check(text)) {
            Py_DECREF(hashes);
            return PyErr_Format(PyExc_TypeError, "a text is a str");
        }
        running hash = {0, 1};
        int kind = PyUnicode_KIND(text);
        const void *data = PyUnicode_DATA(text);
        Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        for (Py_ssize_t i = 0; i < length; i++)
            feed(&hash, PyUnicode_READ(kind, data, i));
        uint64_t value = finished(&hash);
        memcpy(PyBytes_AS_STRING(hashes) + t * (Py_ssize_t)sizeof value, &value, sizeof value);
    }
    return hashes;
}

/* ---- the digest of a page ----------------------------------------------------------------------------------------------- */

typedef struct {
    /* the page */
    const int32_t *tag, *parent, *end, *text_nodes;
    const unsigned char *link, *flags;
    PyObject *texts;
    Py_ssize_t nodes, count, known;
    /* made here, by node */
    int32_t *nearest;  /* the innermost block-level element */
    int32_t *breaks;   /* line boundaries before the node */
    int32_t *position; /* number among the elements kept, -1: not kept */
    /* by text */
    unsigned char *linked;
    /* blocks, at most as many as texts */
    int32_t *element, *first, *last;
    int64_t *length, *link_length;
    uint64_t *hash;
    Py_ssize_t blocks;
} page;

static unsigned char
flags_of(const page *p, int32_t code)
{
    return code >= 0 && code < p->known ? p->flags[code] : 0;
}

static int
find_blocks(page *p)
{
    int32_t link_until = 0, unseen_until = 0, holder = -1, holder_until = 0;
    int64_t line = 0, line_before = 0;
    Py_ssize_t t = 0, before = -2; /* the text met last that is seen */
    for (Py_ssize_t i = 0; i < p->nodes; i++) {
        int32_t parent = p->parent[i], end = p->end[i];
        if (parent >= i || (parent < 0 && i > 0) || end <= i || end > p->nodes)
            return misfit();
        unsigned char flags = flags_of(p, p->tag[i]);
        if (flags & BREAK) {
            p->breaks[i]++;
            p->breaks[end]++;
        }
        line += p->breaks[i];
        p->nearest[i] = i == 0 ? 0 : flags & BLOCK ? (int32_t)i : p->nearest[parent];
        if (p->link[i] && end > link_until)
            link_until = end;
        if ((flags & UNSEEN) && end > unseen_until)
            unseen_until = end;
        if ((flags & PREFORMATTED) && i >= holder_until) {
            holder = (int32_t)i;
            holder_until = end;
        }
        if (t == p->count || p->text_nodes[t] != i)
            continue;
        p->linked[t] = i < link_until;
        if (i >= unseen_until) {
            int inside = holder >= 0 && holder < i && i < holder_until;
            int64_t here = inside ? -1 - (int64_t)holder : line;
            if (before != t - 1 || here != line_before) {
                p->element[p->blocks] = inside ? holder : i == 0 ? 0 : p->nearest[parent];
                p->first[p->blocks] = (int32_t)t;
                p->length[p->blocks] = p->link_length[p->blocks] = 0;
                p->blocks++;
            }
            Py_ssize_t length = stripped_length(PyList_GET_ITEM(p->texts, t));
            p->last[p->blocks - 1] = (int32_t)t + 1;
            p->length[p->blocks - 1] += length;
            if (p->linked[t])
                p->link_length[p->blocks - 1] += length;
            before = t;
            line_before = here;
        }
        t++;
    }
    return t == p->count ? 0 : misfit();
}

static void
hash_blocks(page *p)
{
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        int mixed = p->link_length[b] > 0 && p->link_length[b] < p->length[b];
        if (!mixed || !hash_of_words(p->texts, p->linked, p->first[b], p->last[b], &p->hash[b]))
            p->hash[b] = hash_of_line(p->texts, p->first[b], p->last[b]);
    }
}

/* The elements that have a block at or below them, as columns. */
static PyObject *
kept_elements(page *p)
{
    Py_ssize_t kept = 0;
    memset(p->position, 0, ((size_t)p->nodes + 1) * sizeof(int32_t));
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        for (int32_t node = p->element[b]; node >= 0 && !p->position[node]; node = p->parent[node]) {
            p->position[node] = 1;
            kept++;
        }
    PyObject *elements = PyBytes_FromStringAndSize(NULL, kept * (Py_ssize_t)sizeof(int64_t));
    PyObject *parents = PyBytes_FromStringAndSize(NULL, kept * (Py_ssize_t)sizeof(int32_t));
    PyObject *ends = PyBytes_FromStringAndSize(NULL, kept * (Py_ssize_t)sizeof(int32_t));
    PyObject *holders = PyBytes_FromStringAndSize(NULL, p->blocks * (Py_ssize_t)sizeof(int32_t));
    if (elements == NULL || parents == NULL || ends == NULL || holders == NULL) {
        Py_XDECREF(elements);
        Py_XDECREF(parents);
        Py_XDECREF(ends);
        Py_XDECREF(holders);
        return NULL;
    }
    int64_t *element = (int64_t *)(void *)PyBytes_AS_STRING(elements);
    int32_t *parent = (int32_t *)(void *)PyBytes_AS_STRING(parents);
    int32_t *end = (int32_t *)(void *)PyBytes_AS_STRING(ends);
    int32_t *holder = (int32_t *)(void *)PyBytes_AS_STRING(holders);
    int32_t next = 0;
    for (Py_ssize_t i = 0; i <= p->nodes; i++) { /* position becomes the number of kept elements before the node */
        int here = i < p->nodes && p->position[i];
        p->position[i] = next;
        if (here) {
            element[next] = i;
            parent[next] = p->parent[i] < 0 ? -1 : p->position[p->parent[i]];
            next++;
        }
    }
    for (int32_t e = 0; e < next; e++)
        end[e] = p->position[p->end[element[e]]];
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        holder[b] = p->position[p->element[b]];
    return Py_BuildValue("(NNNN)", elements, parents, ends, holders);
}

/* Room for what is made of a page, zeroed; NULL: error. To be freed by the caller. */
static char *
make_room(page *p)
{
    size_t nodes = (size_t)p->nodes + 1, texts = (size_t)p->count + 1;
    char *room = PyMem_Calloc(nodes * 3 * sizeof(int32_t) + texts * (3 * sizeof(uint64_t) + 3 * sizeof(int32_t) + 1), 1);
    if (room == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    p->hash = (uint64_t *)(void *)room;
    p->length = (int64_t *)(void *)(p->hash + texts);
    p->link_length = p->length + texts;
    p->element = (int32_t *)(void *)(p->link_length + texts);
    p->first = p->element + texts;
    p->last = p->first + texts;
    p->nearest = p->last + texts;
    p->breaks = p->nearest + nodes;
    p->position = p->breaks + nodes;
    p->linked = (unsigned char *)(p->position + nodes);
    return room;
}

/* Hashes of the blocks, and the elements that hold them. */
static PyObject *
hashed(page *p)
{
    hash_blocks(p);
    PyObject *elements = kept_elements(p);
    return elements == NULL ? NULL : Py_BuildValue("(NN)", bytes_of(p->hash, (size_t)p->blocks, sizeof(uint64_t)), elements);
}

static PyObject *
blocks_of(page *p, int with_hashes)
{
    char *room = make_room(p);
    PyObject *result = NULL, *more;
    if (room != NULL && find_blocks(p) == 0 && (more = with_hashes ? hashed(p) : Py_NewRef(Py_None)) != NULL)
        result = Py_BuildValue("(NNNNNN)", bytes_of(p->element, (size_t)p->blocks, sizeof(int32_t)),
                               bytes_of(p->first, (size_t)p->blocks, sizeof(int32_t)), bytes_of(p->last, (size_t)p->blocks, sizeof(int32_t)),
                               bytes_of(p->length, (size_t)p->blocks, sizeof(int64_t)), bytes_of(p->link_length, (size_t)p->blocks, sizeof(int64_t)),
                               more);
    PyMem_Free(room);
    return result;
}

static int
are_texts(PyObject *texts)
{
    for (Py_ssize_t t = 0; t < PyList_GET_SIZE(texts); t++)
        if (!PyUnicode_Check(PyList_GET_ITEM(texts, t))) {
            PyErr_SetString(PyExc_TypeError, "a text is a str");
            return 0;
        }
    return 1;
}

PyDoc_STRVAR(blocks_doc, "blocks(tag, parent, end, link, text_nodes, texts, flags, with_hashes)\n--\n\nSee columns.pyi.");

static PyObject *
blocks(PyObject *module, PyObject *args)
{
    PyObject *tag, *parent, *end, *link, *text_nodes, *flags, *result = NULL;
    page p = {0};
    columns given = {.count = 0};
    int with_hashes;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOO!Op:blocks", &tag, &parent, &end, &link, &text_nodes, &PyList_Type, &p.texts, &flags, &with_hashes))
        return NULL;
    p.nodes = p.known = -1;
    p.count = PyList_GET_SIZE(p.texts);
    if (are_texts(p.texts) && (p.tag = column(&given, tag, sizeof(int32_t), &p.nodes)) != NULL &&
        (p.parent = column(&given, parent, sizeof(int32_t), &p.nodes)) != NULL &&
        (p.end = column(&given, end, sizeof(int32_t), &p.nodes)) != NULL &&
        (p.link = column(&given, link, 1, &p.nodes)) != NULL &&
        (p.text_nodes = column(&given, text_nodes, sizeof(int32_t), &p.count)) != NULL &&
        (p.flags = column(&given, flags, 1, &p.known)) != NULL)
        result = blocks_of(&p, with_hashes);
    release(&given);
    return result;
}

PyDoc_STRVAR(text_lengths_doc, "text_lengths(texts, text_nodes, nodes)\n--\n\nSee columns.pyi.");

static PyObject *
text_lengths(PyObject *module, PyObject *args)
{
    PyObject *texts, *text_nodes, *result = NULL;
    columns given = {.count = 0};
    Py_ssize_t nodes;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!On:text_lengths", &PyList_Type, &texts, &text_nodes, &nodes))
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(texts);
    const int32_t *node = nodes < 0 || !are_texts(texts) ? NULL : column(&given, text_nodes, sizeof(int32_t), &count);
    if (node != NULL && (result = PyBytes_FromStringAndSize(NULL, nodes * (Py_ssize_t)sizeof(int32_t))) != NULL) {
        int32_t *length = (int32_t *)(void *)PyBytes_AS_STRING(result);
        memset(length, 0, (size_t)nodes * sizeof(int32_t));
        for (Py_ssize_t t = 0; t < count && result != NULL; t++) {
            if (node[t] < 0 || node[t] >= nodes)
                Py_CLEAR(result);
            else
                length[node[t]] = (int32_t)stripped_length(PyList_GET_ITEM(texts, t));
        }
    }
    if (result == NULL)
        misfit();
    release(&given);
    return result;
}

/* ---- a template held against a page -------------------------------------------------------------------------------------- */

/* Where a value stands in a sorted column; -1: it does not. */
static Py_ssize_t
found_in(const uint64_t *sorted, Py_ssize_t length, uint64_t wanted)
{
    Py_ssize_t low = 0, high = length;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length && sorted[low] == wanted ? low : -1;
}

typedef struct {
    const uint64_t *step, *sorted, *repeated, *text;
    const int64_t *order;
    const int32_t *name, *parent, *stage, *holder, *length;
    const unsigned char *verdict;
    Py_ssize_t names, elements, places, repeats, blocks;
} held;

typedef struct {
    uint64_t sum, power; /* of the path so far */
    uint64_t place;
    int32_t stage;
    unsigned char verdict, known;
} spot;

static int
find_spots(const held *h, spot *at)
{
    for (Py_ssize_t e = 0; e < h->elements; e++) {
        int32_t parent = h->parent[e], name = h->name[e];
        if (parent >= e || (parent < 0 && e > 0) || name < 0 || name >= h->names)
            return misfit();
        at[e].power = parent < 0 ? PATH_BASE : at[parent].power * PATH_BASE;
        at[e].sum = (parent < 0 ? 0 : at[parent].sum) + mix(h->step[name] + PATH_BASE) * at[e].power;
        at[e].place = mix(at[e].sum);
        Py_ssize_t index = found_in(h->sorted, h->places, at[e].place);
        int64_t place = index < 0 ? -1 : h->order[index];
        if (place >= h->places)
            return misfit();
        at[e].known = place >= 0;
        at[e].stage = place < 0 ? -1 : h->stage[place];
        at[e].verdict = place < 0 ? UNDECIDED : h->verdict[place];
        if (parent >= 0 && (at[parent].verdict == STATIC || at[parent].verdict == LINKS))
            at[e].verdict = at[parent].verdict; /* below a menu all is menu, known or not */
    }
    return 0;
}

static PyObject *
held_against(const held *h, spot *at)
{
    int32_t deepest = -1;
    int64_t known = 0;
    if (find_spots(h, at) < 0)
        return NULL;
    PyObject *verdicts = PyBytes_FromStringAndSize(NULL, h->blocks), *repeats = PyBytes_FromStringAndSize(NULL, h->blocks);
    PyObject *roots = PyList_New(0);
    if (verdicts == NULL || repeats == NULL || roots == NULL)
        goto failed;
    for (Py_ssize_t e = 0; e < h->elements; e++)
        if (at[e].stage > deepest)
            deepest = at[e].stage;
    for (Py_ssize_t e = 0; e < h->elements && deepest >= 0; e++)
        if (at[e].stage == deepest) {
            PyObject *root = PyLong_FromSsize_t(e);
            int bad = root == NULL || PyList_Append(roots, root) < 0;
            Py_XDECREF(root);
            if (bad)
                goto failed;
        }
    for (Py_ssize_t b = 0; b < h->blocks; b++) {
        if (h->holder[b] < 0 || h->holder[b] >= h->elements) {
            misfit();
            goto failed;
        }
        const spot *here = &at[h->holder[b]];
        PyBytes_AS_STRING(verdicts)[b] = (char)here->verdict;
        PyBytes_AS_STRING(repeats)[b] = found_in(h->repeated, h->repeats, (here->place * PLACE_AND_TEXT) ^ h->text[b]) >= 0;
        if (here->known)
            known += h->length[b];
    }
    return Py_BuildValue("(NNNiL)", verdicts, repeats, roots, (int)deepest, (long long)known);
failed:
    Py_XDECREF(verdicts);
    Py_XDECREF(repeats);
    Py_XDECREF(roots);
    return NULL;
}

PyDoc_STRVAR(hold_doc, "hold(step, name, parent, sorted, order, verdict, stage, repeated, holder, text, length)\n--\n\nSee columns.pyi.");

static PyObject *
hold(PyObject *module, PyObject *args)
{
    PyObject *step, *name, *parent, *sorted, *order, *verdict, *stage, *repeated, *holder, *text, *length, *result = NULL;
    held h = {.names = -1, .elements = -1, .places = -1, .repeats = -1, .blocks = -1};
    columns given = {.count = 0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOO:hold", &step, &name, &parent, &sorted, &order, &verdict, &stage, &repeated, &holder,
                          &text, &length))
        return NULL;
    if ((h.step = column(&given, step, sizeof(uint64_t), &h.names)) != NULL &&
        (h.name = column(&given, name, sizeof(int32_t), &h.elements)) != NULL &&
        (h.parent = column(&given, parent, sizeof(int32_t), &h.elements)) != NULL &&
        (h.sorted = column(&given, sorted, sizeof(uint64_t), &h.places)) != NULL &&
        (h.order = column(&given, order, sizeof(int64_t), &h.places)) != NULL &&
        (h.verdict = column(&given, verdict, 1, &h.places)) != NULL &&
        (h.stage = column(&given, stage, sizeof(int32_t), &h.places)) != NULL &&
        (h.repeated = column(&given, repeated, sizeof(uint64_t), &h.repeats)) != NULL &&
        (h.holder = column(&given, holder, sizeof(int32_t), &h.blocks)) != NULL &&
        (h.text = column(&given, text, sizeof(uint64_t), &h.blocks)) != NULL &&
        (h.length = column(&given, length, sizeof(int32_t), &h.blocks)) != NULL) {
        spot *at = PyMem_Calloc((size_t)h.elements + 1, sizeof(spot));
        result = at == NULL ? PyErr_NoMemory() : held_against(&h, at);
        PyMem_Free(at);
    }
    release(&given);
    return result;
}

/* ---- from blocks to nodes ------------------------------------------------------------------------------------------------ */

PyDoc_STRVAR(spread_doc, "spread(first, last, value, kind, text_nodes, nodes, unread, between)\n--\n\nSee columns.pyi.");

static PyObject *
spread(PyObject *module, PyObject *args)
{
    PyObject *firsts, *lasts, *values, *kinds, *text_nodes, *result = NULL;
    columns given = {.count = 0};
    Py_ssize_t blocks = -1, texts = -1, reasons = 256, nodes, b = 0, node = 0;
    const int32_t *first, *last, *text_node;
    const unsigned char *value, *kind;
    unsigned char unread, between;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOnbb:spread", &firsts, &lasts, &values, &kinds, &text_nodes, &nodes, &unread, &between))
        return NULL;
    if ((first = column(&given, firsts, sizeof(int32_t), &blocks)) && (last = column(&given, lasts, sizeof(int32_t), &blocks)) &&
        (value = column(&given, values, 1, &blocks)) && (kind = column(&given, kinds, 1, &reasons)) &&
        (text_node = column(&given, text_nodes, sizeof(int32_t), &texts)) && (nodes >= 0 || misfit() == 0) &&
        (result = PyBytes_FromStringAndSize(NULL, nodes)) != NULL) {
        unsigned char *of_node = (unsigned char *)PyBytes_AS_STRING(result), before = between;
        for (Py_ssize_t t = 0; t < texts; t++) {
            while (b < blocks && last[b] <= t)
                b++;
            unsigned char here = b < blocks && first[b] <= t ? value[b] : unread;
            if (text_node[t] < node || text_node[t] >= nodes) {
                misfit();
                Py_CLEAR(result);
                break;
            }
            memset(of_node + node, t == 0 ? here : kind[before] == kind[here] ? before : between, (size_t)(text_node[t] - node));
            of_node[text_node[t]] = before = here;
            node = text_node[t] + 1;
        }
        if (result != NULL)
            memset(of_node + node, before, (size_t)(nodes - node));
    }
    release(&given);
    return result;
}

/* ---- a look at markup ---------------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(look_doc, "look(html, kinds, delimiter, long)\n--\n\nSee columns.pyi.");

/* What two bytes begin: a formatting element, one that does not stay open, one if its name ends there. tamis.page.limits._KINDS */
enum { FORMATTING = 1, LEAF = 2, PERHAPS_LEAF = 4 };

/* Add where a long tag begins; on error the list is gone. */
static void
add_long(PyObject **list, const unsigned char *page, const unsigned char *begin, const unsigned char *end, Py_ssize_t long_tag)
{
    if (*list == NULL || begin == NULL || end - begin <= long_tag)
        return;
    PyObject *start = PyLong_FromSsize_t(begin - page);
    if (start == NULL || PyList_Append(*list, start) < 0)
        Py_CLEAR(*list);
    Py_XDECREF(start);
}

static PyObject *
look(PyObject *module, PyObject *args)
{
    Py_buffer html, kinds, delimiter;
    Py_ssize_t long_tag;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*n:look", &html, &kinds, &delimiter, &long_tag))
        return NULL;
    if (kinds.len != 65536 || delimiter.len != 256)
        PyErr_SetString(PyExc_ValueError, "a table has an entry for every two bytes");
    else {
        const unsigned char *page = html.buf, *at = page, *end = page + html.len, *before = NULL;
        const unsigned char *kind_of = kinds.buf, *ends = delimiter.buf;
        Py_ssize_t tags = 0, formattings = 0, leaves = 0;
        PyObject *long_ones = PyList_New(0);
        while (long_ones != NULL && at + 3 < end && (at = memchr(at, '<', (size_t)(end - 3 - at))) != NULL) {
            unsigned char kind = kind_of[(size_t)at[1] << 8 | at[2]];
            tags++;
            formattings += (kind & FORMATTING) != 0;
            leaves += (kind & LEAF) || ((kind & PERHAPS_LEAF) && ends[at[3]]);
            add_long(&long_ones, page, before, at, long_tag);
            before = at++;
        }
        add_long(&long_ones, page, before, end, long_tag);
        if (long_ones != NULL)
            result = Py_BuildValue("(nnnN)", tags, formattings, tags - leaves, long_ones);
    }
    PyBuffer_Release(&html);
    PyBuffer_Release(&kinds);
    PyBuffer_Release(&delimiter);
    return result;
}

/* ---- names of elements ------------------------------------------------------------------------------------------------------- */

enum { MOST_TOKENS = 12, MOST_CHARACTERS = 80 }; /* tamis.page.element_names.MAX_TOKENS, MAX_TOKEN */

/* Whether a value (None: there is none) is of printable ASCII and white space, so that it is split here as Python does it. */
static int
is_plain(PyObject *value)
{
    if (value == Py_None)
        return 1;
    if (!PyUnicode_IS_ASCII(value))
        return 0;
    const unsigned char *data = PyUnicode_DATA(value);
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(value); i++)
        if (data[i] == 127 || (data[i] < 32 && !(data[i] >= 9 && data[i] <= 13)))
            return 0;
    return 1;
}

/* Add the tokens of a value, each after a tab and a mark; how many characters were written. */
static Py_ssize_t
add_tokens(char *out, PyObject *value, char mark, int most)
{
    const char *data = PyUnicode_DATA(value), *end = data + PyUnicode_GET_LENGTH(value);
    Py_ssize_t written = 0;
    while (most-- > 0) {
        while (data < end && is_white((Py_UCS4)*data))
            data++;
        if (data == end)
            break;
        const char *token = data;
        while (data < end && !is_white((Py_UCS4)*data))
            data++;
        if (mark == '#') /* an id is one token: white space within stays */
            for (data = end; is_white((Py_UCS4)data[-1]);)
                data--;
        Py_ssize_t length = data - token < MOST_CHARACTERS ? data - token : MOST_CHARACTERS;
        out[written] = '\t';
        out[written + 1] = mark;
        memcpy(out + written + 2, token, (size_t)length);
        written += 2 + length;
    }
    return written;
}

/* tamis.page.element_names.element_name */
static PyObject *
name_of(PyObject *tag, PyObject *classes, PyObject *ident, PyObject *make)
{
    char name[MOST_CHARACTERS + (MOST_TOKENS + 1) * (MOST_CHARACTERS + 2)];
    Py_ssize_t length = PyUnicode_GET_LENGTH(tag);
    if (length > MOST_CHARACTERS || !PyUnicode_IS_ASCII(tag) || !is_plain(classes) || !is_plain(ident))
        return PyObject_CallFunctionObjArgs(make, tag, classes, ident, NULL);
    memcpy(name, PyUnicode_DATA(tag), (size_t)length);
    if (classes != Py_None)
        length += add_tokens(name + length, classes, '.', MOST_TOKENS);
    if (ident != Py_None)
        length += add_tokens(name + length, ident, '#', 1);
    return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, name, length);
}

typedef struct {
    const int32_t *tag, *classes, *ident;
    PyObject *tag_names, *class_values, *ident_values, *make; /* borrowed */
    PyObject *names, *indices;
} naming;

/* The text at an index of a list or tuple; None for -1; NULL: error. A borrowed reference. */
static PyObject *
text_at(PyObject *texts, int32_t index)
{
    PyObject *text = index == -1 ? Py_None : index >= 0 && index < PySequence_Fast_GET_SIZE(texts) ? PySequence_Fast_GET_ITEM(texts, index) : NULL;
    if (text == NULL || (text != Py_None && !PyUnicode_Check(text))) {
        misfit();
        return NULL;
    }
    return text;
}

/* The index of the name of an element whose values were not met yet; -1: error. */
static int32_t
new_name(naming *n, Py_ssize_t e)
{
    PyObject *tag = n->tag[e] < 0 ? NULL : text_at(n->tag_names, n->tag[e]), *classes = text_at(n->class_values, n->classes[e]);
    PyObject *ident = text_at(n->ident_values, n->ident[e]), *name = NULL;
    if (tag == NULL || classes == NULL || ident == NULL || (name = name_of(tag, classes, ident, n->make)) == NULL)
        return misfit();
    PyObject *number = PyLong_FromSsize_t(PyList_GET_SIZE(n->names));
    PyObject *known = number == NULL ? NULL : PyDict_SetDefault(n->indices, name, number);
    int32_t index = known == NULL ? -1 : (int32_t)PyLong_AsLong(known);
    if (known == number && known != NULL && PyList_Append(n->names, name) < 0)
        index = -1;
    Py_XDECREF(number);
    Py_DECREF(name);
    return index;
}

static int
name_all(naming *n, Py_ssize_t count, int32_t *index)
{
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    int32_t *first = PyMem_Malloc(size * sizeof(int32_t)); /* by hash, the first element with some values; -1: free */
    if (first == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(first, 0xFF, size * sizeof(int32_t));
    Py_ssize_t e = 0;
    for (; e < count; e++) {
        uint64_t key = mix(mix((uint64_t)(uint32_t)n->tag[e] << 32 | (uint32_t)n->classes[e]) + (uint32_t)n->ident[e]);
        size_t slot = (size_t)key & (size - 1);
        int32_t like;
        while ((like = first[slot]) >= 0 && (n->tag[like] != n->tag[e] || n->classes[like] != n->classes[e] || n->ident[like] != n->ident[e]))
            slot = (slot + 1) & (size - 1);
        if (like < 0)
            first[slot] = (int32_t)e;
        if ((index[e] = like < 0 ? new_name(n, e) : index[like]) < 0)
            break;
    }
    PyMem_Free(first);
    return e == count ? 0 : misfit();
}

PyDoc_STRVAR(element_names_doc, "element_names(tag, classes, ident, tag_names, class_values, ident_values, make)\n--\n\nSee columns.pyi.");

static PyObject *
element_names(PyObject *module, PyObject *args)
{
    PyObject *tag, *classes, *ident, *index, *result = NULL;
    naming n = {NULL};
    columns given = {.count = 0};
    Py_ssize_t count = -1;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO!O!O!O:element_names", &tag, &classes, &ident, &PyTuple_Type, &n.tag_names, &PyList_Type,
                          &n.class_values, &PyList_Type, &n.ident_values, &n.make))
        return NULL;
    if ((n.tag = column(&given, tag, sizeof(int32_t), &count)) != NULL && (n.classes = column(&given, classes, sizeof(int32_t), &count)) != NULL &&
        (n.ident = column(&given, ident, sizeof(int32_t), &count)) != NULL) {
        n.names = PyList_New(0);
        n.indices = PyDict_New();
        index = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int32_t));
        if (n.names != NULL && n.indices != NULL && index != NULL &&
            name_all(&n, count, (int32_t *)(void *)PyBytes_AS_STRING(index)) == 0)
            result = Py_BuildValue("(OO)", index, n.names);
        Py_XDECREF(index);
        Py_XDECREF(n.names);
        Py_XDECREF(n.indices);
    }
    release(&given);
    return result;
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(group_doc, "group(keys)\n--\n\nSee columns.pyi.");

static PyObject *
group(PyObject *module, PyObject *keys)
{
    columns given = {.count = 0};
    Py_ssize_t count = -1;
    PyObject *result = NULL;
    (void)module;
    const uint64_t *key = column(&given, keys, sizeof(uint64_t), &count);
    if (key == NULL) {
        release(&given);
        return NULL;
    }
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    int64_t *slot = PyMem_Malloc(size * sizeof(int64_t)); /* the number of a group, -1: free */
    int64_t *first = PyMem_Malloc(((size_t)count + 1) * sizeof(int64_t));
    PyObject *groups = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (slot == NULL || first == NULL)
        PyErr_NoMemory();
    else if (groups != NULL) {
        int64_t *number = (int64_t *)(void *)PyBytes_AS_STRING(groups), next = 0;
        memset(slot, 0xFF, size * sizeof(int64_t));
        for (Py_ssize_t i = 0; i < count; i++) {
            size_t at = (size_t)mix(key[i]) & (size - 1);
            while (slot[at] >= 0 && key[first[slot[at]]] != key[i])
                at = (at + 1) & (size - 1);
            if (slot[at] < 0) {
                first[next] = i;
                slot[at] = next++;
            }
            number[i] = slot[at];
        }
        result = Py_BuildValue("(ON)", groups, bytes_of(first, (size_t)next, sizeof(int64_t)));
    }
    Py_XDECREF(groups);
    PyMem_Free(slot);
    PyMem_Free(first);
    release(&given);
    return result;
}

static PyMethodDef methods[] = {
    {"element_names", element_names, METH_VARARGS, element_names_doc},
    {"group", group, METH_O, group_doc},
    {"text_hashes", text_hashes, METH_O, text_hashes_doc},
    {"blocks", blocks, METH_VARARGS, blocks_doc},
    {"text_lengths", text_lengths, METH_VARARGS, text_lengths_doc},
    {"hold", hold, METH_VARARGS, hold_doc},
    {"spread", spread, METH_VARARGS, spread_doc},
    {"look", look, METH_VARARGS, look_doc},
    {NULL, NULL, 0, NULL},
};

static int
prepare(PyObject *module)
{
    (void)module;
    for (Py_UCS4 character = 0; character < 128; character++) {
        of_ascii[character] = mix((uint64_t)character + 1);
        kind_of_ascii[character] = (unsigned char)((is_white(character) ? WHITE : 0) | (is_of_word(character) ? OF_WORD : 0));
    }
    return 0;
}

NATIVE_MODULE(columns, "Work on the columns of a page.", methods, prepare)
