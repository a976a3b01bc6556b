#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/generate/dominant_values.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/symmetrize.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// Rows that share one chain of similar rows; fixed, so that results do not depend on threads.
constexpr std::int64_t chain_rows = 256;

/// Streams of random numbers, one set per purpose.
enum class Purpose : std::uint64_t { row_length, columns };
RandomStream stream(std::uint64_t seed, Purpose purpose, std::int64_t row) {
  return {scramble(seed) + static_cast<std::uint64_t>(purpose), static_cast<std::uint64_t>(row)};
}

/// Draws the columns of one row after the other.
class RowSampler {
 public:
  /// Columns within `half_bandwidth` of the row; see `RandomMatrixSpec` for the others.
  RowSampler(std::int64_t rows, std::int64_t half_bandwidth, double similarity,
             double mean_run_length, bool diagonal_allowed)
      : rows_(rows),
        half_bandwidth_(half_bandwidth),
        similarity_(similarity),
        run_goes_on_(1 - 1 / mean_run_length),
        diagonal_allowed_(diagonal_allowed) {}

  /// The most columns that a row can have.
  std::int64_t capacity(std::int64_t row) const {
    return end(row) - begin(row) - (diagonal_allowed_ ? 0 : 1);
  }

  /// Replaces `columns` (those of the row above, or empty) by `length` rising ones of this row;
  /// `length` at most `capacity(row)`.
  void draw(std::int64_t row, std::int64_t length, RandomStream& random,
            std::vector<std::int32_t>& columns) const {
    const std::int64_t first = begin(row);
    const std::int64_t last = end(row);
    const auto allowed = [&](std::int64_t column) {
      return column >= first && column < last && (diagonal_allowed_ || column != row);
    };
    const auto size = [&] { return static_cast<std::int64_t>(columns.size()); };
    std::erase_if(columns, [&](std::int32_t column) {
      return !allowed(column) || random.uniform() >= similarity_;
    });
    while (size() > length) columns.erase(columns.begin() + random.below(size()));
    // Repeated columns are drawn again; where a row fills most of its band that would go on for
    // long, so after some attempts the free columns after a random one are taken.
    for (int attempt = 0; size() < length && attempt < 16; ++attempt) {
      for (std::int64_t missing = length - size(); missing > 0;) {
        std::int64_t column = first + random.below(last - first);
        do {
          if (allowed(column)) {
            columns.push_back(static_cast<std::int32_t>(column));
            --missing;
          }
          ++column;
        } while (missing > 0 && column < last && random.uniform() < run_goes_on_);
      }
      sort_unique(columns);
    }
    if (size() < length) fill_up(row, length, first + random.below(last - first), columns);
  }

 private:
  std::int64_t begin(std::int64_t row) const {
    return std::max<std::int64_t>(0, row - half_bandwidth_);
  }
  std::int64_t end(std::int64_t row) const { return std::min(rows_, row + half_bandwidth_ + 1); }

  static void sort_unique(std::vector<std::int32_t>& columns) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }

  void fill_up(std::int64_t row, std::int64_t length, std::int64_t start,
               std::vector<std::int32_t>& columns) const {
    const std::vector<std::int32_t> taken = columns;
    for (std::int64_t column = start; static_cast<std::int64_t>(columns.size()) < length;
         column = column + 1 == end(row) ? begin(row) : column + 1) {
      if ((diagonal_allowed_ || column != row) &&
          !std::binary_search(taken.begin(), taken.end(), static_cast<std::int32_t>(column))) {
        columns.push_back(static_cast<std::int32_t>(column));
      }
    }
    sort_unique(columns);
  }

  std::int64_t rows_;
  std::int64_t half_bandwidth_;
  double similarity_;
  double run_goes_on_;
  bool diagonal_allowed_;
};

/// A pattern with the given row lengths, cut at what the sampler can place.
template <class Length>
CsrPattern sample_pattern(std::int64_t rows, std::uint64_t seed, const RowSampler& sampler,
                          const Length& length, int threads) {
  CsrPattern pattern;
  pattern.row_offsets.resize(rows + 1);
  constexpr std::int64_t grain = 1 << 7;
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          pattern.row_offsets[row + 1] =
              std::clamp<std::int64_t>(length(row), 0, sampler.capacity(row));
        }
      },
      threads);
  lengths_to_offsets(pattern.row_offsets);
  pattern.column_indices.resize(pattern.row_offsets[rows]);
  parallel_rows(
      pattern.row_offsets, chain_rows,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> columns;
        for (std::int64_t row = begin; row < end; ++row) {
          if (row % chain_rows == 0) columns.clear();
          RandomStream random = stream(seed, Purpose::columns, row);
          const std::int64_t first = pattern.row_offsets[row];
          sampler.draw(row, pattern.row_offsets[row + 1] - first, random, columns);
          std::copy(columns.begin(), columns.end(), &pattern.column_indices[first]);
        }
      },
      threads);
  return pattern;
}

/// A + A^T + I without values.
CsrMatrix<double> symmetrized(const CsrPattern& pattern, int threads) {
  const std::int64_t rows = static_cast<std::int64_t>(pattern.row_offsets.size()) - 1;
  return square_matrix(symmetrize_pattern(
      CsrView<double>{rows, rows, pattern.row_offsets, pattern.column_indices, {}}, threads));
}

/// base^exponent for base >= 1 and 0 <= exponent < 1024 from multiplications and square roots only,
/// which are exact to the last bit everywhere; `pow` is not.
double exact_power(double base, double exponent) {
  auto whole = static_cast<std::int64_t>(exponent);
  double fraction = exponent - static_cast<double>(whole);
  double result = 1;
  for (double square = base; whole > 0; whole /= 2, square *= square) {
    if (whole % 2 == 1) result *= square;
  }
  double root = base;
  for (int bit = 0; bit < 40 && fraction > 0; ++bit) {
    root = std::sqrt(root);
    fraction *= 2;
    if (fraction >= 1) {
      result *= root;
      fraction -= 1;
    }
  }
  return result;
}

void check_rows(std::int64_t rows, const std::string& what) {
  if (rows < 1 || rows > std::numeric_limits<std::int32_t>::max()) {
    throw Error(what + " of " + std::to_string(rows) + " rows: expected 1 to 2147483647");
  }
}

void check_range(bool good, const std::string& what, double value, const std::string& expected) {
  if (!good) throw Error(what + " of " + std::to_string(value) + ": expected " + expected);
}

}  // namespace

CsrMatrix<double> random_matrix(const RandomMatrixSpec& spec, int threads) {
  check_rows(spec.rows, "random matrix");
  const auto rows = static_cast<double>(spec.rows);
  check_range(spec.mean_row_length >= 1 && spec.mean_row_length <= rows, "mean row length",
              spec.mean_row_length, "1 to the number of rows");
  check_range(spec.stddev_row_length >= 0 && spec.stddev_row_length <= rows,
              "standard deviation of the row length", spec.stddev_row_length,
              "0 to the number of rows");
  check_range(spec.bandwidth_fraction > 0 && spec.bandwidth_fraction <= 1, "bandwidth fraction",
              spec.bandwidth_fraction, "more than 0, at most 1");
  check_range(spec.row_similarity >= 0 && spec.row_similarity < 1, "row similarity",
              spec.row_similarity, "at least 0, less than 1");
  check_range(spec.mean_run_length >= 1 && spec.mean_run_length <= rows, "mean run length",
              spec.mean_run_length, "1 to the number of rows");

  const auto half_bandwidth = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(spec.bandwidth_fraction * static_cast<double>(spec.rows - 1)));
  const RowSampler sampler(spec.rows, half_bandwidth, spec.row_similarity, spec.mean_run_length,
                           !spec.symmetric);
  // Of a symmetric matrix half of the entries beside the diagonal are drawn. The other half, the
  // transposed, adds a variance close to its mean (columns are hit independently), so that the
  // drawn half needs less.
  const double mean = spec.symmetric ? (spec.mean_row_length - 1) / 2 : spec.mean_row_length;
  const double variance = spec.stddev_row_length * spec.stddev_row_length;
  const double stddev = std::sqrt(spec.symmetric ? std::max(0.0, variance - mean) : variance);
  const std::int64_t least = spec.symmetric ? 0 : 1;
  const auto length = [&](std::int64_t row) {
    RandomStream random = stream(spec.seed, Purpose::row_length, row);
    const double drawn = mean + stddev * random.normal() + random.uniform();
    return drawn < 1 ? least : static_cast<std::int64_t>(drawn);
  };
  CsrPattern pattern = sample_pattern(spec.rows, spec.seed, sampler, length, threads);
  CsrMatrix<double> matrix =
      spec.symmetric ? symmetrized(pattern, threads) : square_matrix(std::move(pattern));
  fill_dominant_values(
      matrix,
      [&](std::int64_t row, std::int64_t column) {
        const bool own_value = !spec.symmetric && row > column;
        return symmetric_value(own_value ? ~spec.seed : spec.seed, row, column);
      },
      threads);
  return matrix;
}

CsrMatrix<double> power_law(std::int64_t rows, double mean_row_length, double exponent,
                            std::uint64_t seed, int threads) {
  check_rows(rows, "power-law matrix");
  check_range(mean_row_length >= 1 && mean_row_length <= static_cast<double>(rows),
              "mean row length", mean_row_length, "1 to the number of rows");
  check_range(exponent > 1 && exponent <= 100, "exponent of the power law", exponent,
              "more than 1, at most 100");

  // The row of rank k has k^(-1/(exponent - 1)) of the longest row's edges: then the number of rows
  // with d edges falls as d^-exponent. Rank by random order, so that hubs lie anywhere.
  const Permutation rank = random_permutation(rows, scramble(seed));
  const double decay = std::min(1 / (exponent - 1), 1000.0);
  Buffer<double> weight(rows);
  constexpr std::int64_t grain = 1 << 7;
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          weight[k] = 1 / exact_power(static_cast<double>(k + 1), decay);
        }
      },
      threads);
  double sum = 0;
  for (const double term : weight) sum += term;
  const double scale = (mean_row_length - 1) / 2 * static_cast<double>(rows) / sum;
  const RowSampler sampler(rows, rows, 0, 1, false);
  const CsrPattern pattern = sample_pattern(
      rows, seed, sampler,
      [&](std::int64_t row) {
        const double rounding = stream(seed, Purpose::row_length, row).uniform();
        return static_cast<std::int64_t>(
            std::min(scale * weight[rank[row]] + rounding, static_cast<double>(rows)));
      },
      threads);
  CsrMatrix<double> matrix = symmetrized(pattern, threads);
  fill_dominant_values(
      matrix, [](std::int64_t, std::int64_t) { return -1.0; }, threads);
  return matrix;
}

}  // namespace sparsecast
