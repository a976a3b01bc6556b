#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/method/method_names.hpp"

namespace sparsecast {

/// Checks expressions of one method, in the order in which they are carried out: it remembers which
/// names have been written. All throw `Error`: the method, the place, the column, what is wrong.
class ExpressionCheck {
 public:
  explicit ExpressionCheck(const Method& method);

  const MethodNames& names() const { return names_; }

  /// Where the next expressions stand: "iteration[2].vector[0]".
  void set_place(std::string place) { place_ = std::move(place); }
  [[noreturn]] void refuse(const std::string& message) const;
  [[noreturn]] void refuse(const Expression& at, const std::string& message) const;

  /// An expression of scalars.
  void scalar(const Expression& expression) const;
  /// An expression that is linear in vectors. Returns the space that its value lies in.
  std::string vector(const Expression& expression);
  /// The name of a vector, which must have been written if it is read. Returns its space.
  std::string vector_name(const Expression& expression, bool is_read) const;
  /// "dot(u, v)", of two names.
  void dot(const Expression& expression) const;
  /// What is assigned: a name that is no one else's. Returns whether it is a vector.
  bool target(const Expression& expression) const;
  /// FROM and TO.
  void bounds(const std::vector<Expression>& range) const;
  /// A parameter's value, of those in front of it.
  void parameter_value(const Expression& expression, const std::set<std::string>& before) const;

  /// From here on its name may be read.
  void mark_written(const std::string& name) { written_.insert(name); }

  /// The name of an index while what it counts is checked.
  void open_index(const std::string& name);
  void close_index() { indices_.pop_back(); }

 private:
  bool is_index(std::string_view name) const;
  void require_known(const Expression& name) const;
  void require_written(const Expression& name) const;
  void array_indices(const Expression& name, const Declaration& declaration) const;
  void scalar_name(const Expression& name) const;
  void function_call(const Expression& call) const;
  void matrix_function(const Expression& call) const;
  std::string product(const Expression& product);
  std::string applied(const Expression& product, const OperatorDeclaration& by);

  const Method& method_;
  MethodNames names_;
  NamedNumbers known_parameters_;
  std::string place_;
  std::vector<std::string> indices_;
  std::set<std::string, std::less<>> written_;
};

}  // namespace sparsecast
