#include "core/matrix/generate/generators.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/generate/build_rows.hpp"
#include "core/matrix/symmetrize.hpp"

namespace sparsecast {
namespace {

std::int64_t checked_rows(std::int64_t rows, const std::string& what) {
  if (rows < 1 || rows > std::numeric_limits<std::int32_t>::max()) {
    throw Error(what + ": " + std::to_string(rows) + " rows; expected 1 to 2147483647");
  }
  return rows;
}

std::vector<std::int64_t> first_primes(std::int64_t count) {
  // The n-th prime is below n (ln n + ln ln n) for n >= 6, and ln n + ln ln n < log2 n + 1.
  const std::int64_t bound =
      count * static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(count)) + 1) + 16;
  std::vector<bool> composite(bound);
  std::vector<std::int64_t> primes;
  primes.reserve(count);
  for (std::int64_t number = 2; static_cast<std::int64_t>(primes.size()) < count; ++number) {
    if (composite[number]) continue;
    primes.push_back(number);
    for (std::int64_t multiple = number * number; multiple < bound; multiple += number) {
      composite[multiple] = true;
    }
  }
  return primes;
}

}  // namespace

GridStencil laplacian_stencil(int points, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  const std::string what = "laplacian with " + std::to_string(points) + " points";
  if (points != 3 && points != 5 && points != 7 && points != 9 && points != 27) {
    throw Error(what + ": expected 3 (1D), 5 or 9 (2D), 7 or 27 (3D)");
  }
  if ((points == 3 && ny != 1) || (points <= 9 && points != 7 && nz != 1)) {
    throw Error(what + " on a grid of " + std::to_string(nx) + " x " + std::to_string(ny) + " x " +
                std::to_string(nz) + ": expected sizes of 1 beyond its dimensions");
  }
  std::vector<GridStencil::Neighbour> neighbours = stencil_neighbours(points);
  for (GridStencil::Neighbour& each : neighbours) {
    each.value = each.x == 0 && each.y == 0 && each.z == 0 ? points - 1 : -1;
  }
  return {"laplacian", {nx, ny, nz}, std::move(neighbours)};
}

CsrMatrix<double> laplacian(int points, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                            int threads) {
  return all_rows(laplacian_stencil(points, nx, ny, nz), threads);
}

CsrMatrix<double> trefethen(std::int64_t n, int threads) {
  checked_rows(n, "trefethen");
  const std::vector<std::int64_t> primes = first_primes(n);
  const auto length = [&](std::int64_t row) {
    // 2^k <= distance for k = 0 .. bit_width(distance) - 1.
    return 1 + static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(row)) +
                                         std::bit_width(static_cast<std::uint64_t>(n - 1 - row)));
  };
  return build_rows(
      n, threads, length, [&](std::int64_t row, std::int32_t* columns, double* values) {
        std::fill_n(values, length(row), 1.0);
        std::int64_t below = row == 0 ? 0 : std::bit_floor(static_cast<std::uint64_t>(row));
        for (; below > 0; below /= 2, ++values) *columns++ = static_cast<std::int32_t>(row - below);
        *columns++ = static_cast<std::int32_t>(row);
        *values = static_cast<double>(primes[row]);
        for (std::int64_t above = 1; row + above < n; above *= 2) {
          *columns++ = static_cast<std::int32_t>(row + above);
        }
      });
}

CsrMatrix<double> arrow(std::int64_t n, std::int64_t heads, int threads) {
  checked_rows(n, "arrow");
  if (heads < 1 || heads > n) {
    throw Error("arrow: " + std::to_string(heads) + " full rows of " + std::to_string(n) +
                "; expected 1 to all of them");
  }
  const std::int64_t first_head = n - heads;
  // Columns of the band, those among the full columns left out.
  const auto band = [=](std::int64_t row) {
    return std::pair(std::max<std::int64_t>(0, row - 1), std::min(first_head, row + 2));
  };
  const auto length = [=](std::int64_t row) {
    if (row >= first_head) return n;
    const auto [begin, end] = band(row);
    return end - begin + heads;
  };
  return build_rows(n, threads, length,
                    [=](std::int64_t row, std::int32_t* columns, double* values) {
                      const auto add = [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t column = begin; column < end; ++column) {
                          *columns++ = static_cast<std::int32_t>(column);
                          *values++ = column == row ? static_cast<double>(length(row)) : -1.0;
                        }
                      };
                      if (row < first_head) {
                        const auto [begin, end] = band(row);
                        add(begin, end);
                        add(first_head, n);
                      } else {
                        add(0, n);
                      }
                    });
}

CsrMatrix<double> dense(std::int64_t n, std::uint64_t seed, int threads) {
  constexpr std::int64_t most_rows = std::int64_t{1} << 20;  // 13 TB
  if (n < 1 || n > most_rows) {
    throw Error("dense: " + std::to_string(n) + " rows; expected 1 to " +
                std::to_string(most_rows));
  }
  return build_rows(
      n, threads, [&](std::int64_t) { return n; },
      [&](std::int64_t row, std::int32_t* columns, double* values) {
        for (std::int64_t column = 0; column < n; ++column) {
          columns[column] = static_cast<std::int32_t>(column);
          values[column] = symmetric_value(seed, row, column);
        }
        values[row] = static_cast<double>(n);
      });
}

CsrMatrix<double> spd_surrogate(const CsrView<double>& pattern, int threads) {
  if (pattern.rows != pattern.columns) {
    throw Error("surrogate values for a matrix of " + std::to_string(pattern.rows) + " x " +
                std::to_string(pattern.columns) + ": expected a square one");
  }
  CsrPattern symmetric = symmetrize_pattern(pattern, threads);
  CsrMatrix<double> matrix;
  matrix.rows = pattern.rows;
  matrix.columns = pattern.rows;
  matrix.row_offsets = std::move(symmetric.row_offsets);
  matrix.column_indices = std::move(symmetric.column_indices);
  matrix.values.resize(matrix.column_indices.size());
  parallel_rows(
      matrix.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t first = matrix.row_offsets[row];
          const std::int64_t last = matrix.row_offsets[row + 1];
          for (std::int64_t k = first; k < last; ++k) {
            matrix.values[k] =
                matrix.column_indices[k] == row ? static_cast<double>(last - first) : -1.0;
          }
        }
      },
      threads);
  return matrix;
}

CsrMatrix<double> with_components(const CsrView<double>& matrix, int components) {
  const std::int64_t c = components;
  CsrMatrix<double> result;
  result.rows = matrix.rows * c;
  result.columns = matrix.columns * c;
  result.row_offsets.resize(static_cast<std::size_t>(result.rows) + 1);
  result.column_indices.resize(static_cast<std::size_t>(matrix.nonzeros() * c * c));
  result.values.resize(result.column_indices.size());
  result.row_offsets[0] = 0;
  std::size_t end = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t i = 0; i < c; ++i) {
      const std::int64_t last = matrix.row_offsets[row + 1];
      for (std::int64_t k = matrix.row_offsets[row]; k < last; ++k) {
        for (std::int64_t j = 0; j < c; ++j, ++end) {
          result.column_indices[end] = static_cast<std::int32_t>(matrix.column_indices[k] * c + j);
          result.values[end] =
              matrix.values[k] * ((i == j ? 1 : 0) + 1 / static_cast<double>(components));
        }
      }
      result.row_offsets[static_cast<std::size_t>(row * c + i) + 1] =
          static_cast<std::int64_t>(end);
    }
  }
  return result;
}

}  // namespace sparsecast
