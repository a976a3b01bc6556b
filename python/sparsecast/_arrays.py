"""What a matrix of the user's is, as three arrays in CSR that the compiled part takes as they are."""

import numpy as np

from ._core import Error


def _found(array):
    return f"an array of {array.dtype} and shape {array.shape}"


def _array(name, values):
    try:
        return np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise Error(f"{name}: expected numbers, found {type(values).__name__}") from error


def _plain(array):
    """Itself where it is contiguous and aligned, else a copy that is."""
    return np.require(array, requirements=["C_CONTIGUOUS", "ALIGNED"])


def _offsets(values):
    array = _array("row_offsets", values)
    if array.dtype.kind not in "iu":
        raise Error(f"row_offsets: expected int32 or int64, found {_found(array)}")
    if array.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        array = array.astype(np.int64)
    return _plain(array)


def _columns(values):
    array = _array("columns", values)
    if array.dtype.kind not in "iu":
        raise Error(f"columns: expected int32, found {_found(array)}")
    if array.dtype != np.int32:
        limits = np.iinfo(np.int32)
        for end in (array.min(), array.max()) if array.size else ():
            if not limits.min <= end <= limits.max:
                raise Error(f"columns: expected numbers from 0 to below 2^31, found {end}")
        array = array.astype(np.int32)
    return _plain(array)


def _values(values):
    array = _array("values", values)
    if array.dtype.kind not in "fiub":
        raise Error(f"values: expected real numbers, found {_found(array)}")
    if array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        array = array.astype(np.float64)
    return _plain(array)


def _of_three(arrays, shape):
    row_offsets, columns, values = arrays
    row_offsets = _offsets(row_offsets)
    if shape is None:
        rows = max(row_offsets.size - 1, 0)
        shape = (rows, rows)
    return row_offsets, _columns(columns), _values(values), shape


def csr_arrays(A, shape=None):
    """Row offsets, columns, values and shape of `A`: a matrix of scipy.sparse, or three arrays.

    Those of a csr_matrix or csr_array, and arrays that are contiguous, of int32 or int64, int32,
    and float32 or float64, are handed on themselves; others are converted.
    """
    if hasattr(A, "tocsr") and hasattr(A, "format"):
        if shape is not None:
            raise Error("shape: a matrix of scipy.sparse has its own; leave it out")
        if A.format != "csr":
            A = A.tocsr(copy=True)
            A.sum_duplicates()
        return _of_three((A.indptr, A.indices, A.data), A.shape)
    if isinstance(A, (tuple, list)) and len(A) == 3:
        return _of_three(A, shape)
    if isinstance(A, np.ndarray):
        raise Error(f"A: expected a sparse matrix, found {_found(A)}; scipy.sparse.csr_matrix(A) is one")
    raise Error(
        "A: expected a matrix of scipy.sparse, or (row_offsets, columns, values), "
        f"found {type(A).__name__}"
    )


def sorted_csr_arrays(A):
    """The same of a csr_matrix or csr_array whose columns do not rise within rows, sorted in a copy.

    Entries of one place are summed. None where scipy finds its arrays damaged.
    """
    try:
        A = type(A)((A.data, A.indices, A.indptr), shape=A.shape, copy=True)
        A.check_format(full_check=True)
    except ValueError:
        return None
    A.sum_duplicates()
    return _of_three((A.indptr, A.indices, A.data), A.shape)
