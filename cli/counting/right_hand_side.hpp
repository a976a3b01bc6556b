#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast::cli {

/// Adds --rhs.
void add_right_hand_side_option(CommandLine& line);

/// The file of --rhs; empty where it names none.
std::string right_hand_side_file(const CommandLine& line);

/// That of --rhs for so many rows: `named_right_hand_side`, or that of a matrix file. Throws like
/// `right_hand_side_of`.
std::vector<double> right_hand_side(const CommandLine& line, std::int64_t rows);
/// The same of `part` of them alone; of a file, all of it is read for that.
std::vector<double> right_hand_side(const CommandLine& line, std::int64_t rows,
                                    const Segment& part);

}  // namespace sparsecast::cli
