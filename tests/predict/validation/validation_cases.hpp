#pragma once

#include <string>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// A case of a pattern in N x N blocks.
inline ValidationRow row(const std::string& pattern, int block, double measured, double predicted) {
  ValidationRow made;
  made.matrix = "matrix_" + pattern;
  made.pattern = pattern;
  made.unknowns = 1000;
  made.nonzeros = 5000;
  made.block_elements = 8000;
  made.layout = block_layout(block);
  made.working_set_bytes = 1e6;
  made.measured_seconds = measured;
  made.measured_spread = 0.01;
  made.rounds = 9;
  made.predicted_seconds = predicted;
  made.baseline_seconds = 2 * measured;
  return made;
}

}  // namespace sparsecast
