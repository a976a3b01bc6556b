#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace sparsecast::cli {

/// Adds --rhs.
void add_right_hand_side_option(CommandLine& line);

/// The file of --rhs; empty where it names none.
std::string right_hand_side_file(const CommandLine& line);

/// That of --rhs for so many rows: all ones, random numbers from 0.5 to 1.5 (always the same), or
/// those of a matrix file of one column. Throws `Error` for a file of another size.
std::vector<double> right_hand_side(const CommandLine& line, std::int64_t rows);

}  // namespace sparsecast::cli
