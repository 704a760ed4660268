/* Tree edit distance with unit costs: Zhang and Shasha, SIAM J. Comput. 18 (1989), 1245-1262, over flat arrays.
 *
 * A tree, or a forest, of n nodes in post-order is two int32 buffers of length n: the left-most leaf below each node
 * and its label. Both forests get a root in common that is not in the buffers, so that the distance is that of
 * forests. The caller has checked the values: 0 <= left[i] <= i.
 *
 * Built against the stable ABI of CPython 3.11, so one build serves all later versions. The GIL is released.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const int32_t *left;
    const int32_t *label;
    int32_t *roots; /* key roots in ascending order: nodes with no node above that has the same left-most leaf */
    int32_t n, count;
} Forest;

/* The key roots among the n nodes, the last of them n itself: the root in common. */
static int find_key_roots(Forest *forest)
{
    int32_t n = forest->n;
    unsigned char *seen = calloc((size_t)n + 1, 1);
    forest->roots = malloc(((size_t)n + 1) * sizeof(int32_t));
    if (!seen || !forest->roots) {
        free(seen);
        return -1;
    }
    int32_t place = n + 1;
    forest->roots[--place] = n;
    seen[0] = 1; /* the left-most leaf of the root in common */
    for (int32_t i = n - 1; i >= 0; i--) {
        if (!seen[forest->left[i]]) {
            seen[forest->left[i]] = 1;
            forest->roots[--place] = i;
        }
    }
    forest->count = n + 1 - place;
    memmove(forest->roots, forest->roots + place, (size_t)forest->count * sizeof(int32_t));
    free(seen);
    return 0;
}

/* The distances of all pairs of subtrees below the key roots i and j, given those below smaller key roots.
 *
 * trees[x * m + y] is the distance of the subtrees of x and y. previous and current are rows of the distances of
 * forests; rows holds all of them, as a later row needs the row of a whole subtree to its left.
 */
static void fill(const Forest *a, const Forest *b, int32_t i, int32_t j, int32_t *trees, int32_t *rows)
{
    const int32_t m = b->n;
    const int32_t li = i < a->n ? a->left[i] : 0;
    const int32_t lj = j < m ? b->left[j] : 0;
    const int32_t height = (i < a->n ? i : i - 1) - li + 1;
    const int32_t width = (j < m ? j : j - 1) - lj + 1;
    const size_t stride = (size_t)width + 1;

    for (int32_t y = 0; y <= width; y++)
        rows[y] = y;
    for (int32_t x = 1; x <= height; x++) {
        const int32_t node = li + x - 1;
        const int32_t label = a->label[node];
        const int32_t *above = rows + (size_t)(x - 1) * stride;
        const int32_t *apart = rows + (size_t)(a->left[node] - li) * stride;
        int32_t *row = rows + (size_t)x * stride;
        int32_t *tree = trees + (size_t)node * m + lj;
        const int spine = a->left[node] == li;
        int32_t last = x;
        row[0] = x;
        for (int32_t y = 1; y <= width; y++) {
            const int32_t start = b->left[lj + y - 1] - lj;
            int32_t best = above[y] < last ? above[y] + 1 : last + 1;
            if (spine && start == 0) {
                const int32_t both = above[y - 1] + (label != b->label[lj + y - 1]);
                best = both < best ? both : best;
                tree[y - 1] = best;
            } else {
                const int32_t both = apart[start] + tree[y - 1];
                best = both < best ? both : best;
            }
            row[y] = last = best;
        }
    }
}

static int32_t solve(Forest *a, Forest *b, int32_t *trees, int32_t *rows)
{
    for (int32_t i = 0; i < a->count; i++)
        for (int32_t j = 0; j < b->count; j++)
            fill(a, b, a->roots[i], b->roots[j], trees, rows);
    return rows[((size_t)a->n + 1) * ((size_t)b->n + 1) - 1];
}

/* A buffer of int32; with length >= 0, of that many. */
static int get_buffer(PyObject *object, Py_buffer *view, int flags, Py_ssize_t length)
{
    if (PyObject_GetBuffer(object, view, flags) < 0)
        return -1;
    if (view->itemsize != (Py_ssize_t)sizeof(int32_t) || (length >= 0 && view->len / view->itemsize != length)
        || view->len / view->itemsize >= INT32_MAX) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_ValueError, "buffers of int32 of the same length expected");
        return -1;
    }
    return 0;
}

static PyObject *distance(PyObject *self, PyObject *args)
{
    PyObject *objects[5] = {NULL, NULL, NULL, NULL, Py_None}, *result = NULL;
    Py_buffer views[5];
    int held = 0;
    Forest a = {0}, b = {0};
    int32_t *rows = NULL, *own = NULL, answer = -1;
    (void)self;

    if (!PyArg_ParseTuple(args, "OOOO|O", objects, objects + 1, objects + 2, objects + 3, objects + 4))
        return NULL;
    for (; held < 4; held++) {
        Py_ssize_t length = held % 2 ? views[held - 1].len / (Py_ssize_t)sizeof(int32_t) : -1;
        if (get_buffer(objects[held], views + held, PyBUF_SIMPLE, length) < 0)
            goto done;
    }
    a.left = views[0].buf, a.label = views[1].buf, a.n = (int32_t)(views[0].len / (Py_ssize_t)sizeof(int32_t));
    b.left = views[2].buf, b.label = views[3].buf, b.n = (int32_t)(views[2].len / (Py_ssize_t)sizeof(int32_t));
    const size_t cells = (size_t)a.n * (size_t)b.n;
    if (objects[4] != Py_None) {
        if (get_buffer(objects[4], views + 4, PyBUF_WRITABLE, (Py_ssize_t)cells) < 0)
            goto done;
        held = 5;
    }
    Py_BEGIN_ALLOW_THREADS
    rows = malloc(((size_t)a.n + 1) * ((size_t)b.n + 1) * sizeof(int32_t));
    if (held < 5)
        own = malloc((cells + 1) * sizeof(int32_t));
    if (rows && (held == 5 || own) && find_key_roots(&a) == 0 && find_key_roots(&b) == 0)
        answer = solve(&a, &b, held == 5 ? views[4].buf : own, rows);
    free(a.roots);
    free(b.roots);
    free(rows);
    free(own);
    Py_END_ALLOW_THREADS
    result = answer < 0 ? PyErr_NoMemory() : PyLong_FromLong(answer);
done:
    while (held > 0)
        PyBuffer_Release(views + --held);
    return result;
}

static PyMethodDef methods[] = {
    {"distance", distance, METH_VARARGS,
     "distance(left_a, label_a, left_b, label_b, table=None)\n--\n\n"
     "The edit distance of two forests; table, if given, gets the distances of all pairs of subtrees."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_ted", "Tree edit distance on flat arrays.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__ted(void)
{
    return PyModuleDef_Init(&module);
}
