#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "predict/features/forecast_features.hpp"

/// @file
/// Features files, NAME.features.json: docs/features.md describes them.

namespace sparsecast {

/// What counts a matrix again, for messages, which users of the program and of Python read: the
/// program's command with these options (" --for P,Q"), and the function with these arguments
/// (", [P, Q]").
std::string how_to_count(const std::string& options, const std::string& arguments);

/// Bytes of a file, at most.
inline constexpr std::size_t largest_features_file = std::size_t{1} << 26;

/// Whether a file is one of features, or another one of JSON that stands in its place: its name
/// ends with ".features.json", or it begins as an object of JSON does. False for what cannot be
/// read.
bool is_features_file(const std::filesystem::path& path);

/// The text of a features file, which reads back as the same features but for lengths of rows.
std::string features_to_json(const ForecastFeatures& features);

/// Reads a text. Throws `Error` with `source`, the place and the reason, for what
/// `features_to_json` does not write, for a version that is not known, and for files of other
/// kinds, which it names.
ForecastFeatures parse_features(std::string_view json, const std::string& source);

/// The same of a file.
ForecastFeatures read_features_file(const std::filesystem::path& path);

}  // namespace sparsecast
