#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/method/method.hpp"

/// @file
/// What the names of a method mean, and the values of what is known before it runs.

namespace sparsecast {

/// Looks up what a method declares. It keeps a reference to the method.
class MethodNames {
 public:
  enum class Kind { unknown, parameter, linear_operator, vector, scalar, given_scalar };

  /// Of names that are declared twice the first counts (`check_method` refuses them).
  explicit MethodNames(const Method& method);

  Kind kind(std::string_view name) const;
  /// Of a name of that kind; nullptr for others.
  const OperatorDeclaration* linear_operator(std::string_view name) const;
  const Declaration* vector(std::string_view name) const;
  const Declaration* scalar(std::string_view name) const;
  /// Whether the value of an expression is a vector, or is meant to be.
  bool has_vectors(const Expression& expression) const;
  /// All names, in the order of their kinds, for hints.
  std::vector<std::string> all() const;

 private:
  const Method& method_;
  struct Meaning {
    Kind kind;
    std::size_t place;  ///< in the list of its kind
  };
  std::map<std::string, Meaning, std::less<>> meanings_;
};

/// Functions of the matrix that parameters may have.
inline constexpr std::string_view matrix_functions[] = {"gershgorin_low", "gershgorin_high"};
bool is_matrix_function(std::string_view name);

/// The values of names and of functions of the matrix in an expression of scalars.
struct ValueSource {
  /// Of a name with these indices.
  std::function<double(const Expression& name, const std::vector<double>& indices)> name;
  /// Of a call of one of `matrix_functions`; none where there are none.
  std::function<double(const Expression& call)> matrix_function;
};

/// The value of an expression of scalars that `check_method` has accepted.
double value_of(const Expression& expression, const ValueSource& source);

/// Numbers by name: parameters, or indices of the loops around an expression.
using NamedNumbers = std::map<std::string, double, std::less<>>;

/// The values of all parameters: those of `settings`, the others as the method says. Throws `Error`
/// for a setting that is no parameter, and for a parameter that must be given and is not.
NamedNumbers parameter_values(const Method& method, const NamedNumbers& settings,
                              const std::function<double(const Expression& call)>& function);

/// The steps of a cycle (role "restart") with these settings; nothing of a method that is never
/// restarted. Throws like `parameter_values`.
std::optional<double> cycle_steps(const Method& method, const NamedNumbers& settings);

/// The default values of the parameters that need no matrix.
NamedNumbers known_parameters(const Method& method);

/// The value of an expression of numbers and parameters; nothing where it has other names.
std::optional<double> constant_value(const Expression& expression, const NamedNumbers& parameters);

/// Values of an array's dimension, at most.
inline constexpr std::int64_t largest_size = 100'000;

/// The sizes of an array; none for what is no array. Throws `Error` for one that is no whole number
/// from 1 to `largest_size`.
std::vector<std::int64_t> sizes_of(const Declaration& declaration, const NamedNumbers& parameters);

}  // namespace sparsecast
