#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_part.hpp"

/// @file
/// How ranks cut the rows of a matrix into parts of similar numbers of entries: each counts those
/// of a stretch of rows, and has the boundaries that lie in it.

namespace sparsecast {

/// Entries in each unit of rows among those that this rank counts for all: units `[first, first +
/// counts.size())`, of as many rows as one asks for.
struct CountedUnits {
  std::int64_t first = 0;
  std::int64_t each = 0;  ///< unit u is counted by rank u / each
  Buffer<std::int64_t> counts;
};

/// The units that this rank counts, of which it has counted none yet.
CountedUnits units_to_count(const Communicator& ranks, std::int64_t rows, int unit_rows);

/// The rows of all ranks, cut at whole units. All ranks call it.
RankRows cut_rows(Communicator& ranks, std::int64_t rows, int unit_rows, CountedUnits counted);

}  // namespace sparsecast
