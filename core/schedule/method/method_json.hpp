#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/schedule/method/method.hpp"

/// @file
/// Files of methods (docs/schedules.md). Reading a file is about its form alone: what its names
/// mean is for `check_method`.

namespace sparsecast {

/// Bytes of a file, at most.
inline constexpr std::size_t largest_method_file = std::size_t{1} << 20;

/// Reads a method. Throws `Error` with `source`, the place and the reason:
/// "schedules/x.json: iteration[2].vector[0]: column 5: expected ...".
Method read_method(std::string_view json, const std::string& source);

/// The same of a file.
Method read_method_file(const std::filesystem::path& path);

/// The text of a method's file, which reads back as the same method.
std::string to_json(const Method& method);

}  // namespace sparsecast
