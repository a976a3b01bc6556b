#include "core/analysis/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <string>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/formats/bcsr/block_row_lengths.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

__extension__ using WideInteger = unsigned __int128;

/// Threads of a thread block in the paper's mapping (section 3.3).
constexpr std::int64_t mapping_threads = 256;

/// What is added up over the entries of some rows.
struct EntrySums {
  std::int64_t explicit_zeros = 0;
  std::int64_t not_finite = 0;
  std::int64_t bandwidth = 0;
  std::int64_t missing_diagonal = 0;
  std::int64_t zero_diagonal = 0;
  std::int64_t negative_diagonal = 0;
  /// Entries above the diagonal less those below it: their number, and the sums of a random number
  /// for each place, and for each place with its value. All are 0 for a symmetric matrix; the
  /// chance that the sums of another one are 0 is 2^-64. Unlike a look at every mirrored entry this
  /// reads the matrix once, in order.
  std::int64_t upper_less_lower = 0;
  std::uint64_t place_sum = 0;
  std::uint64_t value_sum = 0;
  std::int64_t min_length = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_length = 0;
  WideInteger length_squares = 0;
  std::array<std::int64_t, 65> histogram{};

  void add(const EntrySums& other) {
    explicit_zeros += other.explicit_zeros;
    not_finite += other.not_finite;
    bandwidth = std::max(bandwidth, other.bandwidth);
    missing_diagonal += other.missing_diagonal;
    zero_diagonal += other.zero_diagonal;
    negative_diagonal += other.negative_diagonal;
    upper_less_lower += other.upper_less_lower;
    place_sum += other.place_sum;
    value_sum += other.value_sum;
    min_length = std::min(min_length, other.min_length);
    max_length = std::max(max_length, other.max_length);
    length_squares += other.length_squares;
    for (std::size_t k = 0; k < histogram.size(); ++k) histogram[k] += other.histogram[k];
  }
};

/// Any number that no value of a matrix is likely to have as its bits.
constexpr std::uint64_t odd_bits = 0x9e3779b97f4a7c15ULL;

/// The random numbers of the entry (i, j) and, with its value, of the same.
struct EntryCode {
  std::uint64_t place;
  std::uint64_t value;
};
inline EntryCode entry_code(std::int64_t i, std::int64_t j, double value) {
  const std::uint64_t place =
      scramble(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j));
  // Adding 0 makes -0 the same as 0. The place is random already, so that one multiplication of
  // full width, its halves folded, is enough.
  const WideInteger product =
      static_cast<WideInteger>(place) * (std::bit_cast<std::uint64_t>(value + 0.0) ^ odd_bits);
  return {place, static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product)};
}

template <class T>
void add_row(const CsrView<T>& matrix, std::int64_t row, EntrySums& sums) {
  const std::int64_t first = matrix.row_offsets[row];
  const std::int64_t last = matrix.row_offsets[row + 1];
  const std::int32_t* columns = matrix.column_indices.data();
  const T* values = matrix.values.data();

  const std::int64_t length = last - first;
  sums.min_length = std::min(sums.min_length, length);
  sums.max_length = std::max(sums.max_length, length);
  sums.length_squares += static_cast<WideInteger>(length) * static_cast<WideInteger>(length);
  ++sums.histogram[std::bit_width(static_cast<std::uint64_t>(length))];
  if (length > 0) {
    sums.bandwidth =
        std::max({sums.bandwidth, row - columns[first], std::int64_t{columns[last - 1]} - row});
  }

  std::int64_t zeros = 0;
  std::int64_t not_finite = 0;
  std::uint64_t place_sum = 0;
  std::uint64_t value_sum = 0;
  const auto count_value = [&](T value) {
    zeros += value == T{0};
    not_finite += !(std::abs(value) <= std::numeric_limits<T>::max());
  };
  std::int64_t k = first;
  for (; k < last && columns[k] < row; ++k) {
    count_value(values[k]);
    const EntryCode code = entry_code(columns[k], row, static_cast<double>(values[k]));
    place_sum -= code.place;
    value_sum -= code.value;
  }
  sums.upper_less_lower -= k - first;
  if (k < last && columns[k] == row) {
    count_value(values[k]);
    sums.zero_diagonal += values[k] == T{0};
    sums.negative_diagonal += values[k] < T{0};
    ++k;
  } else {
    sums.missing_diagonal += row < matrix.columns;
  }
  sums.upper_less_lower += last - k;
  for (; k < last; ++k) {
    count_value(values[k]);
    const EntryCode code = entry_code(row, columns[k], static_cast<double>(values[k]));
    place_sum += code.place;
    value_sum += code.value;
  }
  sums.explicit_zeros += zeros;
  sums.not_finite += not_finite;
  sums.place_sum += place_sum;
  sums.value_sum += value_sum;
}

/// Everything about one block size from the lengths of its block rows, `length(block_row)`.
template <class Length>
BlockFeatures block_features(int block_size, std::int64_t rows, std::int64_t nonzeros,
                             const Length& length, int threads) {
  BlockFeatures features;
  const std::int64_t values_per_block = std::int64_t{block_size} * block_size;
  const std::int64_t rows_per_thread_block =
      std::max<std::int64_t>(1, mapping_threads / values_per_block);
  features.block_size = block_size;
  features.block_rows = (rows + block_size - 1) / block_size;

  const std::int64_t thread_blocks =
      (features.block_rows + rows_per_thread_block - 1) / rows_per_thread_block;
  std::vector<std::int64_t> rows_of_length(1);
  std::int64_t padded_natural = 0;
  std::mutex mutex;
  parallel_for(
      thread_blocks, 256,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> histogram(1);
        std::int64_t padded = 0;
        for (std::int64_t thread_block = begin; thread_block < end; ++thread_block) {
          const std::int64_t first = thread_block * rows_per_thread_block;
          const std::int64_t last = std::min(first + rows_per_thread_block, features.block_rows);
          std::int64_t longest = 0;
          for (std::int64_t block_row = first; block_row < last; ++block_row) {
            const std::int64_t blocks = length(block_row);
            longest = std::max(longest, blocks);
            if (blocks >= static_cast<std::int64_t>(histogram.size())) histogram.resize(blocks + 1);
            ++histogram[blocks];
          }
          padded += longest * (last - first);
        }
        const std::lock_guard<std::mutex> lock(mutex);
        padded_natural += padded;
        rows_of_length.resize(std::max(rows_of_length.size(), histogram.size()));
        for (std::size_t k = 0; k < histogram.size(); ++k) rows_of_length[k] += histogram[k];
      },
      threads);

  // Sorted by falling length, the first block row of each thread block is its longest.
  std::int64_t padded_sorted = 0;
  std::int64_t position = 0;
  std::int64_t next_thread_block = 0;
  for (std::int64_t blocks = static_cast<std::int64_t>(rows_of_length.size()) - 1; blocks >= 0;
       --blocks) {
    features.blocks += blocks * rows_of_length[blocks];
    position += rows_of_length[blocks];
    while (next_thread_block < position) {
      padded_sorted +=
          blocks * std::min(rows_per_thread_block, features.block_rows - next_thread_block);
      next_thread_block += rows_per_thread_block;
    }
  }
  features.max_blocks_per_row = static_cast<std::int64_t>(rows_of_length.size()) - 1;
  features.block_elements = features.blocks * values_per_block;
  features.padded_elements_natural = padded_natural * values_per_block;
  features.padded_elements_sorted = padded_sorted * values_per_block;
  if (features.blocks > 0) {
    features.block_density =
        static_cast<double>(nonzeros) / static_cast<double>(features.block_elements);
  }
  return features;
}

RowLengths row_lengths(const MatrixFeatures& features, const EntrySums& sums) {
  RowLengths result;
  if (features.rows == 0) return result;
  result.min = sums.min_length;
  result.max = sums.max_length;
  const auto rows = static_cast<double>(features.rows);
  result.mean = static_cast<double>(features.nonzeros) / rows;
  // rows^2 times the variance, in whole numbers: the same for any number of threads.
  const WideInteger total = static_cast<WideInteger>(features.nonzeros);
  const WideInteger scaled =
      sums.length_squares * static_cast<WideInteger>(features.rows) - total * total;
  result.stddev = std::sqrt(static_cast<double>(scaled)) / rows;
  std::size_t classes = sums.histogram.size();
  while (classes > 0 && sums.histogram[classes - 1] == 0) --classes;
  result.histogram.assign(sums.histogram.begin(), sums.histogram.begin() + classes);
  return result;
}

}  // namespace

RowLengthRange row_length_range(std::size_t histogram_class) {
  if (histogram_class == 0) return {0, 0};
  const std::int64_t from = std::int64_t{1} << (histogram_class - 1);
  return {from, 2 * from - 1};
}

const BlockFeatures& MatrixFeatures::block(int block_size) const {
  const auto found = std::find(block_sizes.begin(), block_sizes.end(), block_size);
  if (found == block_sizes.end()) {
    throw Error("block size " + std::to_string(block_size) + ": expected 1, 2, 3, 4, 6 or 8");
  }
  return blocks[found - block_sizes.begin()];
}

PatternNumbers MatrixFeatures::numbers(std::string_view format) const {
  PatternNumbers numbers;
  numbers.rows = static_cast<double>(rows);
  numbers.columns = static_cast<double>(columns);
  numbers.nonzeros = static_cast<double>(nonzeros);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    numbers.blocks[k] = static_cast<double>(blocks[k].blocks);
  }
  const auto counted = format_counts.find(format);
  if (counted != format_counts.end()) numbers.counts = counted->second;
  return numbers;
}

SegmentShape MatrixFeatures::shape(const Layout& layout) const {
  return format_of(layout).shape(numbers(layout.format), layout);
}

template <class T>
MatrixFeatures compute_features(const CsrView<T>& matrix, int threads) {
  MatrixFeatures features;
  features.rows = matrix.rows;
  features.columns = matrix.columns;
  features.nonzeros = matrix.nonzeros();

  BlockRowLengths lengths = block_row_lengths(matrix.rows);
  EntrySums sums;
  std::mutex mutex;
  parallel_rows(
      matrix.row_offsets, rows_per_group,
      [&](std::int64_t begin, std::int64_t end) {
        EntrySums part;
        BlockRowCounter counter(matrix.columns);
        count_block_rows(matrix, begin, end, counter, lengths,
                         [&](std::int64_t row) { add_row(matrix, row, part); });
        const std::lock_guard<std::mutex> lock(mutex);
        sums.add(part);
      },
      threads);

  features.explicit_zeros = sums.explicit_zeros;
  features.not_finite = sums.not_finite;
  features.row_length = row_lengths(features, sums);
  features.bandwidth = sums.bandwidth;
  features.pattern_symmetric =
      matrix.rows == matrix.columns && sums.upper_less_lower == 0 && sums.place_sum == 0;
  features.symmetric = features.pattern_symmetric && sums.value_sum == 0;
  features.missing_diagonal = sums.missing_diagonal;
  features.zero_diagonal = sums.zero_diagonal;
  features.negative_diagonal = sums.negative_diagonal;
  features.blocks[0] = block_features(
      1, matrix.rows, features.nonzeros,
      [&](std::int64_t row) { return matrix.row_offsets[row + 1] - matrix.row_offsets[row]; },
      threads);
  for (std::size_t k = 1; k < block_sizes.size(); ++k) {
    features.blocks[k] = block_features(
        block_sizes[k], matrix.rows, features.nonzeros,
        [&](std::int64_t block_row) { return std::int64_t{lengths[k][block_row]}; }, threads);
  }
  for (const Layout& layout : usual_layouts()) {
    const Format& format = format_of(layout);
    if (format.count == nullptr) continue;
    features.format_counts[std::string(format.name)].merge(
        format.count(matrix.pattern(), {0, matrix.rows}, layout, threads, {}));
  }
  return features;
}

template MatrixFeatures compute_features(const CsrView<float>&, int);
template MatrixFeatures compute_features(const CsrView<double>&, int);

}  // namespace sparsecast
