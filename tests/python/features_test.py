"""What is counted of a matrix, and that it is not copied."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import sparsecast

FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]


def test_features_are_those_that_the_program_prints(matrices, matrix_files, program):
    for name, A in matrices.items():
        printed = program("inspect", matrix_files[name])
        counted = sparsecast.features(A).to_dict()
        assert counted == {key: printed[key] for key in counted}
        assert set(printed) - set(counted) == {"vector_reuse", "renumbering"}
        features = sparsecast.features(A)
        numbers = (features.mean_distance, features.neighbours, features.similarity)
        assert numbers == tuple(printed["row_numbers"].values())


def test_features_of_a_file_have_no_numbers_of_rows(grid):
    counted = sparsecast.count_features(grid).features
    assert counted.mean_distance is None
    assert "row_numbers" not in counted.to_dict()


def test_features_show_what_they_are_of(grid):
    counted = sparsecast.features(grid)
    assert repr(counted.row_length).startswith("<sparsecast.RowLengths: 3 to 5, mean 4.9")
    assert repr(counted.blocks[1]).startswith("<sparsecast.BlockFeatures: ")


@pytest.mark.parametrize("format", FORMATS)
def test_every_scipy_format_is_taken(grid, format):
    expected = sparsecast.features(grid).to_dict()
    assert sparsecast.features(grid.asformat(format)).to_dict() == expected


def test_arrays_of_scipy_are_taken(grid):
    expected = sparsecast.features(grid).to_dict()
    assert sparsecast.features(scipy.sparse.csr_array(grid)).to_dict() == expected
    assert sparsecast.features(scipy.sparse.coo_array(grid)).to_dict() == expected


@pytest.mark.parametrize("offsets", [np.int32, np.int64])
@pytest.mark.parametrize("values", [np.float32, np.float64])
def test_three_arrays_are_views(grid, offsets, values):
    given = (grid.indptr.astype(offsets), grid.indices, grid.data.astype(values))
    matrix = sparsecast.Matrix(given)
    assert np.shares_memory(matrix.row_offsets, given[0])
    assert np.shares_memory(matrix.columns, given[1])
    assert np.shares_memory(matrix.values, given[2])
    assert sparsecast.features(matrix).to_dict() == sparsecast.features(grid).to_dict()


def test_a_csr_matrix_is_viewed_and_left_as_it_is(grid):
    before = grid.copy()
    matrix = sparsecast.Matrix(grid)
    for ours, theirs in [
        (matrix.row_offsets, grid.indptr),
        (matrix.columns, grid.indices),
        (matrix.values, grid.data),
    ]:
        assert ours.__array_interface__["data"] == theirs.__array_interface__["data"]
    sparsecast.features(matrix)
    assert (grid != before).nnz == 0


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_unsorted_columns_are_sorted_in_a_copy(grid, kind):
    offsets, columns, values = grid.indptr, grid.indices.copy(), grid.data.copy()
    for begin, end in zip(offsets[:-1], offsets[1:]):
        columns[begin:end] = columns[begin:end][::-1]
        values[begin:end] = values[begin:end][::-1]
    A = kind((values.copy(), columns.copy(), offsets), shape=grid.shape)
    A.has_sorted_indices = True  # what scipy noted may be of before
    matrix = sparsecast.Matrix(A)
    assert np.array_equal(matrix.columns, grid.indices)
    assert np.array_equal(matrix.values, grid.data)
    assert np.array_equal(A.indices, columns) and np.array_equal(A.data, values)


def test_entries_of_one_place_are_summed_in_a_copy():
    A = scipy.sparse.csr_matrix(([2.0, 1.0, 3.0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    matrix = sparsecast.Matrix(A)
    assert list(matrix.values) == [3.0, 3.0] and list(matrix.columns) == [1, 0]
    assert list(A.data) == [2.0, 1.0, 3.0]


def test_a_matrix_keeps_its_arrays_alive(grid):
    matrix = sparsecast.Matrix((grid.indptr.copy(), grid.indices.copy(), grid.data.copy()))
    assert sparsecast.features(matrix).to_dict() == sparsecast.features(grid).to_dict()


def test_other_numbers_are_converted(grid):
    expected = sparsecast.features(grid).to_dict()
    arrays = (grid.indptr, grid.indices, grid.data)
    for changed in [
        (arrays[0].astype(np.uint16), arrays[1], arrays[2]),
        (arrays[0], arrays[1].astype(np.int64), arrays[2]),
        (arrays[0], arrays[1], arrays[2].astype(np.int8)),
        (arrays[0], arrays[1], arrays[2].astype(">f8")),
        (np.repeat(arrays[0], 2)[::2], arrays[1], arrays[2]),
        tuple(list(array) for array in arrays),
    ]:
        assert sparsecast.features(changed).to_dict() == expected


def test_memory_does_not_grow_with_the_nonzeros():
    # Of a matrix of 60 MB: the peak of what the process takes, before and after.
    script = """
import numpy as np, sparsecast
rows, width = 50_000, 100
offsets = np.arange(0, rows * width + 1, width)
columns = (np.arange(rows)[:, None] // 2 + np.arange(width)).astype(np.int32).ravel()
values = np.ones(rows * width)
def peak():
    return int(next(line for line in open('/proc/self/status') if 'VmHWM' in line).split()[1])
sparsecast.features(([0, 1], [0], [1.0]))
before = peak()
sparsecast.features(sparsecast.Matrix((offsets, columns, values), shape=(rows, rows)))
print((peak() - before) * 1024)
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(out.stdout) < 20e6


def test_matrices_need_not_be_square_to_be_counted():
    A = scipy.sparse.random(30, 50, density=0.1, format="csr", random_state=1)
    counts = sparsecast.features(A)
    assert (counts.rows, counts.columns, counts.nonzeros) == (30, 50, A.nnz)
    arrays = sparsecast.Matrix((A.indptr, A.indices, A.data), shape=(30, 50))
    assert arrays.shape == (30, 50)


def test_values_that_are_not_finite_are_counted(grid):
    A = grid.copy()
    A.data[:3] = [np.nan, np.inf, 0]
    counts = sparsecast.features(A)
    assert (counts.not_finite, counts.explicit_zeros) == (2, 1)


def test_a_file_is_read_as_the_program_does(matrix_files, matrices):
    matrix = sparsecast.read_matrix(matrix_files["blocks"])
    A = matrices["blocks"]
    assert np.array_equal(matrix.values, A.data)
    assert np.array_equal(matrix.columns, A.indices)
    assert np.array_equal(matrix.row_offsets, A.indptr)
    with pytest.raises(ValueError):
        matrix.values[0] = 1


def test_features_files_stand_for_the_matrix(grid, tmp_path):
    path = tmp_path / "grid.features.json"
    sparsecast.count_features(grid, "nvidia-h200", devices=[1, 2], name="grid").write(path)
    counted = sparsecast.read_features(path)
    assert (counted.name, counted.devices, counted.left_out) == ("grid", [2], [])
    from_file = sparsecast.predict(counted, "nvidia-h200", devices=[1, 2]).to_dict()
    assert from_file == sparsecast.predict(grid, "nvidia-h200", devices=[1, 2]).to_dict()


def test_features_files_are_those_of_the_program(matrix_files, tmp_path, program):
    theirs = tmp_path / "theirs.features.json"
    program("inspect", matrix_files["grid"], "--features", str(theirs), "--for", "nvidia-h200")
    matrix = sparsecast.read_matrix(matrix_files["grid"])
    ours = sparsecast.count_features(matrix, "nvidia-h200", name="grid.mtx")
    assert ours.to_dict() == sparsecast.read_features(theirs).to_dict()
