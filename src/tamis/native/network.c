/* The network over the sequence of a page's blocks (tamis.content.network). network.pyi documents the functions.
 *
 * Each sum is taken in one order, the sums of several channels side by side. Where the processor can, a product is added before it is
 * rounded: the last bits of the result may differ between processors, so probabilities are rounded (tamis.content.weights).
 */
#include "native.h"

#include <math.h>

enum { CHANNELS = 32, ROWS = 6, PARTS = 3 }; /* of a tile: its channels, at the most, and blocks; blocks that a layer looks at */

/* x / (|x| + s); 0 for what is not known. */
static void
squash_column(const float *value, Py_ssize_t count, float scale, float *out)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        float between = value[i] / (fabsf(value[i]) + scale);
        out[i] = between == between ? between : 0;
    }
}

/* What a layer reads: from each part `inputs` values a block; from one block to the next, and from one value to the next, so many floats. */
typedef struct {
    const float *part[PARTS];
    Py_ssize_t parts, inputs, block, value;
} reading;

/* Sums of values and weights, and the last row of weights, for blocks by the tile. */
#if defined(__GNUC__) /* gcc and clang: in vectors of so many lanes */
#define SUMS(name, processor, LANES)                                                                                                   \
    processor static void name(const reading *from, Py_ssize_t blocks, const float *weights, Py_ssize_t width, float *to)              \
    {                                                                                                                                  \
        typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));                    \
        for (Py_ssize_t i = 0; i < blocks; i += ROWS)                                                                                  \
            for (Py_ssize_t c = 0; c < width; c += 2 * LANES) {                                                                        \
                const float *row = weights + c;                                                                                        \
                lanes sum[ROWS][2] = {{{0}}};                                                                                          \
                for (Py_ssize_t p = 0; p < from->parts; p++) {                                                                         \
                    const float *value = from->part[p] + i * from->block;                                                              \
                    for (Py_ssize_t k = from->inputs; k > 0; k--, row += width, value += from->value) {                                \
                        lanes left = *(const lanes *)row, right = *(const lanes *)(row + LANES);                                       \
                        _Pragma("GCC unroll 6") for (int r = 0; r < ROWS; r++)                                                         \
                        {                                                                                                              \
                            sum[r][0] += left * value[r * from->block];                                                                \
                            sum[r][1] += right * value[r * from->block];                                                               \
                        }                                                                                                              \
                    }                                                                                                                  \
                }                                                                                                                      \
                _Pragma("GCC unroll 6") for (int r = 0; r < ROWS; r++)                                                                 \
                {                                                                                                                      \
                    lanes *out = (lanes *)(to + (i + r) * width + c);                                                                  \
                    out[0] = sum[r][0] + *(const lanes *)row;                                                                          \
                    out[1] = sum[r][1] + *(const lanes *)(row + LANES);                                                                \
                }                                                                                                                      \
            }                                                                                                                          \
    }

SUMS(sums, , 4)
#else
static void
sums(const reading *from, Py_ssize_t blocks, const float *weights, Py_ssize_t width, float *to)
{
    memset(to, 0, (size_t)(blocks * width) * sizeof *to);
    for (Py_ssize_t i = 0; i < blocks; i++, to += width) {
        const float *weight = weights;
        for (Py_ssize_t p = 0; p < from->parts; p++)
            for (Py_ssize_t k = 0; k < from->inputs; k++, weight += width)
                for (Py_ssize_t c = 0; c < width; c++)
                    to[c] += weight[c] * from->part[p][i * from->block + k * from->value];
        for (Py_ssize_t c = 0; c < width; c++)
            to[c] += weight[c];
    }
}
#endif
#if defined(__x86_64__) && defined(__GNUC__)
SUMS(sums_8, __attribute__((target("avx2,fma"))), 8)
SUMS(sums_16, __attribute__((target("avx512f"))), 16)
#endif

/* Add to what stands there the sums that are above 0. `sum`: memory for as many. */
static void
ramp(const reading *from, Py_ssize_t blocks, const float *weights, Py_ssize_t width, float *sum, float *to)
{
#if defined(__x86_64__) && defined(__GNUC__)
    (__builtin_cpu_supports("avx512f") ? sums_16 : __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") ? sums_8 : sums)(from, blocks, weights, width, sum);
#else
    sums(from, blocks, weights, width, sum);
#endif
    for (Py_ssize_t k = 0; k < blocks * width; k++)
        to[k] += sum[k] > 0 ? sum[k] : 0;
}

/* Weights with rows as wide as a number of tiles; the next free place. */
static float *
widened(const float *weights, Py_ssize_t rows, Py_ssize_t from, Py_ssize_t to, float *place)
{
    for (Py_ssize_t r = 0; r < rows; r++, place += to)
        memcpy(place, weights + r * from, (size_t)from * sizeof *place);
    return place;
}

typedef struct {
    const float *scale, *entry, *page, *steps, *last, *out;
    Py_ssize_t columns, width, layers, outputs;
} weights_of;

static void
run(const weights_of *given, const float *evidence, Py_ssize_t blocks, Py_ssize_t width, float *memory, double *found)
{
    Py_ssize_t columns = given->columns, tall = (blocks + ROWS - 1) / ROWS * ROWS, margin = (Py_ssize_t)1 << (given->layers - 1);
    Py_ssize_t rows = given->width, plane = tall * width;
    float *entry = memory, *page = widened(given->entry, columns + 1, rows, width, entry);
    float *steps = widened(given->page, rows + 1, rows, width, page);
    float *last = widened(given->steps, given->layers * (PARTS * rows + 1), rows, width, steps);
    float *mean = widened(given->last, rows + 1, rows, width, last), *shift = mean + ROWS * width, *values = shift + ROWS * width;
    float *sum = values + columns * tall, *end = sum + plane, *here = end + plane + margin * width;

    for (Py_ssize_t c = 0; c < columns; c++)
        squash_column(evidence + c * blocks, blocks, given->scale[c], values + c * tall);
    ramp(&(reading){{values}, 1, columns, 1, tall}, tall, entry, width, sum, here);
    for (Py_ssize_t c = 0; c < rows; c++) {
        double total = 0;
        for (Py_ssize_t i = 0; i < blocks; i++)
            total += here[i * width + c];
        mean[c] = (float)(total / (double)blocks);
    }
    ramp(&(reading){{mean}, 1, rows, width, 1}, ROWS, page, width, sum, shift);
    for (Py_ssize_t i = 0; i < blocks; i++)
        for (Py_ssize_t c = 0; c < width; c++)
            here[i * width + c] += shift[c];
    for (Py_ssize_t layer = 0; layer < given->layers; layer++) {
        Py_ssize_t step = width << layer;
        memset(here + blocks * width, 0, (size_t)((tall - blocks) * width) * sizeof *here); /* behind the last block there is nothing */
        ramp(&(reading){{here - step, here, here + step}, PARTS, rows, width, 1}, tall, steps + layer * (PARTS * rows + 1) * width, width, sum,
             here);
    }
    ramp(&(reading){{here}, 1, rows, width, 1}, tall, last, width, sum, end);
    for (Py_ssize_t i = 0; i < blocks; i++, found += given->outputs)
        for (Py_ssize_t k = 0; k < given->outputs; k++) {
            found[k] = given->out[rows * given->outputs + k];
            for (Py_ssize_t c = 0; c < rows; c++)
                found[k] += (double)end[i * width + c] * given->out[c * given->outputs + k];
        }
}

static PyObject *
log_odds(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    weights_of weights = {.columns = -1};
    const float *evidence;
    Py_ssize_t count = -1, entry = -1, page = -1, steps = -1, last = -1, out = -1;
    if (arguments(&c, args, "4444444nn", &evidence, &count, &weights.scale, &weights.columns, &weights.entry, &entry, &weights.page,
                  &page, &weights.steps, &steps, &weights.last, &last, &weights.out, &out, &weights.layers, &weights.outputs) < 0)
        return finished(&c);
    Py_ssize_t outputs = weights.outputs > 0 && weights.outputs <= 64 ? weights.outputs : 1;
    Py_ssize_t rows = weights.width = out / outputs - 1, layers = weights.layers;
    if (weights.columns < 1 || outputs != weights.outputs || out != (rows + 1) * outputs || rows < 1 || rows > 1 << 12 || layers < 1 || layers > 16 || count % weights.columns != 0
        || entry != (weights.columns + 1) * rows || page != (rows + 1) * rows || last != page || steps != layers * (PARTS * rows + 1) * rows) {
        misfit();
        return finished(&c);
    }
    Py_ssize_t blocks = count / weights.columns, width = (rows + CHANNELS - 1) / CHANNELS * CHANNELS;
    Py_ssize_t tall = blocks + ROWS, margin = (Py_ssize_t)1 << (layers - 1);
    Py_ssize_t size = (entry + page + last + steps) / rows + 2 * ROWS + 3 * tall + ROWS + 2 * margin;
    float *memory = room(&c, size * width + weights.columns * tall, sizeof *memory);
    double *found = give_column(&c, blocks * outputs, sizeof *found);
    if (memory != NULL && found != NULL && blocks > 0)
        run(&weights, evidence, blocks, width, memory, found);
    return finished(&c);
}

static PyObject *
squash(PyObject *module, PyObject *args)
{
    call c = {.columns = 0};
    Py_ssize_t count = -1, wide = -1;
    const float *value, *scale;
    float *squashed;
    if (arguments(&c, args, "44", &value, &count, &scale, &wide) == 0 && ((wide > 0 ? count % wide : count) == 0 || misfit() == 0) &&
        (squashed = give_column(&c, count, sizeof *squashed)) != NULL)
        for (Py_ssize_t column = 0, rows = wide > 0 ? count / wide : 0; column < wide; column++)
            squash_column(value + column * rows, rows, scale[column], squashed + column * rows);
    return finished(&c);
}

static PyMethodDef methods[] = {{"log_odds", log_odds, METH_VARARGS, NULL}, {"squash", squash, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

NATIVE_MODULE(network, "The network over the sequence of a page's blocks.", methods, prepare_nothing)
