#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/operands.hpp"

/// @file
/// What the kernel "Pass" does: linear combinations, elementwise products and dot products of
/// vectors, in one pass over the rows.

namespace sparsecast {

/// The name of steps that carry out a `VectorPass`.
inline constexpr std::string_view pass_kernel = "Pass";

/// What one pass may have beside its blocks, at most. Whoever makes schedules splits what has more.
inline constexpr int most_pass_operands = 8;
inline constexpr int most_pass_statements = 8;
inline constexpr int most_pass_terms = 64;  ///< of all statements together
inline constexpr int most_pass_dots = 4;
/// Blocks of a pass, and vectors of all of them together, at most.
inline constexpr int most_pass_blocks = 4;
inline constexpr int most_block_vectors = 64;

/// Sums that a step makes, at most: of dot products, and of blocks of them.
inline constexpr int most_step_sums = most_pass_dots + most_block_vectors;

/// factor * scalar * vector, elementwise times another vector where there is one. Factor times
/// scalar is rounded to the precision of the vectors.
struct PassTerm {
  double factor = 1;
  ScalarSlot scalar = -1;  ///< -1: none
  int operand = 0;         ///< place in `Step::vectors`
  int times = -1;          ///< operand, elementwise; -1: none

  friend bool operator==(const PassTerm&, const PassTerm&) = default;
};

/// A statement of a pass: operand `target` = the sum of terms (none: 0), or, without target, a dot
/// product of operands a and b, summed in double.
struct PassStatement {
  int target = -1;
  std::vector<PassTerm> terms;
  int a = -1;
  int b = -1;

  friend bool operator==(const PassStatement&, const PassStatement&) = default;
};

/// Carried out in order for each row: later statements see what earlier ones assigned. The dot
/// products go to `Step::sums` in their order.
struct VectorPass {
  std::vector<PassStatement> statements;

  friend bool operator==(const VectorPass&, const VectorPass&) = default;
};

/// Neighbouring terms of a statement, or neighbouring dot products with one other vector (`with`),
/// of vectors that the pass uses nowhere else: sum(i, h[i]*V[i]), dot(V[i], q) for all i. They are
/// taken one after the other, so that there may be many.
struct PassBlock {
  int statement = 0;   ///< of the terms; the first of the dot products
  int first_term = 0;  ///< in the statement; not of dot products
  int count = 0;
  int with = -1;  ///< operand; -1: a block of terms

  bool of_dots() const { return with >= 0; }
};

/// The blocks of a pass, in its order: none of one that has room without.
std::vector<PassBlock> pass_blocks(const VectorPass& pass, int operands);

/// How many dot products a pass has.
int dot_count(const VectorPass& pass);

/// What a pass does with each of its operands: `write` if it is assigned before it is read,
/// `update` if it is read first. Operands must exist.
std::vector<VectorAccess> pass_accesses(const VectorPass& pass, std::size_t operands);

/// Floating-point operations for each row: products with factors other than 1 and -1, with scalars
/// and with vectors, sums, and two for a dot product.
double pass_flops(const VectorPass& pass);

/// What is too much in a pass on so many operands ("a pass of 9 statements; at most 8"), if
/// anything.
std::optional<std::string> fault_of_sizes(const VectorPass& pass, int operands);

/// What keeps a pass from being carried out on these operands ("a pass of 9 statements; at most
/// 8"), if anything does. Scalars are not looked at.
std::optional<std::string> fault_of(const VectorPass& pass, const std::vector<VectorSlot>& operands,
                                    std::size_t sums);

}  // namespace sparsecast
