#pragma once

#include <string>
#include <string_view>

#include "predict/validation/data/validation_data.hpp"

namespace sparsecast {

/// The version of raw data that this program writes. It reads version 1 too, which says nothing of
/// schedules, launch modes, shapes and access patterns (there all cases are of Algorithm 1), 2,
/// which says nothing of several GPUs, and 3, which counts no visits.
inline constexpr int validation_schema_version = 4;

/// CSV with a header line; the version and `about` as leading comment lines "# key: value". Names
/// may hold anything: they are quoted where they need to be, with line ends inside the quotes.
std::string validation_to_csv(const ValidationData& data);
/// The inverse. Throws `Error` with `NAME:LINE: what is wrong; what was expected`: damaged lines,
/// unknown schedules, launch modes, exchanges, renumberings and block sizes, numbers that make no
/// sense.
ValidationData parse_validation_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast
