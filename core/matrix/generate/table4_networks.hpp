#pragma once

#include <cstdint>

#include "core/matrix/csr.hpp"

/// @file
/// The symmetric matrices of `table4.hpp` that are no finite elements. Each takes the sizes of its
/// row of Table 4; what it is like is said there.

namespace sparsecast {

/// Three rows an atom. Atoms of a residue (6 to 16) are coupled with each other, and part of them
/// with those of the two residues before and after it and of one that folding brings near. One
/// atom is coupled with `longest_row` / 3 (itself included), the others with no more.
CsrMatrix<double> protein_matrix(std::int64_t rows, std::int64_t nonzeros, int longest_row,
                                 std::uint64_t seed, int threads = 0);

/// The hopping term of Wilson's fermions on a periodic lattice of 8^4 sites with 4 spins of 3
/// colours (49152 rows): a row has 6 entries at each of the 6 neighbours in space and 3 at one in
/// time, none at its own site. Between which times a spin hops alternates, so that the pattern is
/// symmetric.
CsrMatrix<double> lattice_fermions(std::uint64_t seed, int threads = 0);

/// Periods one after the other, each with the same `variables`. In a period equations couple
/// neighbouring variables and a few aggregates; half of the variables are coupled with themselves a
/// period before, some with another one. One aggregate has `longest_row` entries in all periods but
/// perhaps the first and the last, other rows no more. Row 0 has no diagonal.
CsrMatrix<double> economic_model(std::int64_t periods, std::int64_t variables,
                                 std::int64_t nonzeros, int longest_row, std::uint64_t seed,
                                 int threads = 0);

/// States of an epidemic on 513 lines of a plane whose lengths go from 802 to 1184 and back, one
/// after the other. A state is coupled with the one before and the one after it, and every second
/// one with its like on the next line: 4 entries a row, three full diagonals, and two more for each
/// of the 383 lengths.
CsrMatrix<double> epidemic_states(std::int64_t rows, std::int64_t nonzeros, std::uint64_t seed,
                                  int threads = 0);

/// Nets with two-terminal elements to others, half of them within 4 rows, a quarter within 8 and so
/// on. 12 supply nets have elements to nets anywhere: the first one's row has `longest_row`
/// entries, those of the others fewer in even steps.
CsrMatrix<double> supplied_circuit(std::int64_t rows, std::int64_t nonzeros, int longest_row,
                                   std::uint64_t seed, int threads = 0);

}  // namespace sparsecast
