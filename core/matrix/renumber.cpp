#include "core/matrix/renumber.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// new_index[old_index]. Throws `Error` unless `permutation` holds each of its places once.
Buffer<std::int32_t> inverse(std::span<const std::int32_t> permutation) {
  const auto size = static_cast<std::int64_t>(permutation.size());
  Buffer<std::int32_t> result;
  result.assign(size, -1);
  for (std::int64_t place = 0; place < size; ++place) {
    const std::int64_t old = permutation[place];
    if (old < 0 || old >= size || result[old] >= 0) {
      throw Error("renumbering: place " + std::to_string(place) + " holds " + std::to_string(old) +
                  "; expected each number from 0 to " + std::to_string(size - 1) + " once");
    }
    result[old] = static_cast<std::int32_t>(place);
  }
  return result;
}

}  // namespace

template <class T>
void require_square(const CsrView<T>& matrix) {
  if (matrix.rows != matrix.columns) {
    throw Error("cannot renumber a matrix of " + std::to_string(matrix.rows) + " x " +
                std::to_string(matrix.columns) + ": expected a square one");
  }
}

Permutation identity_permutation(std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<std::int32_t>::max()) {
    throw Error("a permutation of " + std::to_string(size) + ": expected 0 to 2147483647");
  }
  Permutation permutation(size);
  std::iota(permutation.begin(), permutation.end(), 0);
  return permutation;
}

Permutation random_permutation(std::int64_t size, std::uint64_t seed) {
  Permutation permutation = identity_permutation(size);
  RandomStream random(seed, 0);
  for (std::int64_t k = size - 1; k > 0; --k) {
    std::swap(permutation[k], permutation[random.below(k + 1)]);
  }
  return permutation;
}

template <class T>
CsrMatrix<T> renumber(const CsrView<T>& matrix, std::span<const std::int32_t> permutation,
                      int threads) {
  require_square(matrix);
  if (static_cast<std::int64_t>(permutation.size()) != matrix.rows) {
    throw Error("renumbering of " + std::to_string(permutation.size()) + " places for " +
                std::to_string(matrix.rows) + " rows: expected as many");
  }
  const Buffer<std::int32_t> new_index = inverse(permutation);
  CsrMatrix<T> result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.row_offsets.resize(matrix.rows + 1);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t old = permutation[row];
    result.row_offsets[row + 1] = matrix.row_offsets[old + 1] - matrix.row_offsets[old];
  }
  lengths_to_offsets(result.row_offsets);
  result.column_indices.resize(matrix.nonzeros());
  result.values.resize(matrix.nonzeros());
  parallel_rows(
      result.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::pair<std::int32_t, std::int64_t>> entries;  // new column, old place
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t old = permutation[row];
          entries.clear();
          const std::int64_t last = matrix.row_offsets[old + 1];
          for (std::int64_t k = matrix.row_offsets[old]; k < last; ++k) {
            entries.emplace_back(new_index[matrix.column_indices[k]], k);
          }
          std::sort(entries.begin(), entries.end());
          std::int64_t k = result.row_offsets[row];
          for (const auto& [column, place] : entries) {
            result.column_indices[k] = column;
            result.values[k] = matrix.values[place];
            ++k;
          }
        }
      },
      threads);
  return result;
}

template void require_square(const CsrView<float>&);
template void require_square(const CsrView<double>&);
template CsrMatrix<float> renumber(const CsrView<float>&, std::span<const std::int32_t>, int);
template CsrMatrix<double> renumber(const CsrView<double>&, std::span<const std::int32_t>, int);

}  // namespace sparsecast
