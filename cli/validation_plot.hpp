#pragma once

#include <filesystem>
#include <span>

#include "predict/validation.hpp"

namespace sparsecast::cli {

/// Draws Figure 10 into a file (.svg, .png, .pdf): one panel a block size (and precision), the
/// matrices on the x axis in the order of their dimension, effective GFlop/s measured as points and
/// predicted as lines, one colour a number of devices. Renumbered cases are left out. Throws
/// `Error` if no case is left.
void draw_validation(const std::filesystem::path& file, std::span<const ValidationRow> rows);

}  // namespace sparsecast::cli
