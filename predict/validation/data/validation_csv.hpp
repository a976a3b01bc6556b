#pragma once

#include <string>
#include <string_view>

#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/data/validation_schema.hpp"

namespace sparsecast {

/// CSV with a header line; the version and `about` as leading comment lines "# key: value". Names
/// may hold anything: they are quoted where they need to be, with line ends inside the quotes.
std::string validation_to_csv(const ValidationData& data);
/// The inverse. Throws `Error` with `NAME:LINE: what is wrong; what was expected`: damaged lines,
/// unknown schedules, launch modes, exchanges, renumberings and layouts, numbers that make no
/// sense.
ValidationData parse_validation_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast
