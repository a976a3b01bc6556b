#include "core/schedule/method/preconditioner.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/error.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/method/polynomial.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view polynomial_name = "chebyshev";
constexpr std::string_view blocks_name = "block-jacobi";

OperatorDeclaration& operator_of(Method& method) {
  return *std::ranges::find(method.operators, method.roles.at("preconditioner"),
                            &OperatorDeclaration::name);
}

/// The number from 1 to `most` behind a name; nothing where there is no such.
std::optional<int> number_behind(std::string_view name, std::string_view text, int most) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!is_number || number < 1 || number > most) return std::nullopt;
  return number;
}

/// Refuses a method whose preconditioner has to be a diagonal. `what`: the one that is none.
void require_any_preconditioner(const Method& method, const std::string& what) {
  if (method.execution) {
    throw Error("schedule '" + method.name + "': " + method.execution->library +
                " has no such preconditioner; its calls are not known");
  }
  const auto refuse = [&](const std::string& why) {
    throw Error("schedule '" + method.name + "' " + why + "; " + what +
                " cannot be its preconditioner");
  };
  if (std::ranges::count(method.operators, OperatorDeclaration::Kind::transpose,
                         &OperatorDeclaration::kind) > 0) {
    refuse("multiplies by the transpose, and so would its preconditioner have to be");
  }
  for (const Parameter& each : method.parameters) {
    if (each.value && mentions(*each.value, method.roles.at("preconditioner"))) {
      refuse("has a parameter that is a function of its preconditioner, '" + each.name + "'");
    }
  }
}

}  // namespace

std::string to_string(const Preconditioner& preconditioner) {
  switch (preconditioner.kind) {
    case Preconditioner::Kind::none:
      return "none";
    case Preconditioner::Kind::jacobi:
      return "jacobi";
    case Preconditioner::Kind::block_jacobi:
      return std::string(blocks_name) + std::to_string(preconditioner.block_size);
    case Preconditioner::Kind::chebyshev:
      break;
  }
  return std::string(polynomial_name) + std::to_string(preconditioner.degree);
}

Preconditioner parse_preconditioner(std::string_view text) {
  if (text == "none") return Preconditioner::none;
  if (text == "jacobi") return Preconditioner::jacobi;
  if (const auto degree = number_behind(polynomial_name, text, Preconditioner::largest_degree)) {
    return Preconditioner::chebyshev(*degree);
  }
  if (const auto rows = number_behind(blocks_name, text, largest_diagonal_block)) {
    return Preconditioner::block_jacobi(*rows);
  }
  throw Error("'" + std::string(text) + "'; expected none, jacobi, chebyshevN (N products, 1 to " +
              std::to_string(Preconditioner::largest_degree) +
              ") or block-jacobiN (blocks of N rows, 1 to " +
              std::to_string(largest_diagonal_block) + ")");
}

bool has_preconditioner(const Method& method) {
  return method.roles.contains("preconditioner");
}

Method with_preconditioner(Method method, const Preconditioner& preconditioner) {
  if (!has_preconditioner(method)) {
    throw Error("schedule '" + method.name + "' names no operator as its preconditioner");
  }
  const std::string name = method.name + '-' + to_string(preconditioner);
  using Kind = OperatorDeclaration::Kind;
  OperatorDeclaration& own = operator_of(method);
  const auto with = [&](Kind kind, int block_size) {
    if (own.kind != kind || own.block_size != block_size) method.name = name;
    own.kind = kind;
    own.block_size = block_size;
    return std::move(method);
  };
  switch (preconditioner.kind) {
    case Preconditioner::Kind::none:
      return with(Kind::identity, 0);
    case Preconditioner::Kind::jacobi:
      return with(Kind::inverse_diagonal, 0);
    case Preconditioner::Kind::block_jacobi:
      require_any_preconditioner(method, "block Jacobi");
      return with(Kind::inverse_block_diagonal, preconditioner.block_size);
    case Preconditioner::Kind::chebyshev:
      break;
  }
  require_any_preconditioner(method, "a polynomial");
  method = with_polynomial(std::move(method), preconditioner.degree);
  method.name = name;
  return method;
}

}  // namespace sparsecast
