#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/matrix_kind.hpp"
#include "core/schedule/method/method.hpp"

/// @file
/// The solvers that come with the program as schedules: the files of schedules/, compiled into it.

namespace sparsecast {

/// All of them, by name.
const std::vector<Method>& shipped_methods();
std::vector<std::string> shipped_names();

/// Null where there is none of that name.
const Method* find_shipped(std::string_view name);

/// Throws `Error` that lists the names for another one.
const Method& shipped_method(std::string_view name);

/// The names of those that need no more of a matrix than this, without those that a library carries
/// out.
std::vector<std::string> shipped_names_for(MatrixKind matrix);

}  // namespace sparsecast
