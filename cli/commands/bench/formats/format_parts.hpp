#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/bench/formats/format_measurement.hpp"
#include "core/base/precision.hpp"

/// @file
/// What tables and charts of `bench formats` show together.

namespace sparsecast::cli {

/// The matrix of a measurement, with what is not the paper's of it: "Laplace 27pt x 27",
/// "Wind Tunnel (pwtk.mtx)".
std::string matrix_label(const FormatMeasurement& m);

/// Its layout; the layouts of SELL are one, and those of BCSR.
std::string layout_label(const FormatMeasurement& m);

/// The measurements of one device in one precision, the vector loaded in one way.
struct FormatPart {
  std::string device;
  Precision precision = Precision::f64;
  std::string x;
  std::vector<const FormatMeasurement*> measurements;

  std::string title() const;
  /// The fastest of those of a matrix and layout, by their labels; nothing where none was measured.
  const FormatMeasurement* best(const std::string& matrix, const std::string& layout) const;
};

/// In the order in which they were measured. They point into what they are made of.
std::vector<FormatPart> format_parts(std::span<const FormatMeasurement> measurements);

}  // namespace sparsecast::cli
