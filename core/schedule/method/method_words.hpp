#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/schedule/method/method.hpp"

/// @file
/// The words of a method's file.

namespace sparsecast {

/// The field that makes a step one of its kind.
inline constexpr std::array<std::pair<std::string_view, MethodStep::Kind>, 6> step_keys = {{
    {"apply", MethodStep::Kind::apply},
    {"vector", MethodStep::Kind::vector},
    {"scalar", MethodStep::Kind::scalar},
    {"check", MethodStep::Kind::check},
    {"repeat", MethodStep::Kind::repeat},
    {"break", MethodStep::Kind::leave},
}};
std::string_view step_key(MethodStep::Kind kind);

/// What vectors, scalars, parameters and operators may be for (`Method::roles`).
inline constexpr std::array<std::string_view, 8> method_roles = {
    "solution",        "right_hand_side", "residual",    "residual_norm",
    "residual_square", "restart",         "cycle_steps", "preconditioner"};

/// What an operator is of A: "matrix", "inverse diagonal".
std::string_view to_string(OperatorDeclaration::Kind kind);

/// Where a library carries something out: "host", "device", "kernels".
std::string_view to_string(LibraryExecution::Place place);

/// Whose kernels assign a library's vectors: its own, or cuBLAS's.
inline constexpr std::string_view library_kernels = "kernels";
inline constexpr std::string_view library_cublas = "cublas";

/// `to_string` of an outcome as one word: "not_positive_definite".
std::string outcome_name(Outcome outcome);

}  // namespace sparsecast
