#include "core/schedule/method/preconditioner.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/error.hpp"
#include "core/schedule/method/polynomial.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view polynomial_name = "chebyshev";

OperatorDeclaration& operator_of(Method& method) {
  return *std::ranges::find(method.operators, method.roles.at("preconditioner"),
                            &OperatorDeclaration::name);
}

}  // namespace

std::string to_string(const Preconditioner& preconditioner) {
  switch (preconditioner.kind) {
    case Preconditioner::Kind::none:
      return "none";
    case Preconditioner::Kind::jacobi:
      return "jacobi";
    case Preconditioner::Kind::chebyshev:
      break;
  }
  return std::string(polynomial_name) + std::to_string(preconditioner.degree);
}

Preconditioner parse_preconditioner(std::string_view text) {
  if (text == "none") return Preconditioner::none;
  if (text == "jacobi") return Preconditioner::jacobi;
  if (text.starts_with(polynomial_name)) {
    const std::string_view number = text.substr(polynomial_name.size());
    int degree = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), degree);
    if (read.ec == std::errc() && read.ptr == number.data() + number.size() && degree >= 1 &&
        degree <= Preconditioner::largest_degree) {
      return Preconditioner::chebyshev(degree);
    }
  }
  throw Error("'" + std::string(text) +
              "'; expected none, jacobi or chebyshevN, N products, 1 to " +
              std::to_string(Preconditioner::largest_degree));
}

bool has_preconditioner(const Method& method) {
  return method.roles.contains("preconditioner");
}

Method with_preconditioner(Method method, const Preconditioner& preconditioner) {
  if (!has_preconditioner(method)) {
    throw Error("schedule '" + method.name + "' names no operator as its preconditioner");
  }
  const std::string name = method.name + '-' + to_string(preconditioner);
  if (preconditioner.kind == Preconditioner::Kind::chebyshev) {
    if (method.execution) {
      throw Error("schedule '" + method.name + "': " + method.execution->library +
                  " has no such preconditioner; its calls are not known");
    }
    method = with_polynomial(std::move(method), preconditioner.degree);
    method.name = name;
    return method;
  }
  const OperatorDeclaration::Kind kind = preconditioner.kind == Preconditioner::Kind::none
                                             ? OperatorDeclaration::Kind::identity
                                             : OperatorDeclaration::Kind::inverse_diagonal;
  OperatorDeclaration& own = operator_of(method);
  if (own.kind == kind) return method;
  own.kind = kind;
  method.name = name;
  return method;
}

}  // namespace sparsecast
