#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/bench/formats/format_measurement.hpp"

namespace sparsecast::cli {

/// The measurements of one device, the structured set at one scale, for rules to look into. It
/// points into what it was made of.
class FormatResults {
 public:
  FormatResults() = default;
  FormatResults(std::span<const FormatMeasurement> all, const std::string& description,
                double scale);

  /// Nothing where it was not tried. Of several the last: a later file's.
  const FormatMeasurement* find(std::string_view matrix, std::string_view layout,
                                Precision precision, std::string_view x = "l1") const;
  /// GFlop/s; 0 where it was not tried or not possible.
  double rate(std::string_view matrix, std::string_view layout, Precision precision,
              std::string_view x = "l1") const;
  /// The layout's rates on these matrices.
  std::vector<double> rates(std::span<const std::string> matrices, std::string_view layout,
                            Precision precision, std::string_view x = "l1") const;

  bool is_gpu() const;
  std::span<const FormatMeasurement* const> all() const { return measurements_; }

 private:
  std::vector<const FormatMeasurement*> measurements_;
};

/// The names of Table 4, without the dense matrix that is not in it.
const std::vector<std::string>& unstructured_names();
/// The dense matrix that is not in Table 4.
std::string_view tall_dense_name();

/// The scales of the structured set that a device was measured at, rising.
std::vector<double> measured_scales(std::span<const FormatMeasurement> all,
                                    const std::string& description);

}  // namespace sparsecast::cli
