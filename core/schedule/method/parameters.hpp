#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/method/method.hpp"

namespace sparsecast {

/// The value of a function of the matrix ("gershgorin_high") and its operators, as they are named.
using MatrixFunction = std::function<double(std::string_view function,
                                            std::span<const OperatorDeclaration* const> operators)>;

/// The values of all parameters of a method: those of `settings`, else its own. Throws `Error` for
/// a setting that the method does not have (with the nearest), a parameter that must be given, and
/// a value that is no finite number.
NamedNumbers parameter_values(const Method& method, const NamedNumbers& settings,
                              const MatrixFunction& of_matrix);

}  // namespace sparsecast
