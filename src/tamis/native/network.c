/* From the evidence of a page's blocks to a choice: networks over their sequence (tamis.content.network), page types, the blocks that make
 * the expected F highest (tamis.content.decision), and what each node of the page gets.
 *
 * Each sum is taken in one order, the sums of several channels side by side. Where the processor can, a product is added before it is
 * rounded: the last bits of the result may differ between processors, so probabilities are rounded (tamis.content.weights).
 */
#include "native.h"

#include <math.h>
#include <stdlib.h>

enum { CHANNELS = 32, ROWS = 6, PARTS = 3 }; /* of a tile: its channels, at the most, and blocks; blocks that a layer looks at */
enum { ABREAST = 8 };                        /* sums side by side: each has to wait for itself; zeros before and behind all blocks */

/* x / (|x| + s); 0 for what is not known. */
static void
squash_column(const float *value, Py_ssize_t count, float scale, float *out)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        float between = value[i] / (fabsf(value[i]) + scale);
        out[i] = between == between ? between : 0;
    }
}

/* What a layer reads of some `blocks`: from each part `inputs` values a block; `block` floats from one block to the next, `value` from one value
 * to the next. One part is the block itself; of several the first is `step` blocks before it, and so on. Beyond all blocks there are zeros. */
typedef struct {
    const float *values;
    Py_ssize_t parts, inputs, block, value, step, blocks;
} reading;

/* Sums of values and weights, and the last row of weights, for blocks by the tile: `to` is `base` (NULL: nothing) and those above 0. */
#if defined(__GNUC__) /* gcc and clang: in vectors of several lanes */
#define SUMS(name, processor, LANES)                                                                                                   \
    processor static void name(const reading *from, const float *weights, Py_ssize_t width, const float *base, float *to)              \
    {                                                                                                                                  \
        typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));                    \
        typedef int32_t bits __attribute__((vector_size(LANES * sizeof(int32_t))));                                                    \
        for (Py_ssize_t i = 0; i < from->blocks; i += ROWS)                                                                            \
            for (Py_ssize_t c = 0; c < width; c += 2 * LANES) {                                                                        \
                const float *row = weights + c;                                                                                        \
                lanes sum[ROWS][2] = {{{0}}};                                                                                          \
                for (Py_ssize_t p = 0; p < from->parts; p++) {                                                                         \
                    const Py_ssize_t first = i + (p - 1) * from->step;                                                                 \
                    const float *value = from->values + first * from->block, *const end = row + from->inputs * width;                  \
                    if (first <= -ROWS || first >= from->blocks) /* all zeros */                                                       \
                        row = end;                                                                                                     \
                    for (; row < end; row += width, value += from->value) {                                                            \
                        lanes left = *(const lanes *)row, right = *(const lanes *)(row + LANES);                                       \
                        _Pragma("GCC unroll 6") for (int r = 0; r < ROWS; r++)                                                         \
                        {                                                                                                              \
                            sum[r][0] += left * value[r * from->block];                                                                \
                            sum[r][1] += right * value[r * from->block];                                                               \
                        }                                                                                                              \
                    }                                                                                                                  \
                }                                                                                                                      \
                _Pragma("GCC unroll 6") for (int r = 0; r < ROWS; r++)                                                                 \
                    _Pragma("GCC unroll 2") for (int half = 0; half < 2; half++)                                                       \
                    {                                                                                                                  \
                        const Py_ssize_t at = (i + r) * width + c + half * LANES;                                                      \
                        const lanes all = sum[r][half] + *(const lanes *)(row + half * LANES);                                         \
                        lanes more = (lanes)((bits)all & (bits)(all > 0));                                                             \
                        if (base != NULL)                                                                                              \
                            more += *(const lanes *)(base + at);                                                                       \
                        *(lanes *)(to + at) = more;                                                                                    \
                    }                                                                                                                  \
            }                                                                                                                          \
    }

SUMS(sums, , 4)
#else
static void
sums(const reading *from, const float *weights, Py_ssize_t width, const float *base, float *to)
{
    for (Py_ssize_t i = 0; i < from->blocks; i++)
        for (Py_ssize_t c = 0; c < width; c++) {
            const float *weight = weights + c;
            float sum = 0;
            for (Py_ssize_t p = 0; p < from->parts; p++) {
                const Py_ssize_t at = i + (p - 1) * from->step;
                for (Py_ssize_t k = 0; k < from->inputs; k++, weight += width)
                    sum += at < 0 || at >= from->blocks ? 0 : *weight * from->values[at * from->block + k * from->value];
            }
            sum += *weight;
            to[i * width + c] = (base == NULL ? 0 : base[i * width + c]) + (sum > 0 ? sum : 0);
        }
}
#endif
#if defined(__x86_64__) && defined(__GNUC__)
SUMS(sums_8, __attribute__((target("avx2,fma"))), 8)
SUMS(sums_16, __attribute__((target("avx512f"))), 16)
#endif

static void
ramp(const reading *from, const float *weights, Py_ssize_t width, const float *base, float *to)
{
#if defined(__x86_64__) && defined(__GNUC__)
    (__builtin_cpu_supports("avx512f") ? sums_16 : __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") ? sums_8 : sums)(from, weights, width, base, to);
#else
    sums(from, weights, width, base, to);
#endif
}

/* Weights with rows as wide as a number of tiles: those given, if they are; else a copy at the next free place. */
static const float *
widened(const float *weights, Py_ssize_t rows, Py_ssize_t from, Py_ssize_t to, float **place)
{
    float *copy = *place;
    if (from == to)
        return weights;
    for (Py_ssize_t r = 0; r < rows; r++, *place += to) {
        memcpy(*place, weights + r * from, (size_t)from * sizeof *copy);
        memset(*place + from, 0, (size_t)(to - from) * sizeof *copy);
    }
    return copy;
}

/* A network, in the order of the fields of tamis.content.network.Network. */
enum { TABLES = 6, NETWORKS = 4 }; /* networks: at the most */
typedef struct {
    const float *scale, *entry, *page, *steps, *last, *out;
} weights_of;

/* What all networks share; tall and width: blocks and channels in whole tiles. */
typedef struct {
    Py_ssize_t columns, rows, layers, outputs, blocks, tall, width;
} shape;

static int
fits(const shape *s, const Py_ssize_t *size)
{
    const Py_ssize_t square = (s->rows + 1) * s->rows;
    const Py_ssize_t wanted[TABLES] = {s->columns, (s->columns + 1) * s->rows, square, s->layers * (PARTS * s->rows + 1) * s->rows, square,
                                       (s->rows + 1) * s->outputs};
    return memcmp(size, wanted, sizeof wanted) == 0;
}

/* Add what a network finds. */
static void
run(const shape *s, const weights_of *given, const float *values, float *memory, double *found)
{
    const Py_ssize_t rows = s->rows, width = s->width, tall = s->tall, blocks = s->blocks, margin = ABREAST * width;
    const size_t beyond = (size_t)margin * sizeof *memory;
    float *mean = memory, *shift = mean + ROWS * width, *here = shift + ROWS * width + margin, *next = here + tall * width + margin;
    float *copies = next + tall * width + margin;
    memset(mean, 0, (size_t)(ROWS * width) * sizeof *mean);
    memset(here - margin, 0, beyond);
    memset(next - margin, 0, beyond);
    memset(copies - margin, 0, beyond);
    const float *entry = widened(given->entry, s->columns + 1, rows, width, &copies);
    const float *page = widened(given->page, rows + 1, rows, width, &copies);
    const float *steps = widened(given->steps, s->layers * (PARTS * rows + 1), rows, width, &copies);
    const float *last = widened(given->last, rows + 1, rows, width, &copies);

    ramp(&(reading){values, 1, s->columns, 1, tall, 0, tall}, entry, width, NULL, here);
    for (Py_ssize_t c = 0; c < width; c += ABREAST) {
        double total[ABREAST] = {0};
        for (Py_ssize_t i = 0; i < blocks; i++)
            for (int r = 0; r < ABREAST; r++)
                total[r] += here[i * width + c + r];
        for (int r = 0; r < ABREAST; r++)
            mean[c + r] = (float)(total[r] / (double)blocks);
    }
    ramp(&(reading){mean, 1, rows, width, 1, 0, ROWS}, page, width, NULL, shift);
    for (Py_ssize_t i = 0; i < blocks; i++)
        for (Py_ssize_t c = 0; c < width; c++)
            here[i * width + c] += shift[c];
    for (Py_ssize_t layer = 0; layer < s->layers; layer++) {
        float *before = here;
        memset(here + blocks * width, 0, (size_t)((tall - blocks) * width) * sizeof *here); /* behind the last block there is nothing */
        ramp(&(reading){here, PARTS, rows, width, 1, (Py_ssize_t)1 << layer, tall}, steps + layer * (PARTS * rows + 1) * width, width, here, next);
        here = next;
        next = before;
    }
    ramp(&(reading){here, 1, rows, width, 1, 0, tall}, last, width, NULL, next);
    const float *end = next;
    for (Py_ssize_t k = 0; k < s->outputs; k++)
        for (Py_ssize_t i = 0; i < blocks; i += ABREAST) {
            double odds[ABREAST];
            for (int r = 0; r < ABREAST; r++)
                odds[r] = given->out[rows * s->outputs + k];
            for (Py_ssize_t c = 0; c < rows; c++) /* behind `end` is a margin */
                for (int r = 0; r < ABREAST; r++)
                    odds[r] += (double)end[(i + r) * width + c] * given->out[c * s->outputs + k];
            for (Py_ssize_t r = 0; r < ABREAST && i + r < blocks; r++)
                found[k * blocks + i + r] += odds[r];
        }
}

/* The shares of some page types, by the mean of the squashed evidence. */
static void
weigh_types(const shape *s, const float *values, const float *types, Py_ssize_t count, double *share)
{
    double highest = -INFINITY, all = 0;
    for (Py_ssize_t k = 0; k < count; k++)
        share[k] = types[s->columns * count + k];
    for (Py_ssize_t first = 0; first < s->columns; first += ABREAST) {
        const float *column[ABREAST];
        double sum[ABREAST] = {0};
        for (int c = 0; c < ABREAST; c++)
            column[c] = values + (first + c < s->columns ? first + c : first) * s->tall;
        for (Py_ssize_t i = 0; i < s->blocks; i++)
            for (int c = 0; c < ABREAST; c++)
                sum[c] += column[c][i];
        for (Py_ssize_t c = 0; c < ABREAST && first + c < s->columns; c++)
            for (Py_ssize_t k = 0; k < count; k++)
                share[k] += sum[c] / (double)s->blocks * types[(first + c) * count + k];
    }
    for (Py_ssize_t k = 0; k < count; k++)
        highest = fmax(highest, share[k]);
    for (Py_ssize_t k = 0; k < count; k++)
        all += share[k] = exp(share[k] - highest);
    for (Py_ssize_t k = 0; k < count; k++)
        share[k] = rint(share[k] / all * 1e9) / 1e9; /* the last bits differ between machines */
}

/* Read the tables of each network; rows from the first. 0: done; -1: error. */
static int
read_networks(PyObject *networks, shape *s, weights_of *w)
{
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(networks); n++, w++) {
        Py_ssize_t size[TABLES] = {-1, -1, -1, -1, -1, -1};
        PyObject *tables = PyTuple_GET_ITEM(networks, n);
        call given = {.columns = 0};
        int done = PyTuple_Check(tables) ? arguments(&given, tables, "444444", &w->scale, size, &w->entry, size + 1, &w->page, size + 2,
                                                     &w->steps, size + 3, &w->last, size + 4, &w->out, size + 5)
                                         : misfit();
        Py_XDECREF(finished(&given)); /* the caller holds the tables */
        s->rows = n == 0 && done == 0 ? size[TABLES - 1] / s->outputs - 1 : s->rows;
        if (done < 0 || s->rows < 1 || s->rows > 1 << 12 || !fits(s, size))
            return misfit();
    }
    return 0;
}

/* tamis.content.network.predict, both float64, the first output by output. Given evidence, one column after the other; the tables of each network; those of types; how many
 * columns, steps and outputs there are. */
static PyObject *
log_odds(PyObject *module, PyObject *args)
{
    PyObject *networks;
    call c = {.columns = 0};
    shape s = {0};
    weights_of weights[NETWORKS];
    const float *evidence, *types;
    Py_ssize_t count = -1, wide = -1;
    if (arguments(&c, args, "4T4nnn", &evidence, &count, &networks, &types, &wide, &s.columns, &s.layers, &s.outputs) < 0)
        return finished(&c);
    const Py_ssize_t many = PyTuple_GET_SIZE(networks);
    if (s.columns < 1 || count % s.columns != 0 || wide % (s.columns + 1) != 0 || s.layers < 1 || s.layers > 16 || s.outputs < 1 ||
        s.outputs > 64 || many < 1 || many > NETWORKS || read_networks(networks, &s, weights) < 0) {
        misfit();
        return finished(&c);
    }
    s.blocks = count / s.columns;
    s.tall = (s.blocks + ROWS - 1) / ROWS * ROWS;
    s.width = (s.rows + CHANNELS - 1) / CHANNELS * CHANNELS;
    const Py_ssize_t copied = s.width > s.rows ? s.columns + 1 + 2 * (s.rows + 1) + s.layers * (PARTS * s.rows + 1) : 0;
    float *memory = room_unset(&c, (2 * ROWS + 2 * s.tall + 3 * ABREAST + copied) * s.width, sizeof *memory);
    float *values = room_unset(&c, s.columns * s.tall, sizeof *values);
    double *found = give_column(&c, s.blocks * s.outputs, sizeof *found), *share = give_column(&c, wide / (s.columns + 1), sizeof *share);
    if (memory == NULL || values == NULL || found == NULL || share == NULL)
        return finished(&c);
    memset(found, 0, (size_t)(s.blocks * s.outputs) * sizeof *found);
    memset(share, 0, (size_t)(wide / (s.columns + 1)) * sizeof *share);
    for (Py_ssize_t n = 0; n < many && s.blocks > 0; n++) {
        const int alike = n > 0 && memcmp(weights[n].scale, weights[n - 1].scale, (size_t)s.columns * sizeof *weights->scale) == 0;
        for (Py_ssize_t k = 0; k < s.columns && !alike; k++) { /* networks of the same pages have the same scale */
            squash_column(evidence + k * s.blocks, s.blocks, weights[n].scale[k], values + k * s.tall);
            memset(values + k * s.tall + s.blocks, 0, (size_t)(s.tall - s.blocks) * sizeof *values);
        }
        if (n == 0)
            weigh_types(&s, values, types, wide / (s.columns + 1), share);
        run(&s, &weights[n], values, memory, found);
    }
    for (Py_ssize_t k = 0; k < s.blocks * s.outputs; k++)
        found[k] /= (double)many;
    return finished(&c);
}

/* tamis.content.weights.probability_of, float64. */
static PyObject *
probabilities(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t count = -1;
    const double *odds;
    double *found;
    if (arguments(&c, args, "8", &odds, &count) == 0 && (found = give_column(&c, count, sizeof *found)) != NULL)
        for (Py_ssize_t i = 0; i < count; i++)
            found[i] = rint(1 / (1 + exp(-odds[i])) * 1e6) / 1e6;
    return finished(&c);
}

/* ---- the choice ------------------------------------------------------------------------------------------------------- */

typedef struct {
    double probability, words;
    Py_ssize_t place;
} candidate;

/* The more probable first; of equal ones the first. */
static int
order(const void *one, const void *other)
{
    const candidate *a = one, *b = other;
    return a->probability != b->probability ? (a->probability < b->probability) - (a->probability > b->probability)
                                            : (a->place > b->place) - (a->place < b->place);
}

/* Add a share of the F that is expected of each number of blocks, where they are as `likely`. */
static void
add_expected(const candidate *of, Py_ssize_t count, const double *likely, double beta, double share, double *sum)
{
    double all = 0, right = 0, taken = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        all += likely[i] * of[i].words;
    for (Py_ssize_t i = 0; i < count; i++) {
        right += likely[i] * of[i].words;
        taken += of[i].words;
        sum[i] += share * ((1 + beta * beta) * right / fmax(taken + beta * beta * all, 1e-9));
    }
}

static Py_ssize_t
highest_of(const double *value, Py_ssize_t count)
{
    Py_ssize_t best = 0;
    for (Py_ssize_t i = 1; i < count; i++)
        best = value[i] > value[best] ? i : best;
    return best;
}

/* tamis.content.decision.select_threshold, of one block or more. `title`: of each block, whether it is a title; of no block: nothing is known. */
static PyObject *
choose(PyObject *module, PyObject *args)
{
    /* points and weights in place of a normal distribution: Gauss-Hermite quadrature of three points */
    static const double shifts[][2] = {{-1.7320508075688772, 1.0 / 6}, {0, 2.0 / 3}, {1.7320508075688772, 1.0 / 6}};
    call c = {.columns = 0};
    Py_ssize_t count = -1;
    const double *probability;
    const int64_t *words;
    double beta, spread, below, least, *likely, *odds, *alone, *together;
    candidate *of;
    unsigned char *keep;
    const float *title;
    Py_ssize_t titles = -1, only = -1;
    if (arguments(&c, args, "88ddd4d", &probability, &count, &words, &count, &beta, &spread, &below, &title, &titles, &least) < 0 ||
        ((count < 1 || (titles > 0 && titles != count)) && misfit() < 0) ||
        (of = room(&c, count, sizeof *of)) == NULL || (likely = room(&c, count, sizeof *likely)) == NULL || (odds = room(&c, count, sizeof *odds)) == NULL ||
        (alone = room(&c, count, sizeof *alone)) == NULL || (together = room(&c, count, sizeof *together)) == NULL ||
        (keep = give_column(&c, count, 1)) == NULL)
        return finished(&c);
    for (Py_ssize_t i = 0; i < count; i++)
        of[i] = (candidate){probability[i], (double)words[i], i};
    qsort(of, (size_t)count, sizeof *of, order);
    for (Py_ssize_t i = 0; i < count; i++)
        likely[i] = of[i].probability;
    add_expected(of, count, likely, beta, 1, alone);
    Py_ssize_t last = highest_of(alone, count);
    if (spread > 0 && of[last].probability < below) {
        const double wider = sqrt(1 + 3.141592653589793 * (spread * spread) / 8); /* so that means stay what they are */
        for (Py_ssize_t i = 0; i < count; i++) {
            const double sure = fmin(fmax(of[i].probability, 1e-6), 1 - 1e-6);
            odds[i] = log(sure / (1 - sure)) * wider;
        }
        for (int k = 0; k < 3; k++) {
            for (Py_ssize_t i = 0; i < count; i++)
                likely[i] = 1 / (1 + exp(-odds[i] - spread * shifts[k][0]));
            add_expected(of, count, likely, beta, shifts[k][1], together);
        }
        last = highest_of(together, count);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        keep[i] = probability[i] >= of[last].probability;
    for (Py_ssize_t i = 0; i < titles; i++)
        if (title[i] != 0)
            only = only == -1 ? i : count;
    for (Py_ssize_t i = only + 1; only >= 0 && probability[only < count ? only : 0] >= least && i < count; i++)
        keep[only] |= keep[i];
    give(&c, PyFloat_FromDouble(of[last].probability));
    give(&c, PyFloat_FromDouble(alone[last]));
    return finished(&c);
}

/* ---- from blocks to nodes ---------------------------------------------------------------------------------------------- */

/* The role of a block: the most probable of some, from 1, if it is as probable as `least`; else 0. `role`: of all `blocks`, one role after the
   other. */
static unsigned char
role_of(const double *role, Py_ssize_t block, Py_ssize_t blocks, Py_ssize_t roles, double least)
{
    Py_ssize_t best = 0;
    for (Py_ssize_t k = 1; k < roles; k++)
        best = role[k * blocks + block] > role[best * blocks + block] ? k : best;
    return roles > 0 && role[best * blocks + block] >= least ? (unsigned char)(best + 1) : 0;
}

/* What each node gets (tamis.content.node_model.selection_of): whether it is kept (bool), a reason (uint8), probability (float64), role (uint8).
 * A chosen block below the threshold is a title. `given`: reasons of blocks that are left out, 0 where that is the probability, told in `steps`. */
static PyObject *
select_nodes(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t blocks = -1, texts = -1, odds = -1, nodes, steps, t = 0, b = 0, node = 0;
    const int32_t *first, *last, *text_node;
    const double *probability, *role;
    const unsigned char *chosen, *given;
    double threshold, least, *of_node;
    unsigned char *keep, *reason, *its_role, before = 0;
    if (arguments(&c, args, "4448118ddnn", &first, &blocks, &last, &blocks, &text_node, &texts, &probability, &blocks, &chosen, &blocks, &given,
                  &blocks, &role, &odds, &threshold, &least, &nodes, &steps) < 0 ||
        ((nodes < 0 || steps < 1 || steps > 100 || blocks < 1 || odds % blocks != 0) && misfit() < 0) ||
        (keep = give_column(&c, nodes, 1)) == NULL || (reason = give_column(&c, nodes, 1)) == NULL ||
        (of_node = give_column(&c, nodes, sizeof *of_node)) == NULL || (its_role = give_column(&c, nodes, 1)) == NULL)
        return finished(&c);
    const unsigned char kept = (unsigned char)(steps + 1), title = 2 * kept, unread = title + 1, between = title + 2; /* reasons */
    memset(of_node, 0, (size_t)nodes * sizeof *of_node);
    memset(its_role, 0, (size_t)nodes);
    for (; t < texts && text_node[t] >= node && text_node[t] < nodes; t++) {
        unsigned char here = unread;
        const Py_ssize_t at = text_node[t];
        while (b < blocks && last[b] <= t)
            b++;
        if (b < blocks && first[b] <= t) {
            here = (unsigned char)(rint(probability[b] * (double)steps) + (chosen[b] ? kept : 0));
            here = chosen[b] && probability[b] < threshold ? title : !chosen[b] && given[b] > 0 ? given[b] : here;
            of_node[at] = probability[b];
            its_role[at] = role_of(role, b, blocks, odds / blocks, least);
        }
        const int alike = t == 0 || (before >= kept && before <= title) == (here >= kept && here <= title);
        memset(reason + node, t == 0 ? here : alike ? before : between, (size_t)(at - node));
        reason[at] = before = here;
        node = at + 1;
    }
    memset(reason + node, texts > 0 ? before : between, (size_t)(nodes - node));
    for (Py_ssize_t i = 0; i < nodes; i++)
        keep[i] = reason[i] >= kept && reason[i] <= title;
    if (t < texts)
        misfit();
    return finished(&c);
}

static PyMethodDef methods[] = {
    {"choose", choose, METH_VARARGS, NULL}, {"log_odds", log_odds, METH_VARARGS, NULL},
    {"probabilities", probabilities, METH_VARARGS, NULL}, {"select", select_nodes, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL},
};

NATIVE_MODULE(network, "From the evidence of a page's blocks to a choice.", methods, prepare_nothing)
