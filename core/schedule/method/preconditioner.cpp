#include "core/schedule/method/preconditioner.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"

namespace sparsecast {

std::string_view to_string(Preconditioner preconditioner) {
  return preconditioner == Preconditioner::none ? "none" : "jacobi";
}

Preconditioner parse_preconditioner(std::string_view name) {
  for (const Preconditioner known : {Preconditioner::none, Preconditioner::jacobi}) {
    if (name == to_string(known)) return known;
  }
  throw Error(std::string(name) + ": expected none or jacobi");
}

bool has_preconditioner(const Method& method) {
  return method.roles.contains("preconditioner");
}

Method with_preconditioner(Method method, Preconditioner preconditioner) {
  const auto role = method.roles.find("preconditioner");
  if (role == method.roles.end()) {
    throw Error("schedule '" + method.name + "' names no operator as its preconditioner");
  }
  const auto found = std::ranges::find(method.operators, role->second, &OperatorDeclaration::name);
  const OperatorDeclaration::Kind kind = preconditioner == Preconditioner::none
                                             ? OperatorDeclaration::Kind::identity
                                             : OperatorDeclaration::Kind::inverse_diagonal;
  if (found->kind == kind) return method;
  found->kind = kind;
  method.name += '-' + std::string(to_string(preconditioner));
  return method;
}

}  // namespace sparsecast
