#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// What the rows of one segment look up of the multiplied vector in other segments, and which of
/// its rows do.
struct SegmentHalo {
  /// Per device, in the order of the segments: the rows of its segment whose values are looked up,
  /// rising; all rows of each block column that is (the last may hang over the matrix: rows that
  /// there are). Empty for the segment itself.
  std::vector<std::vector<std::int32_t>> needed;
  /// A word for every 32 block rows of the segment, from its first on, in natural order: bit k
  /// says that block row k of the 32 looks up another segment's value.
  std::vector<std::uint32_t> outside;
  /// Rows in words of `outside` without a bit: they can be multiplied before the halo is there.
  std::int64_t interior_rows = 0;

  /// All rows in `needed`.
  std::int64_t needed_rows() const;
};

/// The halos of the segments of a square matrix in a layout (of which the block size matters). Cost
/// O(rows + looked-up values outside the own segment), at most O(nonzeros), on `threads` threads
/// (0: all); beside the result it takes a bit a block row. Columns must rise within rows. Throws
/// `Error` unless the matrix is square and the segments follow each other, cover it and begin at
/// multiples of the block size.
template <class T>
std::vector<SegmentHalo> find_halos(const CsrView<T>& matrix, std::span<const Segment> segments,
                                    const Layout& layout, int threads = 0);

/// Values of one vector that a device receives and sends in an exchange.
struct ExchangedValues {
  std::int64_t received = 0;
  std::int64_t sent = 0;

  friend bool operator==(const ExchangedValues&, const ExchangedValues&) = default;
};

/// Another device of a halo exchange, and what is exchanged with it.
struct CountedNeighbour {
  int device = 0;
  ExchangedValues halo;

  friend bool operator==(const CountedNeighbour&, const CountedNeighbour&) = default;
};

/// What a `SegmentHalo` holds, in numbers.
struct HaloCounts {
  std::int64_t interior_rows = 0;
  std::vector<CountedNeighbour> neighbours;  ///< those with which values are exchanged, rising

  /// With all of them.
  ExchangedValues exchanged() const;
};

/// The numbers of `find_halos`, for many segments: O(rows + looked-up values outside the own
/// segment + halo * log(halo)), on `threads` threads (0: all), each with a part of the segments; a
/// thread takes a bit a block row. Throws like `find_halos`.
template <class T>
std::vector<HaloCounts> count_halos(const CsrView<T>& matrix, std::span<const Segment> segments,
                                    const Layout& layout, int threads = 0);

/// The same in each mode. Staged, a device sends its part once, to the host; peer, to each other
/// device. All are 0 with one device; a segment without rows looks up nothing, but gets the whole
/// vector where that is what is exchanged.
struct ExchangeVolume {
  ExchangedValues staged;
  ExchangedValues peer;
  ExchangedValues halo;

  /// Throws `Error` for `ExchangeMode::automatic`, which is not one way.
  const ExchangedValues& in(ExchangeMode mode) const;
};

/// That of a device which owns so many of all values, beside so many others; `halo` is counted.
ExchangeVolume exchange_volume(std::int64_t own, std::int64_t all, std::int64_t others,
                               const ExchangedValues& halo);

/// Per device. `halos` are those of the segments.
std::vector<ExchangeVolume> exchange_volumes(std::span<const Segment> segments,
                                             std::span<const HaloCounts> halos);

}  // namespace sparsecast
