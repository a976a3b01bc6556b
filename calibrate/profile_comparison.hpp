#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// One parameter in two calibrations.
struct ParameterComparison {
  std::string name;  ///< "f32/CG4/nu" of a curve, "traffic/f64/csr/sector" of the traffic model
  std::string unit;  ///< "s", "GB/s", "B", ""
  double first = 0;
  double second = 0;
  /// Of the difference: of logarithms, of mu and sigma of the numbers themselves.
  double standard_error = 0;
  double difference = 0;  ///< of the same, second - first

  /// |difference| in standard errors.
  double deviations() const;
};

/// Every parameter that two profiles have, with its uncertainty, which both state: those of the
/// average curves (mu, sigma, nu) and of the traffic model. Parameters that neither measurement
/// determines (at a bound in both, with the same value) are left out.
std::vector<ParameterComparison> compare_profiles(const DeviceProfile& first,
                                                  const DeviceProfile& second);

/// Share of parameters that differ by at most so many standard errors; 1 of none.
double share_within(std::span<const ParameterComparison> comparisons, double deviations);

/// Whether two calibrations found the same: at least 0.9 of the parameters differ by no more than
/// two standard errors, 0.97 by no more than three. Of errors that are independent and normal it
/// would be 0.954 and 0.997.
bool agree(std::span<const ParameterComparison> comparisons);

}  // namespace sparsecast
