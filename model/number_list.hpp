#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Lists of numbers as one text each, for files that have thousands of them.

namespace sparsecast {

/// The shortest numbers that read back as the same, with blanks between them.
std::string number_list(std::span<const double> numbers);

/// The inverse. Throws `Error` unless these are so many finite numbers with single blanks between
/// them.
std::vector<double> parse_number_list(std::string_view text, std::size_t count);

}  // namespace sparsecast
