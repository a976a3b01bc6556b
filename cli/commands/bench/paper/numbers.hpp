#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// @file
/// What the rules of statements share: numbers of several cases, and how they are written.

namespace sparsecast::cli {

/// "3 of 5".
std::string count_text(std::size_t count, std::size_t all);
/// "a, b, c".
std::string list_text(const std::vector<std::string>& names);

/// Of at least one number.
double least_of(const std::vector<double>& values);
double most_of(const std::vector<double>& values);
/// Of an even number the mean of the two in the middle.
double median_of(std::vector<double> values);

}  // namespace sparsecast::cli
