#pragma once

#include <cstdint>

namespace sparsecast {

/// An entry of the whole matrix, in rows and columns from 0.
struct WholeEntry {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 0;
};

}  // namespace sparsecast
