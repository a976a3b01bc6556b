#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/fit/profile_fit.hpp"

namespace sparsecast::cli {

/// A number with so many digits behind the point.
std::string fixed(double number, int digits);
/// A share as "12.3 %".
std::string percent(double share);

/// Tables of a calibration's fits: curves, links, intervals.
void print_fits(const ProfileFit& fit, std::ostream& out);

/// The same for --json, with the fits that were refused and why.
nlohmann::ordered_json fits_as_json(const ProfileFit& fit);

}  // namespace sparsecast::cli
