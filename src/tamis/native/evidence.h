/* The page as evidence.c and words.c see it. */
#ifndef TAMIS_EVIDENCE_H
#define TAMIS_EVIDENCE_H

#include "native.h"

/* A function called for a text, compiled for texts of one byte a character and for all. */
#define OF_TEXT(function, text, ...)                                                                            \
    (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND ? function(PyUnicode_1BYTE_KIND, PyUnicode_DATA(text), __VA_ARGS__) \
                                                  : function(PyUnicode_KIND(text), PyUnicode_DATA(text), __VA_ARGS__))

/* tamis.content.evidence.characters */
enum { WORD = 1, WIDE = 2, DIGIT = 4, COMMA = 8, STOP = 16, SIGN = 32 };
enum { CLASS, ID }; /* attributes that hold names */

/* Known beginnings of words as an open table, in which no key is 0, and what each hints at. tamis.content.evidence.markup */
typedef struct {
    const uint64_t *keys, *bits;
    Py_ssize_t size;
} dictionary;

/* Learned names as an open table, in which no key is 0. tamis.content.evidence.vocabulary */
typedef struct {
    const uint32_t *key;
    const int16_t *near, *above;
    Py_ssize_t size;
} vocabulary;

/* Learned words, the same. tamis.content.evidence.words */
typedef struct {
    const uint32_t *key;
    const int8_t *weight, *aside;
    Py_ssize_t size;
} lexicon;

typedef struct meaning meaning;
typedef struct place place;
typedef struct block block;

typedef struct {
    /* given */
    const int32_t *tag, *parent, *end, *text_nodes, *element, *first, *last;
    const int64_t *length, *link_length;
    const uint64_t *tag_bits, *holder_bits;
    const unsigned char *kinds, *hidden, *link;
    const unsigned char *marks, *posts; /* of each node, what it is (FIELDS and others), and what it has to do with posts (BESIDE, SAID) */
    const int32_t *name[2], *href; /* index of each node's value among the values of class, of id, of href; -1: it has none */
    PyObject *texts, *values[2], *hrefs;
    dictionary hints;
    vocabulary learned;
    lexicon words;
    Py_ssize_t nodes, count, blocks, known;
    /* made here */
    meaning *meaning[2]; /* each value, once it is met */
    place *at;           /* each node */
    block *block;        /* each block, and one more */
    uint64_t *key;
    int32_t *number, *origin; /* the group of each block by its key, and the first block of each group */
    int64_t total, total_prose;
    float *out;
} page;

/* Write the columns of words and of repeated text, and what the words say of asides; or, with `wants_keys`, give the number of keys by block
 * and source, and the keys. */
int put_words(const page *p, call *c, int wants_keys, float *out, int64_t *aside);

#endif
