#pragma once

#include <filesystem>

#include "predict/validation/data/validation_data.hpp"

namespace sparsecast::cli {

/// Draws Figure 10 into a file (.svg, .png, .pdf): one panel a layout and precision, the matrices
/// side by side in the order of their dimension, effective GFlop/s on a log axis, measured as
/// points and predicted as bars, one colour a number of devices. Of the solvers one is drawn,
/// Algorithm 1 where it was measured (as a graph on a GPU). Renumbered cases are left out, and
/// generated matrices unless there are no others. Throws `Error` if no case is left.
void draw_validation(const std::filesystem::path& file, const ValidationData& data);

}  // namespace sparsecast::cli
