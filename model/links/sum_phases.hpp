#pragma once

#include <cstddef>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// What lies between two sums over all devices, at which they wait for each other.
struct SumPhase {
  /// A product that an exchange stands in front of.
  struct Product {
    std::size_t place = 0;
    /// Which rows look outside is known of the matrix, not of its transpose, which waits first.
    bool overlaps = true;
  };
  std::vector<std::size_t> steps;  ///< places among a price's steps
  std::vector<Product> products;   ///< of those
  bool sums = false;
};

/// Those of an iteration in the steady state. What follows its last sum is in one with what
/// precedes the first.
std::vector<SumPhase> sum_phases(const Schedule& schedule);

}  // namespace sparsecast
