#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/matrix/csr.hpp"

/// @file
/// Stand-ins for the unstructured matrices of Bell and Garland (Efficient sparse matrix-vector
/// multiplication on CUDA, 2008), Table 4, which are those of Williams et al. Rows, columns and
/// nonzeros are exactly those of the table for every seed; so is the longest row, which is that of
/// the originals (table 4 of Verschoor and Jalba, Analysis and performance estimation of the
/// Conjugate Gradient method on multiple GPUs, 2012, prints it). The structure is that of the
/// named family; entries are not those of the originals. As in `generators.hpp`: columns rising
/// within rows, no zeros, the same bytes on every machine and with any number of threads (0: all).
///
/// The paper measures its packet format, for symmetric patterns, on all but Webbase and LP: those
/// are symmetric here, in their values too. Definite ones have a dominant diagonal.
///
/// What each is, and the original that it stands for:
/// - dense: full (the paper's own);
/// - protein: clusters of atoms along a folded chain, 3 rows each (pdb1HYS);
/// - fem-spheres: 27-point mesh of a flat box, 3 rows a node, some of whose corners are left out
///   (consph);
/// - fem-cantilever: 27-point mesh of a beam of 9 x 9 x 257 nodes, 3 rows each, likewise (cant);
/// - wind-tunnel: 9-point surface, 6 rows a node, with joints to up to 30 nodes (pwtk);
/// - fem-harbor: two layers of a 9-point mesh, 5 rows a node: rows and longest row are multiples of
///   5 (rma10);
/// - qcd: hopping on a periodic 8^4 lattice, 39 entries in each row, no diagonal (conf5_4-8x8-05);
/// - fem-ship: surface with stiffeners, 6 rows a node, full blocks only (shipsec1);
/// - economics: 500 periods of 413 variables; row 0 has no diagonal (mac_econ_fwd500);
/// - epidemiology: three full diagonals, 769 in all, as the paper counts (mc2depi);
/// - fem-accelerator: refined 27-point mesh, one row a node, and empty rows (cop20k_A);
/// - circuit: local elements and 12 supply nets (scircuit);
/// - webbase: power law of row lengths (webbase-1M);
/// - lp: few rows, many columns, row lengths of all sizes (rail4284 without its slack columns);
/// - dense-tall: full, 30000 x 128 (section 5.2.1; not in the table).
///
/// Rows and nonzeros of Economics and of FEM/Accelerator differ by an odd number: no symmetric
/// pattern of that size has a full diagonal. Economics, Epidemiology and QCD stand for matrices
/// that are not symmetric.
///
/// Of the HYB format's split (section 3.5: the ELL part has as many columns as a third of the rows
/// have entries at least) the paper prints two, which hold here within a point: 99.4 % of Wind
/// Tunnel's and 45.4 % of LP's nonzeros are in the ELL part.

namespace sparsecast {

/// A row of Table 4.
struct Table4Matrix {
  const char* name;     ///< on the command line
  const char* printed;  ///< in the table
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t nonzeros;
  std::int64_t longest_row;
  bool symmetric;  ///< pattern and values
  bool definite;   ///< symmetric positive definite
};

/// Those of the table in its order, and `dense-tall`.
std::span<const Table4Matrix> table4_matrices();

/// The one of that name: its name here or in the table, where only letters and digits count, small
/// as capital, and `fem` may be left out. Throws `Error` with all names for another.
const Table4Matrix& find_table4_matrix(std::string_view name);

CsrMatrix<double> make_table4_matrix(const Table4Matrix& matrix, std::uint64_t seed,
                                     int threads = 0);

}  // namespace sparsecast
