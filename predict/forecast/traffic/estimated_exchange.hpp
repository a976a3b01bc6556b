#pragma once

#include <vector>

#include "core/analysis/matrix_numbers.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/segment_work.hpp"

/// @file
/// What several devices exchange of a matrix of which only some numbers are known.

namespace sparsecast {

/// How the unknowns are dealt out.
enum class Parts {
  consecutive,  ///< rows as they come
  compact,      ///< as a partitioner makes them, each in one piece with a small surface
};

/// What `SegmentWork` says of an exchange, of each of several equal devices.
struct EstimatedExchange {
  double received = 0;
  double sent = 0;
  double interior_rows = 0;
  double halo = 0;                                 ///< values of others that the rows look up
  std::vector<std::vector<Neighbour>> neighbours;  ///< by device
};

/// Of consecutive rows every device looks up as much as the one that looks up most. Compact parts
/// are boxes that halve the system along each of its dimensions (1 to 3) in turn, so that near
/// numbers are near each other; they exchange their faces, and halos alone. Throws `Error` for
/// numbers that no matrix has.
EstimatedExchange estimate_exchange(const MatrixNumbers& numbers, int devices, ExchangeMode mode,
                                    Parts parts);

}  // namespace sparsecast
