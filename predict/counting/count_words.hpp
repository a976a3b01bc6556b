#pragma once

#include <string>

namespace sparsecast {

/// What messages about counts call that which the user may change: options of the program, or
/// arguments of Python.
struct CountWords {
  std::string seconds = "--count-seconds";  ///< `CountRules::seconds`
  std::string right_hand_side = "--rhs";    ///< `CountRules::right_hand_side`
  std::string all_solvers = "--solver all";
};

}  // namespace sparsecast
