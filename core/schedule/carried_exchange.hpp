#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// An exchange of a vector v that another vector u spares: kernel `sums` assigns u and sums up, the
/// next kernel, `assigns`, makes v of u and v alone, row by row, and then v is exchanged. Where the
/// halo of u travels with the sums, each rank can make v's halo itself: one meeting of all ranks
/// fewer. (A search direction is so made of a residual.) Before the first iteration v itself is
/// exchanged. `assigns` may end the iteration that precedes the one of `exchange`.
struct CarriedExchange {
  std::size_t exchange = 0;  ///< step of the iteration
  std::size_t sums = 0;
  std::size_t assigns = 0;
  VectorSlot carried = -1;  ///< u
};

/// Those of an iteration. Steps that may be left out in some iterations, and kernels that make sums
/// or blocks of v, carry nothing.
std::vector<CarriedExchange> carried_exchanges(std::span<const Step> iteration);

}  // namespace sparsecast
