#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/formats/sell/groups.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// SELL-C-sigma (Kreutzer et al. 2014, section 2): C rows are a slice, padded to its longest row
/// and stored column by column; rows may be sorted by length within windows of sigma rows. Beyond
/// the paper, columns take as few bytes as each slice needs.
///
/// What a warp loads together is a *group*: the next entry of each of the C rows of a slice, or, of
/// slices of fewer than 32 rows, the next 32 / C entries. Columns of a group count from its least
/// one, its base. Each slice stores them in 1, 2 or 4 bytes; or in none, where each step of its
/// neighbouring rows lies on one diagonal: there entries are placed by diagonal rather than one
/// after the other, with padding between.

namespace sparsecast {

/// A segment of a matrix. Entry l of a group is of the slice's (stored) row l % C and the
/// (G / C) * g + l / C th that is stored of it, for group g of the slice and G entries a group.
template <class T>
struct SellMatrix {
  int slice_height = 32;       ///< C
  std::int64_t rows = 0;       ///< of the segment
  std::int64_t columns = 0;    ///< of the whole matrix
  std::int64_t first_row = 0;  ///< of the segment
  /// The first group of each slice, and the end.
  Buffer<std::uint32_t> group_begins;
  /// Where its columns begin, in units of G bytes, and the end: so many units as groups times
  /// bytes of a column.
  Buffer<std::uint32_t> column_begins;
  /// Of each group: the column that its columns count from, itself counted from the segment's first
  /// row.
  Buffer<std::int32_t> bases;
  /// Column minus base, of the slice's bytes each, least significant first. Without any, that of
  /// entry l is l.
  Buffer<std::uint8_t> column_bytes;
  Buffer<T> values;  ///< G a group; 0 in padding
  /// The segment's row that is stored in a place; empty: the same.
  Buffer<std::int32_t> row_index;

  int group() const { return sell_group(slice_height); }
  std::int64_t slices() const { return static_cast<std::int64_t>(group_begins.size()) - 1; }
  std::int64_t groups() const { return static_cast<std::int64_t>(bases.size()); }
};

/// What is stored of a segment.
struct SellSize {
  std::int64_t groups = 0;
  std::int64_t column_units = 0;  ///< as many bytes as a group has entries

  friend bool operator==(const SellSize&, const SellSize&) = default;
};

/// The groups that slices of these row lengths have at least: those of entries one after the other.
/// `row_index`: the rows as they are stored, empty for natural order. In O(rows), on `threads`
/// threads (0: all).
std::int64_t least_sell_groups(const PatternView& matrix, const Segment& segment,
                               const Layout& layout, std::span<const std::int32_t> row_index,
                               int threads = 0);

/// In O(entries, padding included), on `threads` threads (0: all); of what is refused for its
/// groups in O(rows), with columns in 4 bytes.
SellSize sell_size(const PatternView& matrix, const Segment& segment, const Layout& layout,
                   int threads = 0);

/// The segment's rows as they are stored: by falling length within windows, those of equal length
/// in their order. Empty for natural order.
Buffer<std::int32_t> sell_row_index(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int threads = 0);

/// The most that is stored of a segment of so many nonzeros.
SellSize most_sell_size(std::int64_t nonzeros, const Layout& layout);

/// Why so many groups are not stored, and what to use instead; empty where they are: no more than
/// could ever pay, which take four times the nonzeros, or 2^20 entries in all.
std::string sell_refusal(const Layout& layout, std::int64_t nonzeros, std::int64_t groups);
/// Throws `Error` with that where there is one.
void require_sell_fits(const Layout& layout, std::int64_t nonzeros, std::int64_t groups);

/// Converts one segment on `threads` threads (0: all). Columns must rise within rows. Throws
/// `Error` for a segment outside the matrix, and like `require_sell_fits`.
template <class T>
SellMatrix<T> convert_to_sell(const CsrView<T>& matrix, const Segment& segment,
                              const Layout& layout, int threads = 0);

/// The size of a segment of so many rows, of a matrix of so many columns. Columns take bytes of
/// entries, bases included; `offset_bytes` are those of a slice and of the row index by row.
SegmentShape sell_shape(double rows, double columns, const SellSize& size, const Layout& layout);

}  // namespace sparsecast
