#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/library_execution.hpp"
#include "core/schedule/matrix_kind.hpp"
#include "core/schedule/method/expression.hpp"
#include "core/schedule/schedule.hpp"

/// @file
/// A solver as it is written down, before anything is known of how it runs: declarations and four
/// lists of steps. `docs/schedules.md` describes the language, `method_json.hpp` its files.

namespace sparsecast {

/// A number that a method is used with: given by the user (`--set m=30`), else `value`, an
/// expression of numbers, of parameters in front of it, and of functions of the matrix:
/// `gershgorin_low(A)`, `gershgorin_high(A)`, and of a diagonal times the matrix
/// (`gershgorin_high(M, A)`).
struct Parameter {
  std::string name;
  std::optional<Expression> value;  ///< none: must be given
};

/// What a method multiplies by.
struct OperatorDeclaration {
  enum class Kind {
    matrix,            ///< A
    transpose,         ///< of A
    diagonal,          ///< of A
    inverse_diagonal,  ///< of A: Jacobi's preconditioner
    /// The inverses of A's diagonal blocks of `block_size` rows: block Jacobi's preconditioner.
    inverse_block_diagonal,
    identity,
  };
  std::string name;
  Kind kind = Kind::matrix;
  int block_size =
      0;  ///< of an inverse block diagonal, 1 to `largest_diagonal_block`; 0: of the others
  /// Named spaces: what it multiplies lies in `domain`, what comes out in `range`.
  std::string domain = "unknowns";
  std::string range = "unknowns";

  /// Whether rows of the result need the operand's same rows, or those of the same block, so that a
  /// `vector` step may multiply by it; the others need an `apply`.
  bool is_local() const { return kind != Kind::matrix && kind != Kind::transpose; }
};

/// One of a method's vectors or scalars, or an array of them.
struct Declaration {
  std::string name;
  std::vector<Expression> sizes;   ///< of each dimension, of parameters; vectors have at most one
  std::string space = "unknowns";  ///< vectors
};

/// What a method ends with if a test holds: "p_Ap <= 0 : not_positive_definite".
struct MethodTest {
  Expression test;
  Outcome outcome = Outcome::converged;
};

/// A step of a method. Which fields matter depends on `kind`.
struct MethodStep {
  enum class Kind {
    apply,   ///< `assignments[0]`, "q = A*p", and dot products of any vectors behind it
    vector,  ///< assignments in one pass over the rows; later ones see what earlier ones assigned
    scalar,  ///< assignments of scalars, in order
    check,   ///< ends the run with the outcome of the first test that holds
    repeat,  ///< `body` for `index` from `from` to `to`, rising, or falling where `falls`
    leave,   ///< ends the innermost `repeat` ("break")
  };
  Kind kind = Kind::scalar;
  std::vector<Assignment> assignments;
  std::vector<MethodTest> tests;
  std::string index;
  std::vector<Expression> range;  ///< from, to
  bool falls = false;
  std::vector<MethodStep> body;
  std::optional<Expression> when;  ///< it is carried out only where this holds
  std::string place;               ///< "iteration[2].do[0]", for messages
};

/// A solver. `setup` runs once; `iteration` again and again; `finish` once, however that ended.
///
/// Names given by who runs it: the scalars `residual_limit` (the run has converged when the norm of
/// the residual is at most this), `right_hand_side_norm`, and `iteration` (completed ones).
struct Method {
  std::string name;
  std::string description;
  MatrixKind needs = MatrixKind::square;  ///< without what operators need of its diagonal
  std::vector<Parameter> parameters;
  std::vector<OperatorDeclaration> operators;
  std::vector<Declaration> vectors;
  std::vector<Declaration> scalars;
  /// What names are for: "solution", "right_hand_side" (vectors, needed), "residual" (a vector),
  /// "residual_norm" or "residual_square" (a scalar, after each iteration), "restart" (a parameter:
  /// the steps of a cycle), "cycle_steps" (a scalar: those that the last one came to),
  /// "preconditioner" (an operator, `preconditioner.hpp`).
  std::map<std::string, std::string> roles;
  /// The library whose calls the steps are, one by one.
  std::optional<LibraryExecution> execution;
  std::vector<MethodStep> setup;
  std::vector<MethodStep> iteration;
  std::vector<MethodStep> finish;
};

/// Names that a method may use and need not declare.
inline constexpr std::string_view given_scalars[] = {"residual_limit", "right_hand_side_norm",
                                                     "iteration"};

}  // namespace sparsecast
