#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"

/// @file
/// What `bench formats` measured, and its file.

namespace sparsecast::cli {

/// A product of one matrix in one layout, or why there is none.
struct FormatMeasurement {
  std::string set;     ///< "structured", "unstructured"
  std::string matrix;  ///< as Bell and Garland print it: "Laplace 27pt", "Wind Tunnel"
  std::string source;  ///< "generated", "stand-in", or the name of a file
  double scale = 1;    ///< rows over the paper's, nearly
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;

  std::string device;                ///< "cuda:0", "cpu"
  std::string description;           ///< of the device, for people
  double peak_bytes_per_second = 0;  ///< of its memory, as data sheets count; 0: not known
  double cache_bytes = 0;            ///< of its last-level cache; 0: not known

  Precision precision = Precision::f64;
  std::string layout;    ///< by name; "cublas-gemv" for a dense product
  std::string x = "l1";  ///< the vector comes through the L1 cache; "l2": past it
  std::string reason;    ///< why nothing was measured; then what follows is 0
  double seconds = 0;    ///< of a product: the median of rounds
  double spread = 0;     ///< of the rounds: interquartile range over median
  std::int64_t rounds = 0;
  std::int64_t repeats = 0;    ///< products a round
  double stored_elements = 0;  ///< values, padding included
  double stored_bytes = 0;     ///< that a product reads of the matrix
  double bytes = 0;            ///< the same and the vectors, each array once

  bool measured() const { return seconds > 0; }
  /// Counts nonzeros only, a product and a sum for each.
  double flops_per_second() const {
    return measured() ? 2 * static_cast<double>(nonzeros) / seconds : 0;
  }
  double bytes_per_second() const { return measured() ? bytes / seconds : 0; }
  /// As Table 1 counts: what is stored and a value of the vector for each nonzero, but not the
  /// output. Per flop of those two.
  double bytes_per_flop() const {
    const auto flops = 2 * static_cast<double>(nonzeros);
    return (stored_bytes + flops / 2 * static_cast<double>(bytes_per_value(precision))) / flops;
  }
  /// More than twice what the last-level cache holds.
  bool is_cold() const { return bytes > 2 * cache_bytes; }
};

/// One line a measurement under a header line, and back. Rates are written for readers and not read
/// again. `parse_format_csv` throws `Error` that names `name` and the line.
std::string format_measurements_to_csv(std::span<const FormatMeasurement> measurements);
std::vector<FormatMeasurement> parse_format_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast::cli
