#include "core/matrix/files/assembly.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "core/base/buffer.hpp"
#include "core/base/error.hpp"

namespace sparsecast {
namespace {

/// One at a time: where another allocator is in the place of glibc's, its own is first set up here,
/// which two threads must not do at once.
void give_back_freed_memory() {
#ifdef __GLIBC__
  static std::mutex alone;
  const std::scoped_lock lock(alone);
  malloc_trim(0);
#endif
}

constexpr std::int64_t row_grain = 1024;

/// One stored entry, wherever it comes from.
struct StoredEntry {
  std::int64_t row;
  std::int64_t column;
  double value;
};

/// Calls `take(StoredEntry)` for the entries of a chunk. `first`: how many entries of the file come
/// before it, which places those of an array.
template <class Take>
void for_each_entry(const EntryChunk& chunk, const StoredShape& shape, std::int64_t first,
                    const Take& take) {
  if (shape.coordinate) {
    for (std::int64_t k = 0; k < chunk.entries; ++k) {
      take(StoredEntry{chunk.rows[k], chunk.columns[k], shape.pattern ? 1.0 : chunk.values[k]});
    }
    return;
  }
  // By columns; of a (skew-)symmetric matrix from the diagonal (the row below it) on.
  const auto first_row = [&](std::int64_t column) -> std::int64_t {
    switch (shape.symmetry) {
      case StoredSymmetry::general:
        return 0;
      case StoredSymmetry::symmetric:
        return column;
      case StoredSymmetry::skew_symmetric:
        return column + 1;
    }
    return 0;
  };
  std::int64_t column = 0;
  std::int64_t skip = first;
  while (skip > 0 && skip >= shape.rows - first_row(column)) {
    skip -= shape.rows - first_row(column);
    ++column;
  }
  std::int64_t row = first_row(column) + skip;
  for (std::int64_t k = 0; k < chunk.entries; ++k) {
    while (row >= shape.rows) row = first_row(++column);
    take(StoredEntry{row, column, chunk.values[k]});
    ++row;
  }
}

/// Entries `begin .. end - 1` of the chunks, and how many entries of the file come before them.
struct ChunkRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t first_entry = 0;
};

/// Cuts the chunks into ranges of similar numbers of entries.
std::vector<ChunkRange> cut(const std::vector<EntryChunk>& chunks, std::int64_t entries,
                            int parts) {
  std::vector<ChunkRange> ranges;
  std::size_t chunk = 0;
  std::int64_t before = 0;
  for (int part = 0; part < parts; ++part) {
    ChunkRange range{chunk, chunk, before};
    const std::int64_t until = entries / parts * (part + 1) + entries % parts * (part + 1) / parts;
    while (chunk < chunks.size() && (part + 1 == parts || before < until)) {
      before += chunks[chunk++].entries;
    }
    range.end = chunk;
    ranges.push_back(range);
  }
  return ranges;
}

/// Sorts a row's entries, keeps the file's order among equal columns.
void sort_row(std::span<std::int32_t> columns, std::span<double> values,
              std::vector<std::pair<std::int32_t, double>>& scratch) {
  scratch.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) scratch.emplace_back(columns[k], values[k]);
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k] = scratch[k].first;
    values[k] = scratch[k].second;
  }
}

/// What `merge_row` leaves of a row.
struct MergedRow {
  std::size_t length = 0;
  /// Entries added to an earlier one of their column, those in columns up to the given one.
  std::int64_t duplicates = 0;
};

/// Sums equal neighbours of a sorted row and drops zeros if asked.
MergedRow merge_row(std::span<std::int32_t> columns, std::span<double> values, bool drop_zeros,
                    std::int64_t last_counted_column) {
  MergedRow merged;
  for (std::size_t k = 0; k < columns.size();) {
    const std::size_t first = k;
    const std::int32_t column = columns[k];
    double sum = values[k];
    for (++k; k < columns.size() && columns[k] == column; ++k) sum += values[k];
    if (column <= last_counted_column)
      merged.duplicates += static_cast<std::int64_t>(k - first - 1);
    if (drop_zeros && sum == 0) continue;
    columns[merged.length] = column;
    values[merged.length] = sum;
    ++merged.length;
  }
  return merged;
}

void check_row_length(std::int64_t row, std::int64_t length) {
  if (length <= std::numeric_limits<std::uint32_t>::max()) return;
  throw Error("row " + std::to_string(row + 1) + " has " + std::to_string(length) +
              " entries; expected fewer than 2^32");
}

/// Threads that pay for so many entries.
int threads_for(const MatrixFileOptions& options, std::int64_t entries) {
  constexpr std::int64_t entries_of_a_thread = 1 << 14;
  const std::int64_t wanted = options.threads > 0 ? options.threads : available_threads();
  return static_cast<int>(std::clamp<std::int64_t>(entries / entries_of_a_thread, 1, wanted));
}

/// Moves entries to their rows, in the file's order.
class Scatter {
 public:
  Scatter(std::vector<EntryChunk>& chunks, const StoredShape& shape, ThreadTeam& team)
      : chunks_(chunks), shape_(shape), team_(team), rows_(shape.rows) {
    // A counter for each part and row: few parts where rows are short, to spare memory.
    const std::int64_t most_parts = 2 + shape.stored_entries / (4 * rows_ + 1);
    parts_ = static_cast<int>(std::min<std::int64_t>(team.size(), most_parts));
    ranges_ = cut(chunks, shape.stored_entries, parts_);
    matrix_.rows = rows_;
    matrix_.columns = shape.columns;
  }

  CsrMatrix<double> scattered() {
    count_rows();
    place_rows();
    scatter();
    return std::move(matrix_);
  }

 private:
  /// Calls `take(row, column, value)` for what the stored entry stands for.
  template <class Take>
  void expand(const StoredEntry& entry, const Take& take) const {
    take(entry.row, entry.column, entry.value);
    if (shape_.symmetry == StoredSymmetry::general || entry.row == entry.column) return;
    take(entry.column, entry.row,
         shape_.symmetry == StoredSymmetry::symmetric ? entry.value : -entry.value);
  }

  template <class Take>
  void for_each_entry_of(const EntryChunk& chunk, std::int64_t first, const Take& take) const {
    for_each_entry(chunk, shape_, first, [&](const StoredEntry& entry) { expand(entry, take); });
  }

  std::uint32_t* counts_of(int part) { return counts_.data() + part * rows_; }

  void count_rows() {
    counts_.resize(static_cast<std::size_t>(parts_ * rows_));
    team_.run([&](int part) {
      if (part >= parts_) return;
      std::uint32_t* const counts = counts_of(part);
      std::fill_n(counts, rows_, 0u);
      const ChunkRange& range = ranges_[part];
      std::int64_t first = range.first_entry;
      for (std::size_t c = range.begin; c < range.end; ++c) {
        for_each_entry_of(chunks_[c], first,
                          [&](std::int64_t row, std::int64_t, double) { ++counts[row]; });
        first += chunks_[c].entries;
      }
    });
  }

  /// Makes offsets of the counts, and of each count the place of its first entry within the row.
  void place_rows() {
    matrix_.row_offsets.resize(rows_ + 1);
    std::int64_t offset = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      matrix_.row_offsets[row] = offset;
      std::int64_t length = 0;
      for (int part = 0; part < parts_; ++part) {
        std::uint32_t& count = counts_of(part)[row];
        const std::uint32_t place = static_cast<std::uint32_t>(length);
        length += count;
        count = place;
      }
      check_row_length(row, length);
      offset += length;
    }
    matrix_.row_offsets[rows_] = offset;
  }

  /// Moves every entry to its place; each part continues where the part before ends in that row.
  void scatter() {
    const std::int64_t nonzeros = matrix_.row_offsets[rows_];
    matrix_.column_indices.resize(nonzeros);
    matrix_.values.resize(nonzeros);
    team_.run([&](int part) {
      if (part >= parts_) return;
      std::uint32_t* const places = counts_of(part);
      const ChunkRange& range = ranges_[part];
      std::int64_t first = range.first_entry;
      for (std::size_t c = range.begin; c < range.end; ++c) {
        for_each_entry_of(chunks_[c], first,
                          [&](std::int64_t row, std::int64_t column, double value) {
                            const std::int64_t at = matrix_.row_offsets[row] + places[row]++;
                            matrix_.column_indices[at] = static_cast<std::int32_t>(column);
                            matrix_.values[at] = value;
                          });
        first += chunks_[c].entries;
        chunks_[c] = {};
      }
    });
  }

  std::vector<EntryChunk>& chunks_;
  const StoredShape& shape_;
  ThreadTeam& team_;
  const std::int64_t rows_;
  int parts_ = 1;
  std::vector<ChunkRange> ranges_;
  Buffer<std::uint32_t> counts_;  ///< part by part, one for each row
  CsrMatrix<double> matrix_;
};

/// Sorts the rows of a matrix and merges what stands in one place.
class TidyRows {
 public:
  TidyRows(CsrMatrix<double> matrix, StoredSymmetry symmetry, bool drop_explicit_zeros,
           ThreadTeam& team)
      : matrix_(std::move(matrix)),
        symmetry_(symmetry),
        drop_explicit_zeros_(drop_explicit_zeros),
        team_(team),
        rows_(matrix_.rows) {}

  AssembledMatrix tidied() {
    sort_rows();
    if (shorter_rows_) close_gaps();
    return {std::move(matrix_), duplicates_};
  }

 private:
  /// Sorts and merges.
  void sort_rows() {
    lengths_.resize(rows_);
    std::uint32_t* const lengths = lengths_.data();
    std::atomic<bool> shorter{false};
    std::atomic<std::int64_t> duplicates{0};
    std::atomic<std::int64_t> next{0};
    team_.run([&](int) {
      std::vector<std::pair<std::int32_t, double>> scratch;
      for (;;) {
        const std::int64_t begin = next.fetch_add(row_grain);
        if (begin >= rows_) return;
        for (std::int64_t row = begin; row < std::min(begin + row_grain, rows_); ++row) {
          const std::int64_t offset = matrix_.row_offsets[row];
          const auto length = static_cast<std::size_t>(matrix_.row_offsets[row + 1] - offset);
          check_row_length(row, matrix_.row_offsets[row + 1] - offset);
          lengths[row] = static_cast<std::uint32_t>(length);
          const std::span columns(matrix_.column_indices.data() + offset, length);
          const std::span values(matrix_.values.data() + offset, length);
          std::int32_t previous = -1;
          bool falls = false;
          bool repeats = false;
          for (const std::int32_t column : columns) {
            falls |= column < previous;
            repeats |= column == previous;
            previous = column;
          }
          if (falls) sort_row(columns, values, scratch);
          if (!falls && !repeats && !drop_explicit_zeros_) continue;
          // What symmetric storage mirrors is in the file once.
          const bool general = symmetry_ == StoredSymmetry::general;
          const MergedRow merged =
              merge_row(columns, values, drop_explicit_zeros_, general ? matrix_.columns : row);
          const std::size_t kept = merged.length;
          check_finite(row, columns.first(kept), values.first(kept));
          if (kept == length) continue;
          lengths[row] = static_cast<std::uint32_t>(kept);
          shorter = true;
          duplicates += merged.duplicates;
        }
      }
    });
    shorter_rows_ = shorter;
    duplicates_ = duplicates;
  }

  static void check_finite(std::int64_t row, std::span<const std::int32_t> columns,
                           std::span<const double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isfinite(values[k])) continue;
      throw Error("the duplicates of " + entry_text(row, columns[k]) +
                  " add up to more than a double holds; expected a finite sum");
    }
  }

  void close_gaps() {
    give_back_freed_memory();  // what the chunks held, before as much is needed for the copy
    const std::uint32_t* const lengths = lengths_.data();
    CsrMatrix<double> closed;
    closed.rows = matrix_.rows;
    closed.columns = matrix_.columns;
    closed.row_offsets.resize(rows_ + 1);
    closed.row_offsets[0] = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      closed.row_offsets[row + 1] = closed.row_offsets[row] + lengths[row];
    }
    closed.column_indices.resize(closed.row_offsets[rows_]);
    closed.values.resize(closed.row_offsets[rows_]);
    std::atomic<std::int64_t> next{0};
    team_.run([&](int) {
      for (;;) {
        const std::int64_t begin = next.fetch_add(row_grain);
        if (begin >= rows_) return;
        for (std::int64_t row = begin; row < std::min(begin + row_grain, rows_); ++row) {
          const std::int64_t from = matrix_.row_offsets[row];
          const std::int64_t to = closed.row_offsets[row];
          std::copy_n(matrix_.column_indices.data() + from, lengths[row],
                      closed.column_indices.data() + to);
          std::copy_n(matrix_.values.data() + from, lengths[row], closed.values.data() + to);
        }
      }
    });
    matrix_ = std::move(closed);
  }

  CsrMatrix<double> matrix_;
  const StoredSymmetry symmetry_;
  const bool drop_explicit_zeros_;
  ThreadTeam& team_;
  const std::int64_t rows_;
  Buffer<std::uint32_t> lengths_;  ///< of the rows, when they are merged
  bool shorter_rows_ = false;
  std::int64_t duplicates_ = 0;
};

}  // namespace

AssembledMatrix assemble_entries(std::vector<EntryChunk>& chunks, const StoredShape& shape,
                                 bool drop_explicit_zeros, ThreadTeam& team) {
  CsrMatrix<double> rows = Scatter(chunks, shape, team).scattered();
  return TidyRows(std::move(rows), shape.symmetry, drop_explicit_zeros, team).tidied();
}

AssembledMatrix assemble_entries(std::vector<EntryChunk>& chunks, const StoredShape& shape,
                                 const MatrixFileOptions& options) {
  ThreadTeam team(threads_for(options, shape.stored_entries));
  return assemble_entries(chunks, shape, options.drop_explicit_zeros, team);
}

AssembledMatrix assemble_rows(CsrMatrix<double> rows, const MatrixFileOptions& options) {
  ThreadTeam team(threads_for(options, rows.nonzeros()));
  return TidyRows(std::move(rows), StoredSymmetry::general, options.drop_explicit_zeros, team)
      .tidied();
}

}  // namespace sparsecast
