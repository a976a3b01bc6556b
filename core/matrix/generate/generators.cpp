#include "core/matrix/generate/generators.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/symmetrize.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t grain = 1 << 7;

std::int64_t checked_rows(std::int64_t rows, const std::string& what) {
  if (rows < 1 || rows > std::numeric_limits<std::int32_t>::max()) {
    throw Error(what + ": " + std::to_string(rows) + " rows; expected 1 to 2147483647");
  }
  return rows;
}

/// Builds a square matrix from a function that gives a row's length and one that fills the row.
template <class Length, class Fill>
CsrMatrix<double> build_rows(std::int64_t rows, int threads, const Length& length,
                             const Fill& fill) {
  CsrMatrix<double> matrix;
  matrix.rows = rows;
  matrix.columns = rows;
  matrix.row_offsets.resize(rows + 1);
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) matrix.row_offsets[row + 1] = length(row);
      },
      threads);
  lengths_to_offsets(matrix.row_offsets);
  matrix.column_indices.resize(matrix.row_offsets[rows]);
  matrix.values.resize(matrix.row_offsets[rows]);
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t first = matrix.row_offsets[row];
          fill(row, &matrix.column_indices[first], &matrix.values[first]);
        }
      },
      threads);
  return matrix;
}

struct GridOffset {
  std::int64_t x, y, z;
};

/// The neighbours of a grid point, itself included, in the order of their columns.
std::vector<GridOffset> stencil_offsets(int points) {
  const int dimensions = points == 3 ? 1 : points == 5 || points == 9 ? 2 : 3;
  const bool box = points == 9 || points == 27;
  std::vector<GridOffset> offsets;
  for (std::int64_t z = dimensions > 2 ? -1 : 0; z <= (dimensions > 2 ? 1 : 0); ++z) {
    for (std::int64_t y = dimensions > 1 ? -1 : 0; y <= (dimensions > 1 ? 1 : 0); ++y) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        if (box || std::abs(x) + std::abs(y) + std::abs(z) <= 1) offsets.push_back({x, y, z});
      }
    }
  }
  return offsets;
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

CsrMatrix<double> laplacian(int points, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                            int threads) {
  if (points != 3 && points != 5 && points != 7 && points != 9 && points != 27) {
    throw Error("laplacian with " + std::to_string(points) +
                " points: expected 3 (1D), 5 or 9 (2D), 7 or 27 (3D)");
  }
  const std::string size =
      std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz);
  if ((points == 3 && ny != 1) || (points <= 9 && points != 7 && nz != 1)) {
    throw Error("laplacian with " + std::to_string(points) + " points on a grid of " + size +
                ": expected sizes of 1 beyond its dimensions");
  }
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (nx < 1 || ny < 1 || nz < 1 || nx > most || ny > most / nx || nz > most / (nx * ny)) {
    throw Error("laplacian on a grid of " + size + ": expected 1 to 2147483647 points");
  }
  const std::vector<GridOffset> offsets = stencil_offsets(points);
  // A point away from the boundary sees its whole stencil; others are checked neighbour by
  // neighbour.
  const auto visit = [&](std::int64_t row, const auto& neighbour) {
    const std::int64_t x = row % nx;
    const std::int64_t y = row / nx % ny;
    const std::int64_t z = row / (nx * ny);
    for (const GridOffset& offset : offsets) {
      const auto nearby_x = static_cast<std::uint64_t>(x + offset.x);
      const auto nearby_y = static_cast<std::uint64_t>(y + offset.y);
      const auto nearby_z = static_cast<std::uint64_t>(z + offset.z);
      if (nearby_x < static_cast<std::uint64_t>(nx) && nearby_y < static_cast<std::uint64_t>(ny) &&
          nearby_z < static_cast<std::uint64_t>(nz)) {
        neighbour(row + offset.x + nx * (offset.y + ny * offset.z));
      }
    }
  };
  return build_rows(
      nx * ny * nz, threads,
      [&](std::int64_t row) {
        std::int64_t length = 0;
        visit(row, [&](std::int64_t) { ++length; });
        return length;
      },
      [&](std::int64_t row, std::int32_t* columns, double* values) {
        visit(row, [&](std::int64_t column) {
          *columns++ = static_cast<std::int32_t>(column);
          *values++ = column == row ? points - 1 : -1;
        });
      });
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
