#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/profile/profile_fields.hpp"

/// @file
/// Fields as JSON.

namespace sparsecast {

/// Lists the fields of an object.
using FieldList = std::function<void(ProfileFields&)>;

/// Reads the object that a text is. Throws `Error` with `source` and the reason: damaged JSON (line
/// and column), a field that is there twice, is missing, unknown or wrong (its path), numbers that
/// make no sense.
void read_json_fields(std::string_view text, const std::string& source, const FieldList& list);

/// The text of an object, with a line end.
std::string json_of_fields(const FieldList& list);

}  // namespace sparsecast
