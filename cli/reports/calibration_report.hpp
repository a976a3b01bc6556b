#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "calibrate/fit/profile_fit.hpp"
#include "cli/reports/table.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast::cli {

/// Tables of a calibration's fits: curves, links, intervals.
void print_fits(const ProfileFit& fit, TableStyle style, std::ostream& out);

/// What marks and columns of the curves' table mean.
inline constexpr const char* curves_note =
    "* sigma at 1/ln 2: T = T0 + s*m/nu, the latency-bandwidth law. error: median, of time.";

/// The fitted curves, and how whole iterations compare with what they forecast.
Table curves_table(const ProfileFit& fit);
Table intervals_table(const ProfileFit& fit);

/// Of a profile that is measured in part: its device constants with their uncertainties.
void print_device_constants(const DeviceProfile& profile, std::ostream& out);
nlohmann::ordered_json device_constants_as_json(const DeviceProfile& profile);

/// Tables of all fits for --json, with the fits that were refused and why.
nlohmann::ordered_json fits_as_json(const ProfileFit& fit);

}  // namespace sparsecast::cli
