#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "calibrate/fit/profile_fit.hpp"

namespace sparsecast::cli {

/// Tables of a calibration's fits: curves, links, intervals.
void print_fits(const ProfileFit& fit, std::ostream& out);

/// The same for --json, with the fits that were refused and why.
nlohmann::ordered_json fits_as_json(const ProfileFit& fit);

}  // namespace sparsecast::cli
