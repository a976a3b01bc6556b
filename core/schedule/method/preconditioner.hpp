#pragma once

#include <string>
#include <string_view>

#include "core/schedule/method/method.hpp"

/// @file
/// A method names its preconditioner by a role; what that operator is may be chosen before the
/// method runs.

namespace sparsecast {

struct Preconditioner {
  enum class Kind {
    none,    ///< the identity
    jacobi,  ///< the inverse of the matrix's diagonal
    /// Chebyshev's iteration for D^-1 A, D being the diagonal, from zero: a polynomial of D^-1 A.
    chebyshev,
    /// The inverses of the matrix's diagonal blocks.
    block_jacobi,
  };
  Kind kind = Kind::none;
  int degree = 0;      ///< of chebyshev: products by A each time, 1 to `largest_degree`
  int block_size = 0;  ///< of block_jacobi: rows of a block, 1 to `largest_diagonal_block`

  static constexpr int largest_degree = 16;
  static const Preconditioner none;
  static const Preconditioner jacobi;
  static constexpr Preconditioner chebyshev(int degree) { return {Kind::chebyshev, degree}; }
  static constexpr Preconditioner block_jacobi(int block_size) {
    return {Kind::block_jacobi, 0, block_size};
  }

  friend bool operator==(const Preconditioner&, const Preconditioner&) = default;
};
inline constexpr Preconditioner Preconditioner::none{Kind::none};
inline constexpr Preconditioner Preconditioner::jacobi{Kind::jacobi};

/// "none", "jacobi", "chebyshev3", "block-jacobi3".
std::string to_string(const Preconditioner& preconditioner);

/// Reads one. Throws `Error` that says what there is.
Preconditioner parse_preconditioner(std::string_view text);

/// Whether a method has an operator with the role "preconditioner".
bool has_preconditioner(const Method& method);

/// The method with this preconditioner; where that is another one than its own, its name says so:
/// "cg-none", "cg-chebyshev3", "cg-block-jacobi3".
///
/// A polynomial takes the place of each product by the preconditioner: steps of Chebyshev's
/// iteration (Saad 2003, Algorithm 12.1; Adams, Brezina, Hu and Tuminaro 2003) between Gershgorin's
/// upper bound of D^-1 A and a thirtieth of it, both of them parameters. Of a symmetric positive
/// definite matrix the preconditioner is so too.
///
/// Throws `Error` for a method without that role, and of a polynomial or blocks for one that
/// multiplies by the transpose (its preconditioner would have to be transposed), that a library
/// carries out, or whose parameters are functions of the preconditioner; of a polynomial also for
/// one that multiplies by it in a range.
Method with_preconditioner(Method method, const Preconditioner& preconditioner);

}  // namespace sparsecast
