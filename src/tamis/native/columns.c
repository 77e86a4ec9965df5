/* Work on the columns of a page: text blocks, digests, tag counts, element names.
 *
 * Most pages are small: a hundred calls of NumPy would cost more than the parser does. Indices are checked where they are followed.
 */
#include "native.h"

/* Bits of the table of flags by tag code. tamis.site.digest._flags */
enum { BLOCK = 1, PREFORMATTED = 2, BREAK = 4, UNSEEN = 8 };

#define TEXT_BASE UINT64_C(0xD1342543DE82EF95) /* tamis.structure.hashing._TEXT_BASE */

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
finished_hash(const running *hash)
{
    return hash->sum + of_ascii[0] * hash->power;
}

/* A sequence under way, of pieces with one space between them: words, or text between white space. */
typedef struct {
    running hash;
    int begun;  /* there was a piece */
    int apart;  /* what separates pieces came since */
    int digits; /* there was a digit of ASCII */
} pieces;

static unsigned char is_part[2][128]; /* of ASCII: whether a character is part of a piece (0), of a word (1) */

/* A sequence and a text: its words, or all but white space. In registers, and compiled for each kind: every page pays for this. */
static inline pieces
added(pieces p, const int kind, const void *data, Py_ssize_t length, int words)
{
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        if (character < 128 ? !is_part[words][character] : words ? !Py_UNICODE_ISALNUM(character) : Py_UNICODE_ISSPACE(character)) {
            p.apart = 1;
            continue;
        }
        if (p.apart && p.begun)
            feed(&p.hash, ' ');
        feed(&p.hash, character);
        p.digits |= character - '0' < 10;
        p.apart = 0;
        p.begun = 1;
    }
    return p;
}

static void
add_pieces(pieces *p, PyObject *text, int words)
{
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    *p = PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND ? added(*p, PyUnicode_1BYTE_KIND, data, length, words)
                                                      : added(*p, PyUnicode_KIND(text), data, length, words);
}

/* Half letters from which a text is a sentence with numbers, not a label and its value: 16 letters, of Chinese and the like 7. */
#define SENTENCE 32

/* A hash of the words in the texts from first to last, of those outside links where linked is given, with every run of numbers as 0, into
   result, if they have enough letters: "3 of 12 comments" is on other pages "1 of 4 comments". */
static void
generalise(PyObject *texts, const unsigned char *linked, int32_t first, int32_t last, uint64_t *result)
{
    running hash = {0, 1};
    int begun = 0, apart = 0, number = 0;
    Py_ssize_t letters = 0;
    for (int32_t t = first; t < last; t++) {
        PyObject *text = PyList_GET_ITEM(texts, t);
        if (linked != NULL && linked[t]) {
            apart = 1;
            continue;
        }
        for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++) {
            Py_UCS4 character = PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), i);
            int digit = is_digit(character);
            if (!digit && (character < 128 ? !is_part[1][character] : !Py_UNICODE_ISALNUM(character))) {
                apart = 1;
                continue;
            }
            if (!digit || !number) {
                if (apart && begun)
                    feed(&hash, ' ');
                feed(&hash, digit ? '0' : character);
            }
            letters += digit ? 0 : character >= 0x2E80 && character < 0xD800 ? 5 : 2;
            number = digit;
            apart = 0;
            begun = 1;
        }
    }
    if (letters >= SENTENCE)
        *result = finished_hash(&hash);
}

/* A hash of the texts from first to last, white space collapsed; where linked is given, of the words outside links. Of sentences with numbers
   that of their general form. 0: there is nothing to hash. */
static int
hash_of_texts(PyObject *texts, const unsigned char *linked, int32_t first, int32_t last, uint64_t *result)
{
    pieces found = {{0, 1}, 0, 0, 0};
    for (int32_t t = first; t < last; t++) {
        if (linked != NULL && linked[t])
            found.apart = 1;
        else
            add_pieces(&found, PyList_GET_ITEM(texts, t), linked != NULL);
    }
    *result = finished_hash(&found.hash);
    if (found.digits)
        generalise(texts, linked, first, last, result);
    return found.begun;
}

/* Characters of a text without outer white space. */
static Py_ssize_t
stripped_length(PyObject *text)
{
    Py_ssize_t first, last;
    strip(text, &first, &last);
    return last - first;
}

/* tamis.structure.hashing.text_hashes, uint64. */
static PyObject *
text_hashes(PyObject *module, PyObject *args)
{
    PyObject *texts;
    call c = {.columns = 0};
    uint64_t *hashes;
    if (arguments(&c, args, "S", &texts) == 0 && (hashes = give_column(&c, PyList_GET_SIZE(texts), sizeof *hashes)) != NULL)
        for (Py_ssize_t t = 0; t < PyList_GET_SIZE(texts); t++) {
            PyObject *text = PyList_GET_ITEM(texts, t);
            running hash = {0, 1};
            for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++)
                feed(&hash, PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), i));
            hashes[t] = finished_hash(&hash);
        }
    return finished(&c);
}

/* ---- the digest of a page ----------------------------------------------------------------------------------------------- */

/* A text block, as tamis.page.blocks reads it. */
typedef struct {
    int64_t length, link_length;
    uint64_t hash;
    int32_t element, first, last;
    int32_t holder; /* the element among those that are kept */
} block;

/* An element with a block at or below it, as tamis.site.digest reads it. */
typedef struct {
    int64_t node;
    int32_t parent, end;
} element;

typedef struct {
    int32_t nearest;  /* the innermost block-level element */
    int32_t breaks;   /* line boundaries before the node */
    int32_t position; /* kept elements before the node */
} place;

typedef struct {
    const int32_t *tag, *parent, *end, *text_nodes;
    const unsigned char *link, *flags;
    PyObject *texts;
    Py_ssize_t nodes, count, known, blocks;
    place *at;             /* each node */
    unsigned char *linked; /* each text */
    block *block;          /* at most as many as texts */
} page;

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
        unsigned char flags = flags_by(p->flags, p->known, p->tag[i]);
        if (flags & BREAK) {
            p->at[i].breaks++;
            p->at[end].breaks++;
        }
        line += p->at[i].breaks;
        p->at[i].nearest = i == 0 ? 0 : flags & BLOCK ? (int32_t)i : p->at[parent].nearest;
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
            if (before != t - 1 || here != line_before)
                p->block[p->blocks++] = (block){.element = inside ? holder : i == 0 ? 0 : p->at[parent].nearest, .first = (int32_t)t};
            block *last = &p->block[p->blocks - 1];
            Py_ssize_t length = stripped_length(PyList_GET_ITEM(p->texts, t));
            last->last = (int32_t)t + 1;
            last->length += length;
            last->link_length += p->linked[t] ? length : 0;
            before = t;
            line_before = here;
        }
        t++;
    }
    return t == p->count ? 0 : misfit();
}

/* Hash the blocks; the elements that have one at or below them, as a column. */
static void
hold_blocks(page *p, call *c)
{
    Py_ssize_t kept = 0;
    int32_t next = 0;
    for (Py_ssize_t b = 0; b < p->blocks; b++) {
        block *here = &p->block[b];
        int mixed = here->link_length > 0 && here->link_length < here->length;
        if (!mixed || !hash_of_texts(p->texts, p->linked, here->first, here->last, &here->hash))
            hash_of_texts(p->texts, NULL, here->first, here->last, &here->hash);
        for (int32_t node = here->element; node >= 0 && !p->at[node].position; node = p->parent[node]) {
            p->at[node].position = 1;
            kept++;
        }
    }
    element *element = give_column(c, kept, sizeof *element);
    if (element == NULL)
        return;
    for (Py_ssize_t i = 0; i <= p->nodes; i++) { /* position becomes the number of kept elements before the node */
        int here = p->at[i].position;
        p->at[i].position = next;
        if (here) {
            element[next].node = i;
            element[next++].parent = p->parent[i] < 0 ? -1 : p->at[p->parent[i]].position;
        }
    }
    for (int32_t e = 0; e < next; e++)
        element[e].end = p->at[p->end[element[e].node]].position;
    for (Py_ssize_t b = 0; b < p->blocks; b++)
        p->block[b].holder = p->at[p->block[b].element].position;
}

/* Of the blocks: element, first, last (int32), length, link_length (int64); with hashes also the elements with a block at or below them (struct
 * element), and the blocks (struct block). */
static PyObject *
blocks(PyObject *module, PyObject *args)
{
    page p = {.nodes = -1, .count = -1, .known = -1};
    call c = {.columns = 0};
    Py_ssize_t with_hashes;
    if (arguments(&c, args, "44414S1n", &p.tag, &p.nodes, &p.parent, &p.nodes, &p.end, &p.nodes, &p.link, &p.nodes, &p.text_nodes,
                  &p.count, &p.texts, &p.flags, &p.known, &with_hashes) == 0 &&
        (PyList_GET_SIZE(p.texts) == p.count || misfit() == 0) && (p.at = room(&c, p.nodes, sizeof *p.at)) != NULL &&
        (p.linked = room_unset(&c, p.count, 1)) != NULL && (p.block = room_unset(&c, p.count, sizeof *p.block)) != NULL && find_blocks(&p) == 0) {
        int32_t *element = give_column(&c, p.blocks, sizeof *element), *first = give_column(&c, p.blocks, sizeof *first);
        int32_t *last = give_column(&c, p.blocks, sizeof *last);
        int64_t *length = give_column(&c, p.blocks, sizeof *length), *link_length = give_column(&c, p.blocks, sizeof *link_length);
        for (Py_ssize_t b = 0; !PyErr_Occurred() && b < p.blocks; b++) {
            element[b] = p.block[b].element;
            first[b] = p.block[b].first;
            last[b] = p.block[b].last;
            length[b] = p.block[b].length;
            link_length[b] = p.block[b].link_length;
        }
        if (with_hashes && !PyErr_Occurred()) {
            hold_blocks(&p, &c);
            give_copy(&c, p.block, p.blocks, sizeof *p.block);
        }
    }
    return finished(&c);
}

/* Bits of the table of flags by tag code. tamis.page.tree._FLAGS */
enum { PARTS_LINES = 1, ASIDE = 2, FORM = 4 };

/* Of tamis.page.tree.PageTree: before, linked_before, length_below (int64), lines_before, text_length, line (int32), in_link, aside (bool). */
static PyObject *
measure(PyObject *module, PyObject *args)
{
    PyObject *texts;
    call c = {.columns = 0};
    Py_ssize_t nodes = -1, count = -1, known = -1, t = 0, i = 0, link_until = 0, aside_until = 0;
    const int32_t *tag, *end, *text_node;
    const unsigned char *link, *flags;
    unsigned char parted = 1, *boundary, *in_link, *aside;
    int64_t *before, *linked, *below;
    int32_t *lines, *length, *line;
    if (arguments(&c, args, "14414S", &flags, &known, &tag, &nodes, &end, &nodes, &link, &nodes, &text_node, &count, &texts) == 0 &&
        (PyList_GET_SIZE(texts) == count || misfit() == 0) && (boundary = room(&c, nodes, 1)) != NULL &&
        (before = give_column(&c, nodes + 1, sizeof *before)) != NULL && (linked = give_column(&c, nodes + 1, sizeof *linked)) != NULL &&
        (below = give_column(&c, nodes, sizeof *below)) != NULL && (lines = give_column(&c, nodes + 1, sizeof *lines)) != NULL && (length = give_column(&c, nodes, sizeof *length)) != NULL &&
        (line = give_column(&c, count, sizeof *line)) != NULL && (in_link = give_column(&c, nodes, 1)) != NULL &&
        (aside = give_column(&c, nodes, 1)) != NULL) {
        before[0] = linked[0] = lines[0] = 0;
        for (; i < nodes && end[i] > i && end[i] <= nodes; i++) {
            const unsigned char its = flags_by(flags, known, tag[i]);
            if (link[i] && end[i] > link_until)
                link_until = end[i];
            if (its & PARTS_LINES)
                boundary[i] = boundary[end[i]] = 1;
            parted |= boundary[i];
            in_link[i] = i < link_until;
            lines[i + 1] = lines[i];
            length[i] = 0;
            if (t < count && text_node[t] == i) {
                length[i] = (int32_t)stripped_length(PyList_GET_ITEM(texts, t));
                lines[i + 1] += parted;
                line[t++] = lines[i + 1] - 1;
                parted = 0;
            }
            before[i + 1] = before[i] + length[i];
            linked[i + 1] = linked[i] + (in_link[i] ? length[i] : 0);
        }
        if (i < nodes || t < count)
            misfit();
        for (Py_ssize_t k = 0; k < i; k++) { /* a form with most of the page is not a form beside it */
            const unsigned char its = flags_by(flags, known, tag[k]);
            if (end[k] > aside_until && ((its & ASIDE) || ((its & FORM) && 2 * (before[end[k]] - before[k]) < before[i])))
                aside_until = end[k];
            aside[k] = k < aside_until;
        }
        while (i-- > 0)
            below[i] = before[end[i]] - before[i];
    }
    return finished(&c);
}

/* ---- what lies in what --------------------------------------------------------------------------------------------------- */

/* tamis.page.tree.PageTree.tagged, int64. Given which tag codes are wanted; the last entry is for all others. */
static PyObject *
tagged(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t known = -1, nodes = -1, found = 0;
    const unsigned char *wanted;
    const int32_t *tag;
    int64_t *node;
    if (arguments(&c, args, "14", &wanted, &known, &tag, &nodes) == 0 && (known > 0 || misfit() == 0) &&
        (node = room_unset(&c, nodes, sizeof *node)) != NULL) {
        for (Py_ssize_t i = 0; i < nodes; i++) {
            const uint32_t code = (uint32_t)tag[i]; /* of those below 0, too, there is none */
            if (wanted[code < known ? code : known - 1])
                node[found++] = i;
        }
        give_copy(&c, node, found, sizeof *node);
    }
    return finished(&c);
}

/* tamis.page.tree.PageTree.subtree_mask, bool. */
static PyObject *
covered(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t nodes = -1, reach = 0;
    const int32_t *end;
    const unsigned char *root;
    unsigned char *within;
    if (arguments(&c, args, "41", &end, &nodes, &root, &nodes) == 0 && (within = give_column(&c, nodes, 1)) != NULL)
        for (Py_ssize_t i = 0; i < nodes; i++) {
            if (root[i] && end[i] > reach)
                reach = end[i];
            within[i] = i < reach;
        }
    return finished(&c);
}

/* tamis.page.tree.PageTree.nearest_ancestor, int32. */
static PyObject *
nearest(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t nodes = -1;
    const int32_t *parent;
    const unsigned char *marked;
    int32_t *holder;
    if (arguments(&c, args, "41", &parent, &nodes, &marked, &nodes) == 0 && (holder = give_column(&c, nodes, sizeof *holder)) != NULL)
        for (Py_ssize_t i = 0; i < nodes; i++)
            holder[i] = marked[i] ? (int32_t)i : parent[i] >= 0 && parent[i] < i ? holder[parent[i]] : -1;
    return finished(&c);
}

/* tamis.page.tree.PageTree.top_level, int64. */
static PyObject *
outermost(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t nodes = -1, count = -1, found = 0, reach = 0;
    const int32_t *end;
    const int64_t *given;
    int64_t *node;
    if (arguments(&c, args, "48", &end, &nodes, &given, &count) == 0 && (node = room(&c, count, sizeof *node)) != NULL) {
        for (Py_ssize_t k = 0; k < count; k++) {
            if ((given[k] < 0 || given[k] >= nodes) && misfit() < 0)
                break;
            if (given[k] >= reach)
                node[found++] = given[k];
            reach = end[given[k]] > reach ? end[given[k]] : reach;
        }
        give_copy(&c, node, found, sizeof *node);
    }
    return finished(&c);
}

/* ---- what a selection keeps of the parts of a page ------------------------------------------------------------------------ */

/* Bits of the table of flags by tag code, of a node, and of a page, and bounds. tamis.document.units */
enum { UNIT = 1, LIST = 2, TERM = 4, MEANING = 8, BODY = 16, UNREAD = 32, TITLE = 64, HEADING = 128, H1 = 256, RICH = 512 };
enum { BUTTON = 1024, FOOTER = 2048, FOOTED = 4096, REPEATING = 8192, FIGURE = 16384, ROW = 32768, CODE = 1 << 16 };
enum { PARTLY = 1, FACTS = 2, DEFINED = 4, LEADS = 8, SHOWN = 16, FOLLOWED = 32, ALIKE = 64, SAID = 128 /* while the page is surveyed */ };
enum { ANNOUNCED = 256, FOOTERS = 512, COPIES = 1024, BUTTONS = 2048, PARTS = 4096, BARE = 8192, BETWEEN = 16384 };
enum {
    LONGEST_FACTS = 2000, /* characters of a list of labels and values */
    LONGEST_TERM = 400,   /* of a term, such as the signature of a function, that is kept with its definition */
    LEAST_FACTS = 3,      /* tamis.document.units: texts with a colon that it holds, at the least */
    FACTS_UP = 4,         /* most levels from a list of labels and values to the element that also holds kept text */
    LONGEST_HEADING = 200, /* tamis.document.adjacent_content */
    LONGEST_BARE = 100,   /* tamis.document.residual_boilerplate.LONGEST_LAST */
    LONGEST_BUTTON = 30,  /* the same */
    SHORTEST_COPY = 20,   /* tamis.document.duplicate_blocks.SHORTEST */
    LEAST_ROWS = 3,       /* rows of one kind, where one is kept that was left out */
    LINES_OF_ROW = 2, LONGEST_ROW = 60 /* lines of a row that is kept as those beside it are, and its characters where it is kept in part */
};
#define LIST_LINKS 0.3
#define MOST_KEPT 0.75       /* tamis.document.units.MAJORITY: kept share of the text of rows of one kind, at the least */
#define MOST_LOST (1 / 3.0)  /* share of rows that are left out, at the most */

/* What is before a node; tamis.document.units._STATE */
typedef struct {
    int64_t total, kept; /* characters that are read, and those kept */
    int32_t texts, next; /* texts that are kept; whether the next text is, the node's own included */
    int32_t left, rich;  /* nodes that are left out; headings and the like */
} state;

typedef struct {
    const int32_t *tag, *parent, *end, *classes, *length, *lines, *text_nodes, *element, *first;
    const int64_t *before, *linked, *block_length;
    const uint32_t *flags;
    const unsigned char *aside, *keep, *reason, *hidden;
    PyObject *texts;
    Py_ssize_t nodes, known, places, count, blocks, dropped;
} surveyed;

static uint32_t
flags_at(const surveyed *s, Py_ssize_t node)
{
    return s->tag[node] >= 0 && s->tag[node] < s->known ? s->flags[s->tag[node]] : 0;
}

static int64_t
length_below(const surveyed *s, Py_ssize_t node)
{
    return s->before[s->end[node]] - s->before[node];
}

/* Whether the characters of links from one node to before another are a small part of some. */
static int
link_few(const surveyed *s, Py_ssize_t first, Py_ssize_t end, int64_t characters)
{
    return (double)(s->linked[end] - s->linked[first]) <= LIST_LINKS * (double)characters;
}

/* Whether the characters of links are a small part of the text below a node. */
static int
has_few_links(const surveyed *s, Py_ssize_t node, int64_t characters)
{
    return link_few(s, node, s->end[node], characters);
}

/* Whether some texts below a node hold a colon. */
static int
states_facts(const surveyed *s, Py_ssize_t node)
{
    Py_ssize_t t = 0, found = 0;
    for (Py_ssize_t high = s->count; t < high;) {
        const Py_ssize_t middle = t + (high - t) / 2;
        if (s->text_nodes[middle] < node)
            t = middle + 1;
        else
            high = middle;
    }
    for (; t < s->count && s->text_nodes[t] < s->end[node] && found < LEAST_FACTS; t++) {
        PyObject *text = PyList_GET_ITEM(s->texts, t);
        const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        found += PyUnicode_FindChar(text, ':', 0, length, 1) >= 0 || PyUnicode_FindChar(text, 0xFF1A, 0, length, 1) >= 0;
    }
    return found >= LEAST_FACTS;
}

/* Whether a node is a list or a term that may have to be kept: what is near it is, and its own text is not, or not all of it. */
static int
is_missed(const surveyed *s, const state *at, Py_ssize_t node, uint32_t its)
{
    const Py_ssize_t end = s->end[node];
    const int64_t total = at[end].total - at[node].total, kept = at[end].kept - at[node].kept;
    if ((its & TERM) && total <= LONGEST_TERM && end < s->nodes && (flags_at(s, end) & MEANING) && s->parent[end] == s->parent[node]) {
        const int64_t defined = at[s->end[end]].kept - at[end].kept;
        return defined > 0 && 2 * defined >= at[s->end[end]].total - at[end].total ? DEFINED : 0;
    }
    if (!(its & LIST) || total > LONGEST_FACTS || s->aside[node] || !has_few_links(s, node, total))
        return 0;
    Py_ssize_t above = s->parent[node];
    for (int up = 0; up < FACTS_UP && above >= 0; up++, above = s->parent[above]) {
        const int64_t more = at[s->end[above]].kept - at[above].kept - kept;
        if (more > 0)
            return !(flags_at(s, above) & BODY) && 2 * more >= total && states_facts(s, node) ? FACTS : 0;
    }
    return 0;
}

static int
ends_in_colon(PyObject *text)
{
    const int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = length; i > 0 && i > length - 2; i--) {
        const Py_UCS4 last = PyUnicode_READ(kind, data, i - 1);
        if (!is_white(last))
            return last == ':' || last == 0xFF1A;
    }
    return 0;
}

/* A number that kept blocks have in common if one may repeat the other; 0: it repeats none. */
static uint64_t
key_of_copy(const surveyed *s, Py_ssize_t block, int64_t length)
{
    if (length < SHORTEST_COPY || s->first[block] < 0 || s->first[block] >= s->count)
        return 0;
    PyObject *text = PyList_GET_ITEM(s->texts, s->first[block]);
    const int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    const Py_ssize_t all = PyUnicode_GET_LENGTH(text);
    uint64_t key = mix((uint64_t)length << 32 ^ (uint64_t)all);
    for (Py_ssize_t i = 0; i < 8 && 2 * i < all; i++)
        key = key * TEXT_BASE + ((uint64_t)PyUnicode_READ(kind, data, i) << 24) + PyUnicode_READ(kind, data, all - 1 - i);
    return key | 1;
}

/* What is before each node, and what a kept text says of the list or the like behind it (SAID); BETWEEN or no bit of the page. -1: error. */
static int
read_forward(const surveyed *s, state *at, unsigned char *bits, uint64_t *copies, Py_ssize_t *copied)
{
    Py_ssize_t unread_until = 0, heading_until = 0, repeating_until = 0, i = 0, t = 0, b = 0;
    int said = 0, listed = 0, headed = 0, may = 0, kept = 0;
    int32_t run = -1; /* element of lines that are left out behind a kept one */
    Py_ssize_t begun = 0;
    at[0] = (state){0};
    for (; i < s->nodes && s->end[i] > i && s->end[i] <= s->nodes && s->parent[i] < i; i++) {
        const uint32_t its = flags_at(s, i);
        if ((its & UNREAD) && s->end[i] > unread_until)
            unread_until = s->end[i];
        if ((its & HEADING) && s->end[i] > heading_until)
            heading_until = s->end[i];
        if ((its & REPEATING) && s->end[i] > repeating_until)
            repeating_until = s->end[i];
        const int32_t length = i < unread_until || s->reason[i] == s->dropped ? 0 : s->length[i];
        at[i + 1] = (state){at[i].total + length, at[i].kept + (s->keep[i] ? length : 0), at[i].texts + (s->tag[i] == 0 && s->keep[i]),
                            0,                    at[i].left + !s->keep[i],               at[i].rich + ((its & RICH) != 0)};
        const int titled = headed && !s->aside[i] && has_few_links(s, i, length_below(s, i));
        bits[i] = (said || ((listed || titled) && (its & LIST))) && (its & UNIT) && !(its & FIGURE) ? SAID : 0;
        if (t == s->count || s->text_nodes[t] != i)
            continue;
        PyObject *text = PyList_GET_ITEM(s->texts, t);
        said = s->keep[i] && ends_in_colon(text);
        listed = s->keep[i];
        headed = i < heading_until;
        for (; b < s->blocks && s->first[b] <= t; b++) {
            const int32_t element = s->element[b];
            if (element < 0 || element >= s->nodes)
                return misfit();
            if (s->first[b] != t)
                continue;
            if (s->keep[i]) {
                may |= run >= 0 && link_few(s, begun, i, s->before[i] - s->before[begun]) ? BETWEEN : 0;
                run = -1;
            }
            else if (element != run) {
                run = kept && !s->aside[element] ? element : -1;
                begun = i;
            }
            kept = s->keep[i];
            if (s->keep[i] && i >= repeating_until && (copies[*copied] = key_of_copy(s, b, s->block_length[b])) != 0)
                ++*copied;
        }
        t++;
    }
    return i < s->nodes || t < s->count ? misfit() : may;
}

/* What may be done about a node, in bits of the page. `at`: what is before each node. */
static int
chances_of(const surveyed *s, const state *at, Py_ssize_t node, uint32_t its, int found)
{
    const state *here = &at[node], *after = &at[s->end[node]];
    const Py_ssize_t parent = s->parent[node];
    const int64_t length = length_below(s, node);
    const int shown = after->texts > here->texts;
    int may = 0;
    if ((found & SAID) && length > 0 && after->rich == here->rich && after->left > here->left)
        may |= ANNOUNCED;
    if ((its & CODE) && after->left > here->left && !s->aside[node])
        may |= BETWEEN;
    if ((its & FOOTER) && parent >= 0 && (flags_at(s, parent) & FOOTED))
        may |= FOOTERS;
    if ((its & BUTTON) && shown)
        may |= BUTTONS;
    if (s->hidden[node] && shown && length <= LONGEST_BUTTON)
        may |= PARTS;
    if ((its & HEADING) && shown && !after->next && !(its & H1) && length <= LONGEST_BARE &&
        2 * (s->linked[s->end[node]] - s->linked[node]) <= length)
        may |= BARE;
    return may;
}

/* The bits of each node; those of the page, and all others together. */
static int
take_survey(const surveyed *s, state *at, unsigned char *bits, uint64_t *copies, Py_ssize_t *copied)
{
    int all = read_forward(s, at, bits, copies, copied);
    for (Py_ssize_t i = s->nodes; all >= 0 && i-- > 0;) {
        const state *after = &at[s->end[i]];
        const int64_t total = after->total - at[i].total, kept = after->kept - at[i].kept;
        const uint32_t its = flags_at(s, i);
        int found = (after->texts > at[i].texts ? SHOWN : 0) | (after->next ? FOLLOWED : 0);
        at[i].next = s->tag[i] == 0 ? s->keep[i] : at[i + 1].next;
        if (s->tag[i] != 0) {
            if ((its & TITLE) && !s->aside[i] && after->next && !at[i].next && at[i].texts > 0 && length_below(s, i) > 0 &&
                length_below(s, i) <= LONGEST_HEADING)
                found |= LEADS;
            if (kept < total)
                found |= is_missed(s, at, i, its) | (kept > 0 && (its & UNIT) ? PARTLY : 0);
            if (its || s->hidden[i])
                all |= chances_of(s, at, i, its, bits[i]);
        }
        all |= bits[i] = (unsigned char)found;
    }
    return all;
}

/* Rows: elements of one parent, tag and class. */
typedef struct {
    int64_t total, kept;
    int32_t count, lost; /* rows; those of them that are left out */
} kind_of_rows;

/* Mark as ALIKE the short rows without links that are left out, or in part, among rows of their kind that are mostly kept; that bit if there
   are any. -1: error. */
static int
mark_alike(const surveyed *s, call *c, const state *at, unsigned char *bits)
{
    uint64_t *key = room_unset(c, s->nodes, sizeof *key);
    int32_t *row = room_unset(c, 3 * s->nodes, sizeof *row), *number = row + s->nodes;
    Py_ssize_t rows = 0;
    int found = 0;
    for (Py_ssize_t i = 0; key != NULL && row != NULL && i < s->nodes; i++)
        if ((flags_at(s, i) & ROW) && s->classes[i] >= 0 && !s->aside[i] && at[s->end[i]].total > at[i].total) {
            key[rows] = mix((uint64_t)(uint32_t)s->parent[i] << 32 | (uint32_t)s->tag[i]) + (uint32_t)s->classes[i];
            row[rows++] = (int32_t)i;
        }
    const Py_ssize_t kinds = rows > 0 ? number_keys(key, rows, number, number + s->nodes) : 0;
    kind_of_rows *kind = key == NULL || row == NULL || kinds < 0 ? NULL : room(c, kinds, sizeof *kind);
    for (Py_ssize_t k = 0; kind != NULL && k < rows; k++) {
        const state *here = &at[row[k]], *after = &at[s->end[row[k]]];
        kind_of_rows *its = &kind[number[k]];
        its->total += after->total - here->total;
        its->kept += after->kept - here->kept;
        its->count++;
        its->lost += after->kept == here->kept;
    }
    for (Py_ssize_t k = 0; kind != NULL && k < rows; k++) {
        const Py_ssize_t node = row[k], end = s->end[node];
        const int64_t total = at[end].total - at[node].total, kept = at[end].kept - at[node].kept;
        const kind_of_rows *its = &kind[number[k]];
        if (kept < total && (kept > 0 ? its->count > 1 && total <= LONGEST_ROW : its->count >= LEAST_ROWS) &&
            (double)its->kept >= MOST_KEPT * (double)its->total && its->lost <= MOST_LOST * its->count && s->linked[end] == s->linked[node] &&
            s->lines[end] - s->lines[node] <= LINES_OF_ROW)
            bits[node] |= found = ALIKE;
    }
    return kind == NULL ? -1 : found;
}

/* tamis.document.units.subtree_stats: bits of each node, uint8; `state` for each node and after the last; all bits. */
static PyObject *
survey(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    surveyed s = {.nodes = -1, .known = -1, .places = -1, .count = -1, .blocks = -1};
    unsigned char *bits;
    uint64_t *copies;
    int32_t *number;
    state *rows;
    Py_ssize_t copied = 0;
    if (arguments(&c, args, "44444488411114S448n", &s.flags, &s.known, &s.tag, &s.nodes, &s.parent, &s.nodes, &s.end, &s.nodes, &s.classes,
                  &s.nodes, &s.length, &s.nodes, &s.before, &s.places, &s.linked, &s.places, &s.lines, &s.places, &s.aside, &s.nodes,
                  &s.hidden, &s.nodes, &s.keep, &s.nodes, &s.reason, &s.nodes, &s.text_nodes, &s.count, &s.texts, &s.element, &s.blocks, &s.first, &s.blocks,
                  &s.block_length, &s.blocks, &s.dropped) == 0 &&
        ((s.places == s.nodes + 1 && PyList_GET_SIZE(s.texts) == s.count) || misfit() == 0) && (bits = give_column(&c, s.nodes, 1)) != NULL &&
        (rows = give_column(&c, s.places, sizeof *rows)) != NULL && (copies = room_unset(&c, s.blocks, sizeof *copies)) != NULL &&
        (number = room_unset(&c, 2 * s.blocks, sizeof *number)) != NULL) {
        int all = take_survey(&s, rows, bits, copies, &copied), alike = all < 0 ? -1 : mark_alike(&s, &c, rows, bits);
        Py_ssize_t kinds = alike < 0 ? -1 : number_keys(copies, copied, number, number + s.blocks);
        give(&c, PyLong_FromLong(all | alike | (kinds < copied ? COPIES : 0)));
    }
    return finished(&c);
}

/* ---- teasers ----------------------------------------------------------------------------------------------------------------- */

enum {
    LEAST_LINES = 3, /* lines of the element of the main text */
    LEAST_ITEMS = 3, /* items of one kind */
    SURE_IN_BOX = 30, /* sure characters in a box of links, fewer than */
    MOST_TEASERS = 2 /* kept text of all teasers, by all text that is sure, at the most; with more, the items may be the content */
};
#define SURE 0.9         /* probability of text that tells where the main text is */
#define LINKED 0.8       /* share of the items of a kind that hold a link, at the least */
#define UNSURE 0.7       /* mean probability of the kept text of teasers, and of a box of links, at the most */
#define BESIDE 0.2       /* kept text beside the items in their parent, by their own, at the most */
#define HALF 0.5         /* share of their text that teasers before or within the main text keep, at the most */
#define BOX_LINKS 0.7    /* share of its kept text that a box of links has within links, at the least */

/* What is before a node, or below one. */
typedef struct {
    int64_t held, sure, linked; /* kept characters, those that are sure, and those in links */
    double probable;            /* kept characters by their probability */
    int32_t texts, links;       /* texts that are sure; links */
} weighed;

typedef struct {
    const int32_t *tag, *parent, *end, *classes, *length, *lines;
    const int64_t *before;
    const double *probability;
    const unsigned char *boxes, *keep, *in_link, *link;
    Py_ssize_t nodes, known, places;
    weighed *at;
} guessed;

/* Items of one parent, tag and class. */
typedef struct {
    int64_t held, length;
    double probable;
    int32_t count, linked;
} kind_of_items;

static weighed
below(const guessed *g, Py_ssize_t node)
{
    const weighed *a = &g->at[node], *b = &g->at[g->end[node]];
    return (weighed){b->held - a->held,         b->sure - a->sure,   b->linked - a->linked,
                     b->probable - a->probable, b->texts - a->texts, b->links - a->links};
}

/* Weigh the page; the most sure text of one node. -1: error. `product`: memory, so that a product is rounded before it is added. */
static int64_t
weigh(const guessed *g, double *product)
{
    int64_t most = 0;
    g->at[0] = (weighed){0};
    for (Py_ssize_t i = 0; i < g->nodes; i++)
        product[i] = g->keep[i] ? g->length[i] * g->probability[i] : 0;
    for (Py_ssize_t i = 0; i < g->nodes; i++) {
        if (g->end[i] <= i || g->end[i] > g->nodes || g->parent[i] < -1 || g->parent[i] >= i)
            return misfit();
        const int32_t kept = g->keep[i] ? g->length[i] : 0, sure = g->probability[i] >= SURE ? kept : 0;
        const weighed *before = &g->at[i];
        g->at[i + 1] = (weighed){before->held + kept,           before->sure + sure,         before->linked + (g->in_link[i] ? kept : 0),
                                 before->probable + product[i], before->texts + (sure != 0), before->links + (g->link[i] != 0)};
    }
    for (Py_ssize_t i = 0; i < g->nodes; i++)
        most = below(g, i).sure > most ? below(g, i).sure : most;
    return most;
}

/* The boxes, rising; how many. `most`: of :func:`weigh`. */
static Py_ssize_t
find_boxes(const guessed *g, int64_t most, int32_t *found)
{
    Py_ssize_t count = 0;
    int64_t all = 0;
    for (Py_ssize_t i = 1; i < g->nodes; i++) {
        const int32_t parent = g->parent[i];
        if (parent < 0 || !flags_by(g->boxes, g->known, g->tag[i]) || 2 * below(g, parent).sure < most || 2 * below(g, i).sure >= most)
            continue;
        const weighed its = below(g, i);
        const double held = (double)its.held;
        if (its.sure < SURE_IN_BOX && its.probable < UNSURE * held && (double)its.linked >= BOX_LINKS * held &&
            g->at[i].texts > g->at[parent].texts) {
            found[count++] = (int32_t)i;
            all += its.held;
        }
    }
    return all <= most ? count : 0;
}

/* The outermost teasers, rising; how many. -1: error. `most`: of :func:`weigh`; `after`: the node after the main text. */
static Py_ssize_t
find_teasers(const guessed *g, call *c, int64_t most, int32_t after, int32_t *found)
{
    uint64_t *key = room_unset(c, g->nodes, sizeof *key);
    int32_t *number = room_unset(c, 2 * g->nodes, sizeof *number), *first = number + g->nodes, stop = 0;
    Py_ssize_t members = 0, count = 0;
    int64_t all = 0;
    if (key == NULL || number == NULL)
        return -1;
    for (Py_ssize_t i = 1; i < g->nodes; i++) {
        if (g->parent[i] < 0 || g->tag[i] == 0 || g->before[g->end[i]] == g->before[i])
            continue;
        const weighed around = below(g, g->parent[i]); /* it holds teasers and little else */
        if (around.held > 0 && around.probable < (UNSURE + BESIDE) * (double)around.held) {
            key[members] = mix((uint64_t)g->parent[i] << 32 | (uint32_t)g->tag[i]) + (uint32_t)g->classes[i];
            found[members++] = (int32_t)i;
        }
    }
    const Py_ssize_t kinds = members > 0 ? number_keys(key, members, number, first) : 0;
    kind_of_items *kind = kinds < 0 ? NULL : room(c, kinds, sizeof *kind);
    if (kind == NULL)
        return -1;
    for (Py_ssize_t k = 0; k < members; k++) {
        const weighed its = below(g, found[k]);
        kind_of_items *mine = &kind[number[k]];
        mine->held += its.held;
        mine->length += g->before[g->end[found[k]]] - g->before[found[k]];
        mine->probable += its.probable;
        mine->count++;
        mine->linked += its.links > 0;
    }
    for (Py_ssize_t k = 0; k < kinds; k++) { /* other nodes have no items */
        const int32_t node = found[first[k]];
        const double held = (double)kind[k].held, around = (double)below(g, g->parent[node]).held;
        if (kind[k].count < LEAST_ITEMS || kind[k].linked < LINKED * kind[k].count || !(kind[k].probable < UNSURE * held) ||
            around - held > BESIDE * held || (node < after && held > HALF * (double)kind[k].length))
            kind[k].count = 0;
    }
    for (Py_ssize_t k = 0; k < members; k++)
        if (kind[number[k]].count > 0 && found[k] >= stop) {
            stop = g->end[found[k]];
            all += below(g, found[k]).held;
            found[count++] = found[k];
        }
    return all <= MOST_TEASERS * most ? count : 0;
}

/* The boxes and the outermost teasers that tamis.document.teasers.without_teasers leaves out, rising, int32. */
static PyObject *
teasers(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    guessed g = {.nodes = -1, .known = -1, .places = -1};
    double *product;
    int32_t *found, after = -1;
    Py_ssize_t boxes = 0, items = 0;
    if (arguments(&c, args, "144444481811", &g.boxes, &g.known, &g.tag, &g.nodes, &g.parent, &g.nodes, &g.end, &g.nodes, &g.classes,
                  &g.nodes, &g.length, &g.nodes, &g.lines, &g.places, &g.before, &g.places, &g.keep, &g.nodes, &g.probability, &g.nodes,
                  &g.in_link, &g.nodes, &g.link, &g.nodes) < 0 ||
        (g.places != g.nodes + 1 && misfit() < 0) || (g.at = room_unset(&c, g.places, sizeof *g.at)) == NULL ||
        (product = room_unset(&c, g.nodes, sizeof *product)) == NULL || (found = room_unset(&c, 2 * g.nodes, sizeof *found)) == NULL)
        return finished(&c);
    const int64_t most = weigh(&g, product);
    if (most > 0)
        boxes = find_boxes(&g, most, found);
    for (Py_ssize_t i = g.nodes; most > 0 && after < 0 && i-- > 0;)
        if (2 * below(&g, i).sure >= most && g.lines[g.end[i]] - g.lines[i] >= LEAST_LINES)
            after = g.end[i];
    if (after >= 0)
        items = find_teasers(&g, &c, most, after, found + g.nodes);
    give_copy(&c, found, boxes, sizeof *found);
    give_copy(&c, found + g.nodes, items < 0 ? 0 : items, sizeof *found);
    return finished(&c);
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

/* Each name once: its index among the `names`, which are known by `indices`. A name that is NULL, and every error: -1. */
static int32_t
index_of_name(PyObject *names, PyObject *indices, PyObject *name)
{
    PyObject *number = name == NULL ? NULL : PyLong_FromSsize_t(PyList_GET_SIZE(names));
    PyObject *known = number == NULL ? NULL : PyDict_SetDefault(indices, name, number);
    int32_t index = known == NULL ? -1 : (int32_t)PyLong_AsLong(known);
    if (known != NULL && known == number && PyList_Append(names, name) < 0)
        index = -1;
    Py_XDECREF(number);
    Py_XDECREF(name);
    return index;
}

/* tamis.page.element_names.element_names: the index of each element's name, int32, and the names. Given indices of tag name, class and id
 * (-1: none), what they point to, and what makes a name that is not of plain ASCII. */
static PyObject *
element_names(PyObject *module, PyObject *args)
{
    PyObject *tag_names, *class_values, *ident_values, *make, *names, *indices;
    call c = {.columns = 0};
    Py_ssize_t count = -1, distinct, k = 0;
    const int32_t *tag, *classes, *ident;
    uint64_t *key;
    int32_t *index, *first;
    if (arguments(&c, args, "444TLLO", &tag, &count, &classes, &count, &ident, &count, &tag_names, &class_values, &ident_values, &make) < 0 ||
        (key = room(&c, count, sizeof *key)) == NULL || (first = room(&c, count, sizeof *first)) == NULL ||
        (index = give_column(&c, count, sizeof *index)) == NULL || (names = give(&c, PyList_New(0))) == NULL || (indices = PyDict_New()) == NULL)
        return finished(&c);
    /* one number of three: no page has more than a million names, or four million values */
    for (Py_ssize_t e = 0; e < count; e++)
        key[e] = (uint64_t)(uint32_t)(tag[e] + 1) << 44 | (uint64_t)(uint32_t)(classes[e] + 1) << 22 | (uint32_t)(ident[e] + 1);
    for (distinct = number_keys(key, count, index, first); k < distinct; k++) {
        Py_ssize_t e = first[k];
        PyObject *of_tag = tag[e] < 0 ? NULL : text_at(tag_names, tag[e]), *its_classes = text_at(class_values, classes[e]);
        PyObject *its_ident = text_at(ident_values, ident[e]);
        int is_given = of_tag != NULL && its_classes != NULL && its_ident != NULL;
        first[k] = is_given ? index_of_name(names, indices, name_of(of_tag, its_classes, its_ident, make)) : -1;
        if (first[k] < 0) {
            misfit();
            break;
        }
    }
    for (Py_ssize_t e = 0; k == distinct && e < count; e++)
        index[e] = first[index[e]];
    Py_DECREF(indices);
    return finished(&c);
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

/* tamis.page.grouping.group, int32 both. */
static PyObject *
group(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t count = -1, distinct;
    const uint64_t *key;
    int32_t *number, *first;
    if (arguments(&c, args, "8", &key, &count) == 0 && (count < INT32_MAX || misfit() == 0) &&
        (number = give_column(&c, count, sizeof *number)) != NULL && (first = room(&c, count, sizeof *first)) != NULL &&
        (distinct = number_keys(key, count, number, first)) >= 0)
        give_copy(&c, first, distinct, sizeof *first);
    return finished(&c);
}

/* ---- words ----------------------------------------------------------------------------------------------------------- */

enum { MOST_WORDS = 8192, MOST_SETS = 64 }; /* a word counts for two, one of two or three letters for 33, of one letter for 64 */

/* A character in lower case, as patterns that ignore the case see it. */
static inline Py_UCS4
lower(Py_UCS4 c)
{
    if (c < 128)
        return c >= 'A' && c <= 'Z' ? c | 32 : c;
    return c == 0x17f ? 's' : c == 0x131 ? 'i' : c >= 0x2e80 && c < 0xa640 ? c : Py_UNICODE_TOLOWER(c); /* Han and kana have no case */
}

/* Words that are looked for at a time, in sets, by two letters and by the third: each by its last five bits. Texts are read at every second
 * letter, so each word is known by its first three letters, and as it is one letter later; short ones as they are one letter earlier. */
typedef struct {
    int words, sets;
    Py_ssize_t longest[MOST_SETS], most;   /* characters of the values that each set is looked for in; that any is */
    PyObject *key[MOST_SETS], *word[MOST_WORDS];
    unsigned char of[MOST_WORDS];          /* the set of each */
    signed char later[MOST_WORDS];         /* where each begins, seen from the letters that it is known by */
    int16_t first[32 * 32], next[MOST_WORDS]; /* a word with these two letters, and the next one; -1: none */
    uint32_t third[32 * 32];               /* their third letters, in bits */
} finder;

/* Add a set of words. 0: done; -1: error. */
static int
want(finder *w, PyObject *key, PyObject *words, Py_ssize_t longest)
{
    int fits = w->sets < MOST_SETS;
    for (Py_ssize_t k = 0; fits && k < 2 * PyTuple_GET_SIZE(words); k++) {
        PyObject *word = PyTuple_GET_ITEM(words, k / 2);
        const Py_ssize_t length = PyUnicode_Check(word) ? PyUnicode_GET_LENGTH(word) : 0, at = k % 2 == 0 ? 0 : length > 3 ? 1 : -1;
        Py_UCS4 letter[3]; /* 32: any */
        for (int i = 0; i < 3; i++)
            letter[i] = at + i >= 0 && at + i < length ? PyUnicode_READ_CHAR(word, at + i) & 31 : 32;
        fits = length > 0 && w->words <= MOST_WORDS - 32;
        Py_UCS4 two = (letter[0] & 31) * 32 + (letter[1] & 31);
        for (int left = fits ? (letter[0] | letter[1]) & 32 ? 32 : 1 : 0; left > 0; left--, two += letter[0] & 32 ? 32 : 1) {
            w->word[w->words] = Py_NewRef(word);
            w->of[w->words] = (unsigned char)w->sets;
            w->later[w->words] = (signed char)-at;
            w->next[w->words] = w->first[two];
            w->first[two] = (int16_t)w->words++;
            w->third[two] |= letter[2] < 32 ? UINT32_C(1) << letter[2] : UINT32_MAX;
        }
    }
    if (!fits)
        return misfit();
    w->most = longest > w->most ? longest : w->most;
    w->key[w->sets] = Py_NewRef(key);
    w->longest[w->sets++] = longest;
    return 0;
}

/* The sets with a word that a text holds, a bit each. */
static inline uint64_t
holds(const finder *w, const int kind, const void *text, const Py_ssize_t length)
{
#define LETTER(at) ((kind == PyUnicode_1BYTE_KIND ? PyUnicode_READ(kind, text, at) : lower(PyUnicode_READ(kind, text, at))) & 31)
    uint64_t found = 0;
    uint32_t three = LETTER(0); /* the last five bits of a letter and of the next two, which are the same in both cases of Latin-1 */
    for (Py_ssize_t i = 0; i < length; i += 2) { /* a zero is after the last letter */
        three = (three << 10 | LETTER(i + 1) << 5 | (i + 2 <= length ? LETTER(i + 2) : 0)) & 0x7fff;
        if (!(w->third[three >> 5] >> (three & 31) & 1))
            continue;
        for (int k = w->first[three >> 5]; k >= 0; k = w->next[k]) {
            const Py_ssize_t letters = PyUnicode_GET_LENGTH(w->word[k]), begin = i + w->later[k];
            Py_ssize_t j = begin < 0 || found >> w->of[k] & 1 ? letters + 1 : 0;
            while (j < letters && begin + j < length && lower(PyUnicode_READ(kind, text, begin + j)) == PyUnicode_READ_CHAR(w->word[k], j))
                j++;
            found |= (uint64_t)(j == letters) << w->of[k];
        }
    }
#undef LETTER
    return found;
}

#define FINDER "tamis.finder"

static void
forget(PyObject *capsule)
{
    finder *w = PyCapsule_GetPointer(capsule, FINDER);
    while (w->words > 0)
        Py_DECREF(w->word[--w->words]);
    while (w->sets > 0)
        Py_DECREF(w->key[--w->sets]);
    PyMem_Free(w);
}

/* What finds several sets of words: given, by any key, the most characters of a value, and the words, in lower case. */
static PyObject *
make_finder(PyObject *module, PyObject *args)
{
    PyObject *sets, *key, *set, *words;
    Py_ssize_t at = 0, longest;
    finder *w = PyMem_Calloc(1, sizeof *w);
    PyObject *found = w == NULL ? PyErr_NoMemory() : PyCapsule_New(w, FINDER, forget);
    if (found == NULL) {
        PyMem_Free(w);
        return NULL;
    }
    memset(w->first, -1, sizeof w->first);
    int done = arguments(NULL, args, "D", &sets) == 0;
    while (done && PyDict_Next(sets, &at, &key, &set))
        done = (PyTuple_Check(set) || PyErr_Format(PyExc_TypeError, "a set is a tuple") != NULL) && arguments(NULL, set, "nT", &longest, &words) == 0 && want(w, key, words, longest) == 0;
    if (!done)
        Py_CLEAR(found);
    return found;
}

/* A new list as an item of a dict. 0: done; -1: error. */
static int
new_list(PyObject *found, PyObject *key, PyObject **list)
{
    *list = PyList_New(0);
    const int failed = *list == NULL || PyDict_SetItem(found, key, *list) < 0;
    Py_XDECREF(*list); /* the dict holds it */
    return failed ? -1 : 0;
}

/* Positions of the values that hold one of some words, in any case, by the key of the set; nothing for sets that none holds. */
static PyObject *
holding(PyObject *module, PyObject *args)
{
    PyObject *values, *given, *of_set[MOST_SETS] = {NULL}, *found;
    const finder *w = arguments(NULL, args, "SO", &values, &given) == 0 ? PyCapsule_GetPointer(given, FINDER) : NULL;
    if (w == NULL || (found = PyDict_New()) == NULL)
        return NULL;
    for (Py_ssize_t v = 0; found != NULL && v < PyList_GET_SIZE(values); v++) {
        PyObject *value = PyList_GET_ITEM(values, v);
        const Py_ssize_t length = PyUnicode_GET_LENGTH(value);
        const void *text = PyUnicode_DATA(value);
        const int kind = PyUnicode_KIND(value);
        const uint64_t held = length > w->most               ? 0
                              : kind == PyUnicode_1BYTE_KIND ? holds(w, PyUnicode_1BYTE_KIND, text, length)
                              : kind == PyUnicode_2BYTE_KIND ? holds(w, PyUnicode_2BYTE_KIND, text, length)
                                                             : holds(w, PyUnicode_4BYTE_KIND, text, length);
        for (int k = 0; found != NULL && k < w->sets && held >> k; k++) {
            if (!(held >> k & 1) || length > w->longest[k])
                continue;
            const int failed = of_set[k] == NULL && new_list(found, w->key[k], &of_set[k]) < 0;
            if (failed || append_new(of_set[k], PyLong_FromSsize_t(v)) < 0)
                Py_CLEAR(found);
        }
    }
    return found;
}

/* ---- lines of text ----------------------------------------------------------------------------------------------------- */

/* A text without spaces around it, where there is no white space but single spaces in it, and nothing invisible; else what `collapsed`
 * makes of it. */
static inline PyObject *
trimmed(const int kind, PyObject *text, PyObject *collapsed)
{
    const void *data = PyUnicode_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_UCS4 before = 0, here;
    for (Py_ssize_t i = 0; i < length; i++, before = here) {
        here = PyUnicode_READ(kind, data, i);
        if (here < 127 ? here < 32 || (here == ' ' && before == ' ') : !Py_UNICODE_ISPRINTABLE(here))
            return PyObject_CallOneArg(collapsed, text);
    }
    const Py_ssize_t first = length > 0 && PyUnicode_READ(kind, data, 0) == ' ';
    return PyUnicode_Substring(text, first, length - (length > first && before == ' '));
}

/* The texts that are shown from first to last as one. */
static PyObject *
joined(PyObject *texts, const int64_t *shown, int64_t first, int64_t last, PyObject *nothing)
{
    PyObject *pieces = PyTuple_New(last > first ? (Py_ssize_t)(last - first) : 0);
    for (int64_t i = first; pieces != NULL && i < last; i++) {
        if (shown[i] < 0 || shown[i] >= PyList_GET_SIZE(texts)) {
            misfit();
            Py_CLEAR(pieces);
            break;
        }
        PyTuple_SET_ITEM(pieces, (Py_ssize_t)(i - first), Py_NewRef(PyList_GET_ITEM(texts, shown[i])));
    }
    PyObject *whole = pieces == NULL ? NULL : PyUnicode_Join(nothing, pieces);
    Py_XDECREF(pieces);
    return whole;
}

/* Whether there is white space at the beginning or the end of a text. */
static int
has_space(PyObject *text, int at_end)
{
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    return length > 0 && is_white(PyUnicode_READ_CHAR(text, at_end ? length - 1 : 0));
}

/* Lists of positions that close_texts gives. */
enum { LETTERED, CLOSE, SIGNS, BOTH_LINKED, LEADING, TO_LINK, LISTS_OF_CLOSE };

/* tamis.document.render.text._spaced: positions of shown texts that go on with the next one without white space, on the same line, where that
 * begins with a letter and the text has more than one character; those of all such texts that are in an element beside that of the next one;
 * texts of one character in a label; of those beside each other the texts of two links, and those that begin a line; those outside links
 * before a link that begins with a letter. */
static PyObject *
close_texts(PyObject *module, PyObject *args)
{
    PyObject *texts, *lists[LISTS_OF_CLOSE] = {NULL};
    call c = {.columns = 0};
    Py_ssize_t nodes = -1, count = -1, shown = -1, label;
    const int32_t *tag, *parent, *end, *of, *line;
    const unsigned char *in_link;
    const int64_t *at;
    if (arguments(&c, args, "444144S8n", &tag, &nodes, &parent, &nodes, &end, &nodes, &in_link, &nodes, &of, &count, &line, &count, &texts, &at, &shown, &label) < 0 ||
        (PyList_GET_SIZE(texts) != count && misfit() < 0))
        return finished(&c);
    for (int k = 0; k < LISTS_OF_CLOSE; k++)
        if ((lists[k] = give(&c, PyList_New(0))) == NULL)
            return finished(&c);
    for (Py_ssize_t t = 0; t < count; t++)
        if ((of[t] < 0 || of[t] >= nodes || parent[of[t]] >= nodes) && misfit() < 0)
            return finished(&c);
        else if (parent[of[t]] >= 0 && tag[parent[of[t]]] == label && stripped_length(PyList_GET_ITEM(texts, t)) == 1 &&
                 append_new(lists[SIGNS], PyLong_FromSsize_t(t)) < 0)
            return finished(&c);
    for (Py_ssize_t k = 0, ok = 1; ok && k + 1 < shown; k++) {
        const int64_t t = at[k];
        if ((t < 0 || t >= count - 1) && misfit() < 0)
            break;
        PyObject *text = PyList_GET_ITEM(texts, t), *next = PyList_GET_ITEM(texts, t + 1);
        if (at[k + 1] != t + 1 || line[t] != line[t + 1] || has_space(text, 1) || has_space(next, 0))
            continue;
        const int32_t here = parent[of[t]];
        const int beside = here >= 0 && end[here] <= of[t + 1] && parent[of[t + 1]] > of[t];
        const int letter = PyUnicode_GET_LENGTH(next) > 0 && Py_UNICODE_ISALPHA(PyUnicode_READ_CHAR(next, 0));
        const int linked = in_link[of[t]], to_link = in_link[of[t + 1]];
        const int holds[LISTS_OF_CLOSE] = {
            [LETTERED] = letter && stripped_length(text) > 1,
            [CLOSE] = beside,
            [BOTH_LINKED] = beside && linked && to_link && PyUnicode_GET_LENGTH(text) > 1 && PyUnicode_GET_LENGTH(next) > 1,
            [LEADING] = beside && (t == 0 || line[t] != line[t - 1]),
            [TO_LINK] = !linked && to_link && letter,
        };
        for (int list = 0; ok && list < LISTS_OF_CLOSE; list++)
            ok = !holds[list] || append_new(lists[list], PyLong_FromLongLong(t)) == 0;
    }
    return finished(&c);
}

/* The lines that the shown texts make, without white space around them: positions of these, where each line begins among them, which stay as
 * they are, and what makes those with white space besides single spaces, or with unprintable characters. */
static PyObject *
lines(PyObject *module, PyObject *args)
{
    PyObject *texts, *collapsed, *found = NULL, *nothing = PyUnicode_New(0, 0);
    call c = {.columns = 0};
    Py_ssize_t count = -1, lines = -1;
    const int64_t *shown, *start;
    const unsigned char *verbatim;
    if (nothing != NULL && arguments(&c, args, "S881O", &texts, &shown, &count, &start, &lines, &verbatim, &lines, &collapsed) == 0)
        found = give(&c, PyList_New(lines));
    for (Py_ssize_t k = 0; found != NULL && k < lines; k++) {
        const int64_t last = k + 1 < lines ? start[k + 1] : count;
        PyObject *line = start[k] < 0 || last > count ? NULL : joined(texts, shown, start[k], last, nothing), *whole = line;
        if (line == NULL) {
            misfit();
            break;
        }
        if (!verbatim[k]) {
            const int kind = PyUnicode_KIND(whole);
            line = kind == PyUnicode_1BYTE_KIND ? trimmed(PyUnicode_1BYTE_KIND, whole, collapsed) : trimmed(kind, whole, collapsed);
            Py_DECREF(whole);
        }
        PyList_SET_ITEM(found, k, line);
        if (line == NULL)
            break;
    }
    Py_XDECREF(nothing);
    return finished(&c);
}

static PyMethodDef methods[] = {
    {"blocks", blocks, METH_VARARGS, NULL},   {"close_texts", close_texts, METH_VARARGS, NULL},
    {"covered", covered, METH_VARARGS, NULL}, {"element_names", element_names, METH_VARARGS, NULL},
    {"finder", make_finder, METH_VARARGS, NULL}, {"group", group, METH_VARARGS, NULL},
    {"holding", holding, METH_VARARGS, NULL}, {"lines", lines, METH_VARARGS, NULL},
    {"measure", measure, METH_VARARGS, NULL},
    {"nearest", nearest, METH_VARARGS, NULL}, {"outermost", outermost, METH_VARARGS, NULL},
    {"survey", survey, METH_VARARGS, NULL},   {"tagged", tagged, METH_VARARGS, NULL},
    {"teasers", teasers, METH_VARARGS, NULL}, {"text_hashes", text_hashes, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int
prepare(PyObject *module)
{
    for (Py_UCS4 character = 0; character < 128; character++) {
        of_ascii[character] = mix((uint64_t)character + 1);
        is_part[0][character] = !is_white(character);
        is_part[1][character] = Py_UNICODE_ISALNUM(character) != 0;
    }
    return 0;
}

NATIVE_MODULE(columns, "Work on the columns of a page.", methods, prepare)
