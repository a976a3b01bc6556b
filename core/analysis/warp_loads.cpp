#include "core/analysis/warp_loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/random_stream.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/spmv_geometry.hpp"
#include "core/formats/load_counts.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

constexpr int warp = 32;

/// Passes and lines of warps, one after the other.
class LoadCounter {
 public:
  LoadCounter(int block_size, int value_bytes)
      : block_size_(block_size),
        value_bytes_(value_bytes),
        at_once_(unit_size(block_size, value_bytes)) {}

  /// A row, or a piece of one: where its first block is stored, and its block columns.
  struct Row {
    std::int64_t begin = 0;
    std::span<const std::int32_t> columns;
  };

  /// Lanes share rows, `lanes` each.
  void add_rows(std::span<const Row> rows, int lanes) {
    if (block_size_ == 1) {
      add_csr(rows, lanes);
    } else {
      add_blocks(rows, lanes);
    }
  }

  /// The warp takes them as one stream.
  void add_stream(const Row& stream) {
    const auto end = stream.begin + std::ssize(stream.columns);
    const int pass = blocks_of_stream_pass(block_size_, value_bytes_);
    for (std::int64_t first = stream.begin / warp * warp; first < end; first += pass) {
      ++loads_.passes;
      for (std::int64_t group = first; group < std::min(first + pass, end); group += warp) {
        std::array<std::int32_t, warp> columns{};
        for (int lane = 0; lane < warp; ++lane) {
          const std::int64_t block = group + lane;
          const bool is_there = block >= stream.begin && block < end;
          columns[lane] = is_there ? stream.columns[block - stream.begin] : none;
        }
        add_loads(columns);
      }
    }
  }

  /// Those counted since the last call.
  WarpLoads take() {
    const WarpLoads found = loads_;
    loads_ = {};
    return found;
  }

 private:
  static constexpr std::int32_t none = -1;

  /// A lane loads four neighbouring elements from an aligned place, twice in a pass.
  void add_csr(std::span<const Row> rows, int lanes) {
    for (std::int64_t pass = 0;; ++pass) {
      bool goes_on = false;
      for (std::int64_t group = 2 * pass; group < 2 * pass + 2; ++group) {
        std::array<std::array<std::int32_t, warp>, csr_step> columns;
        for (auto& each : columns) each.fill(none);
        for (int lane = 0; lane < warp; ++lane) {
          const auto r = static_cast<std::size_t>(lane / lanes);
          if (r >= rows.size()) break;
          const Row& row = rows[r];
          const auto length = std::ssize(row.columns);
          const std::int64_t first =
              (row.begin / csr_step + group * lanes + lane % lanes) * csr_step - row.begin;
          goes_on = goes_on || (length > 0 && first < length);
          for (int k = 0; k < csr_step; ++k) {
            const std::int64_t place = first + k;
            if (place >= 0 && place < length) columns[k][lane] = row.columns[place];
          }
        }
        for (const auto& each : columns) add_loads(each);
      }
      if (!goes_on) return;
      ++loads_.passes;
    }
  }

  void add_blocks(std::span<const Row> rows, int lanes) {
    const int items = items_per_block(block_size_);
    const int stride = lanes / items;
    const auto in_pass =
        static_cast<std::int64_t>(blocks_of_pass(block_size_, value_bytes_, lanes));
    std::int64_t longest = 0;
    for (const Row& row : rows) longest = std::max(longest, std::ssize(row.columns));
    for (std::int64_t first = 0; first < longest; first += in_pass) {
      ++loads_.passes;
      for (std::int64_t group = first; group < first + in_pass; group += stride) {
        std::array<std::int32_t, warp> columns;
        columns.fill(none);
        for (int lane = 0; lane < warp; ++lane) {
          const auto r = static_cast<std::size_t>(lane / lanes);
          if (r >= rows.size()) break;
          const std::int64_t place = group + lane % lanes / items;
          if (place < std::ssize(rows[r].columns)) columns[lane] = rows[r].columns[place];
        }
        add_loads(columns);
      }
    }
  }

  /// The loads of the values that belong to a block column a lane.
  void add_loads(std::span<const std::int32_t, warp> columns) {
    for (int first = 0; first < block_size_; first += at_once_) {
      std::array<std::int64_t, warp> places{};
      for (int lane = 0; lane < warp; ++lane) {
        places[lane] =
            columns[lane] == none ? no_load : std::int64_t{columns[lane]} * block_size_ + first;
      }
      loads_.lines += lines_of_load(places, at_once_, value_bytes_);
    }
  }

  int block_size_;
  int value_bytes_;
  int at_once_;  ///< values of the vector in a load
  WarpLoads loads_;
};

void add(const WarpLoads& part, double factor, WarpLoads& sums) {
  sums.passes += factor * part.passes;
  sums.lines += factor * part.lines;
}

/// One segment, block row by block row.
template <class T>
class SegmentRows {
 public:
  SegmentRows(const CsrView<T>& matrix, const Segment& segment, int block_size)
      : matrix_(matrix), segment_(segment), block_size_(block_size) {}

  std::int64_t count() const { return (segment_.rows() + block_size_ - 1) / block_size_; }
  std::int64_t entries_of(std::int64_t block_row) const {
    const std::int64_t first = segment_.begin_row + block_row * block_size_;
    return matrix_.row_offsets[std::min(first + block_size_, segment_.end_row)] -
           matrix_.row_offsets[first];
  }
  double entries() const { return static_cast<double>(segment_.nonzeros(matrix_.row_offsets)); }

  /// Appends the block columns of a block row.
  void append(std::int64_t block_row, std::vector<std::int32_t>& columns) const {
    const std::int64_t first = segment_.begin_row + block_row * block_size_;
    const std::int64_t last = std::min(first + block_size_, segment_.end_row);
    const auto begin = std::ssize(columns);
    const std::int64_t end = matrix_.row_offsets[last];
    for (std::int64_t k = matrix_.row_offsets[first]; k < end; ++k) {
      columns.push_back(matrix_.column_indices[k] / block_size_);
    }
    if (block_size_ == 1) return;
    std::sort(columns.begin() + begin, columns.end());
    columns.erase(std::unique(columns.begin() + begin, columns.end()), columns.end());
  }

  /// Where a block row begins, of CSR.
  std::int64_t place(std::int64_t row) const {
    return matrix_.row_offsets[segment_.begin_row + row] - matrix_.row_offsets[segment_.begin_row];
  }

 private:
  const CsrView<T>& matrix_;
  Segment segment_;
  int block_size_;
};

/// Block rows [first, last) of a warp that are no longer than `longest`, longer ones empty.
template <class T>
void add_warp(const SegmentRows<T>& rows, std::int64_t first, std::int64_t last, int block_size,
              const SpmvExecution& execution, LoadCounter& counter,
              std::vector<std::int32_t>& columns) {
  columns.clear();
  std::array<std::int64_t, warp + 1> ends{};
  const auto count = static_cast<std::size_t>(last - first);
  // Streams end at long rows, but these are few.
  for (std::size_t r = 0; r < count; ++r) {
    const auto begin = static_cast<std::size_t>(ends[r]);
    rows.append(first + static_cast<std::int64_t>(r), columns);
    if (static_cast<std::int64_t>(columns.size() - begin) > execution.longest_short_row) {
      columns.resize(begin);
    }
    ends[r + 1] = std::ssize(columns);
  }
  if (execution.streams) {
    const auto place =
        static_cast<std::int64_t>(scramble(static_cast<std::uint64_t>(first)) % warp);
    if (!columns.empty()) counter.add_stream({place, columns});
    return;
  }
  std::array<LoadCounter::Row, warp> of_warp;
  for (std::size_t r = 0; r < count; ++r) {
    of_warp[r].begin = block_size == 1 ? rows.place(first + static_cast<std::int64_t>(r)) : 0;
    of_warp[r].columns = std::span(columns).subspan(
        static_cast<std::size_t>(ends[r]), static_cast<std::size_t>(ends[r + 1] - ends[r]));
  }
  counter.add_rows(std::span(of_warp).first(count), execution.lanes);
}

/// Distinct 32-byte sectors that values of these block columns lie in.
class SectorSet {
 public:
  SectorSet(int block_size, int value_bytes) : block_bytes_(block_size * value_bytes) {}

  void insert(std::span<const std::int32_t> block_columns) {
    for (const std::int32_t column : block_columns) {
      const std::int64_t first = column * block_bytes_ / bytes_of_sector;
      const std::int64_t last = ((column + 1) * block_bytes_ - 1) / bytes_of_sector;
      for (std::int64_t sector = first; sector <= last; ++sector) sectors_.push_back(sector);
    }
  }

  /// How many; what comes later adds to them.
  double count() {
    std::ranges::sort(sectors_);
    sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
    return static_cast<double>(sectors_.size());
  }

  void clear() { sectors_.clear(); }

 private:
  static constexpr auto bytes_of_sector = static_cast<std::int64_t>(sector_bytes);

  std::int64_t block_bytes_;
  std::vector<std::int64_t> sectors_;
};

/// Sectors that thread blocks of rows would look up if the long ones were theirs, too.
template <class T>
double count_spared_sectors(const SegmentRows<T>& rows, int block_size, Precision precision,
                            const SpmvExecution& execution) {
  if (execution.long_rows == 0) return 0;
  SectorSet sectors(block_size, static_cast<int>(bytes_per_value(precision)));
  const std::int64_t rows_of_block = std::max<std::int64_t>(1, execution.rows_per_block);
  // No block row has more blocks than entries.
  const auto may_be_long = [&](std::int64_t row) {
    return rows.entries_of(row) > execution.longest_short_row;
  };
  const auto for_each_block = [&](const auto& function) {
    for (std::int64_t first = 0; first < rows.count(); first += rows_of_block) {
      const std::int64_t end = std::min(rows.count(), first + rows_of_block);
      bool has_long = false;
      for (std::int64_t row = first; row < end && !has_long; ++row) has_long = may_be_long(row);
      if (has_long) function(first, end);
    }
  };
  double entries = 0;
  for_each_block([&](std::int64_t first, std::int64_t end) {
    for (std::int64_t row = first; row < end; ++row) {
      entries += static_cast<double>(rows.entries_of(row));
    }
  });
  const SampleChooser chooser(most_entries_of_sample / std::max(1.0, entries), 3);
  double all = 0;
  double taken = 0;
  double spared = 0;
  std::vector<std::int32_t> columns;
  std::vector<std::int32_t> long_rows;
  for_each_block([&](std::int64_t first, std::int64_t end) {
    ++all;
    if (!chooser.takes(first)) return;
    ++taken;
    long_rows.clear();
    for (std::int64_t row = first; row < end; ++row) {
      columns.clear();
      rows.append(row, columns);
      if (std::ssize(columns) > execution.longest_short_row) {
        long_rows.insert(long_rows.end(), columns.begin(), columns.end());
      } else {
        sectors.insert(columns);
      }
    }
    spared -= sectors.count();
    sectors.insert(long_rows);
    spared += sectors.count();
    sectors.clear();
  });
  return taken > 0 ? spared * all / taken : 0;
}

}  // namespace

template <class T>
WarpLoads count_piece_loads(const CsrView<T>& matrix, const Segment& segment, int block_size,
                            Precision precision, const SpmvExecution& execution, int threads) {
  WarpLoads found;
  if (execution.pieces == 0) return found;
  const SegmentRows<T> rows(matrix, segment, block_size);
  LoadCounter counter(block_size, static_cast<int>(bytes_per_value(precision)));
  const Buffer<std::int64_t> offsets = count_blocks(matrix.pattern(), segment, block_size, threads);
  const auto length_of = [&](std::int64_t row) { return offsets[row + 1] - offsets[row]; };
  double blocks = 0;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    if (length_of(row) > execution.longest_short_row) {
      blocks += static_cast<double>(length_of(row));
    }
  }
  const double share = most_entries_of_sample / std::max(1.0, blocks);
  const SampleChooser chooser(share, 2);
  // Warps of a thread block look up a sector once.
  const SampleChooser block_chooser(share, 4);
  const std::int64_t pieces_of_block = std::max(1, execution.threads / warp);
  SectorSet sectors(block_size, static_cast<int>(bytes_per_value(precision)));
  double sector_count = 0;
  double pieces_of_sectors = 0;
  std::int64_t pieces = 0;
  double taken = 0;
  std::vector<std::int32_t> columns;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const std::int64_t length = length_of(row);
    if (length <= execution.longest_short_row) continue;
    columns.clear();
    for (std::int64_t first = 0; first < length; first += execution.piece_length) {
      const std::int64_t block = pieces++ / pieces_of_block;
      if (pieces % pieces_of_block == 1 % pieces_of_block) {
        sector_count += sectors.count();
        sectors.clear();
      }
      const bool takes = chooser.takes(offsets[row] + first);
      const bool takes_block = block_chooser.takes(block);
      if (!takes && !takes_block) continue;
      if (columns.empty()) rows.append(row, columns);
      const LoadCounter::Row piece{
          offsets[row] + first,
          std::span<const std::int32_t>(columns).subspan(
              static_cast<std::size_t>(first),
              static_cast<std::size_t>(std::min(execution.piece_length, length - first)))};
      if (takes) {
        ++taken;
        counter.add_rows(std::span(&piece, 1), warp);
      }
      if (takes_block) {
        ++pieces_of_sectors;
        sectors.insert(piece.columns);
      }
    }
  }
  sector_count += sectors.count();
  const auto all = static_cast<double>(pieces);
  add(counter.take(), taken > 0 ? all / taken : 0, found);
  found.piece_sectors = pieces_of_sectors > 0 ? sector_count * all / pieces_of_sectors : 0;
  return found;
}

template <class T>
WarpLoads count_row_loads(const CsrView<T>& matrix, const Segment& segment, int block_size,
                          Precision precision, const SpmvExecution& execution) {
  const SegmentRows<T> rows(matrix, segment, block_size);
  LoadCounter counter(block_size, static_cast<int>(bytes_per_value(precision)));
  const std::int64_t rows_of_warp =
      std::max<std::int64_t>(1, execution.rows_per_block * warp / execution.threads);
  const std::int64_t warps = (rows.count() + rows_of_warp - 1) / rows_of_warp;
  std::vector<std::int32_t> columns;
  WarpLoads found = sum_over_warps(rows.entries(), warps, [&](std::int64_t k) {
    add_warp(rows, k * rows_of_warp, std::min(rows.count(), (k + 1) * rows_of_warp), block_size,
             execution, counter, columns);
    return counter.take();
  });
  found.spared_sectors = count_spared_sectors(rows, block_size, precision, execution);
  return found;
}

template <class T>
WarpLoads count_warp_loads(const CsrView<T>& matrix, const Segment& segment, int block_size,
                           Precision precision, const SpmvExecution& execution, int threads) {
  return count_row_loads(matrix, segment, block_size, precision, execution) +
         count_piece_loads(matrix, segment, block_size, precision, execution, threads);
}

template WarpLoads count_piece_loads(const CsrView<float>&, const Segment&, int, Precision,
                                     const SpmvExecution&, int);
template WarpLoads count_piece_loads(const CsrView<double>&, const Segment&, int, Precision,
                                     const SpmvExecution&, int);
template WarpLoads count_row_loads(const CsrView<float>&, const Segment&, int, Precision,
                                   const SpmvExecution&);
template WarpLoads count_row_loads(const CsrView<double>&, const Segment&, int, Precision,
                                   const SpmvExecution&);
template WarpLoads count_warp_loads(const CsrView<float>&, const Segment&, int, Precision,
                                    const SpmvExecution&, int);
template WarpLoads count_warp_loads(const CsrView<double>&, const Segment&, int, Precision,
                                    const SpmvExecution&, int);

WarpLoads estimate_warp_loads(const SegmentShape& shape, const AccessPattern& pattern,
                              int block_size, Precision precision, const SpmvExecution& execution) {
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  const int lanes = std::max(1, execution.lanes);
  const double blocks = shape.blocks;
  const double block_rows = std::max(1.0, shape.block_rows);
  WarpLoads loads;
  double in_pass = blocks_of_stream_pass(block_size, value_bytes);
  double rows_of_warp = static_cast<double>(execution.rows_per_block) * warp / execution.threads;
  if (execution.streams) {
    loads.passes = blocks / in_pass;
  } else {
    in_pass = blocks_of_pass(block_size, value_bytes, lanes);
    rows_of_warp = static_cast<double>(warp) / lanes;
    // Passes of `in_pass` blocks are as steps of so many lanes, counted by other groups of rows.
    const auto& steps = pattern.warp_steps;
    const double most = static_cast<double>(steps.size() - 1);
    const double wanted = std::log2(in_pass);
    const double counted = std::clamp(std::round(wanted), 0.0, most);
    loads.passes = steps[static_cast<std::size_t>(counted)] * lanes *
                   std::exp2(-counted - std::max(0.0, wanted - most));
    // Rows that are cut into pieces hold up no warp of short rows.
    const double in_pieces =
        std::min(blocks, static_cast<double>(execution.pieces * execution.piece_length));
    const double of_warp = in_pass / lanes * warp;
    loads.passes =
        std::max({blocks / of_warp, loads.passes - in_pieces / in_pass + in_pieces / of_warp,
                  block_rows * lanes / warp});
    in_pass = of_warp;
  }
  const int at_once = unit_size(block_size, value_bytes);
  const double loads_of_lane = in_pass * items_per_block(block_size) / warp * block_size / at_once;
  const double groups = static_cast<double>(warp) / lanes_together(at_once * value_bytes);
  loads.lines = loads.passes * loads_of_lane * groups +
                distinct_sectors(pattern, rows_of_warp * shape.unknowns / block_rows);
  return loads;
}

template <class T>
WarpLoads product_loads(const CsrView<T>& matrix, const Segment& segment, const SegmentShape& shape,
                        const Layout& layout, Precision precision, const SpmvExecution& execution,
                        int threads) {
  const Format& format = format_of(layout);
  if (format.count_loads != nullptr) {
    return format.count_loads(matrix.pattern(), segment, layout, precision, execution, threads);
  }
  if (format.warp_loads != nullptr) return format.warp_loads(shape, {}, precision, execution);
  return count_warp_loads(matrix, segment, layout.block_size, precision, execution, threads);
}
template WarpLoads product_loads(const CsrView<float>&, const Segment&, const SegmentShape&,
                                 const Layout&, Precision, const SpmvExecution&, int);
template WarpLoads product_loads(const CsrView<double>&, const Segment&, const SegmentShape&,
                                 const Layout&, Precision, const SpmvExecution&, int);

WarpLoads estimate_product_loads(const SegmentShape& shape, const AccessPattern& pattern,
                                 const Layout& layout, Precision precision,
                                 const SpmvExecution& execution) {
  const Format& format = format_of(layout);
  if (format.warp_loads != nullptr) {
    return format.warp_loads(shape, pattern, precision, execution);
  }
  return estimate_warp_loads(shape, pattern, layout.block_size, precision, execution);
}

}  // namespace sparsecast
