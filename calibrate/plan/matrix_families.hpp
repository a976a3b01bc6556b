#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/matrix/csr.hpp"

/// @file
/// The generated matrices that calibration measures, by families that can be made in any size.
/// Families that are fitted and families that are held out share no matrix.

namespace sparsecast {

/// Random numbers that are the same on every machine, unlike the standard distributions.
class PlanRandom {
 public:
  explicit PlanRandom(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// `count` numbers spread evenly in the logarithm, each at a random place of its stratum.
std::vector<double> log_spread(double least, double most, int count, PlanRandom& random);

/// A generated matrix, not yet generated. All are symmetric and positive definite.
struct MatrixRecipe {
  std::string description;  ///< "laplacian27 40x40x40"; names the matrix in samples
  double nonzeros = 0;      ///< about so many
  std::function<CsrMatrix<double>(int threads)> generate;  ///< on so many threads; 0: all
};

/// A kind of matrix that can be made with about so many nonzeros.
using MatrixFamily = std::function<MatrixRecipe(double nonzeros, std::uint64_t seed)>;

/// What the CPU's SpMV is fitted to: stencils, elements with dense node blocks, scattered and
/// clustered rows, graphs; block densities from nearly 0 to 1.
std::vector<MatrixFamily> fitted_families();

/// Whole iterations run on others, so that the interval says something about matrices that were
/// not fitted.
std::vector<MatrixFamily> held_out_families();

/// What more a GPU is fitted to: long rows, rows of very different and of very few entries, narrow
/// bands, random numberings, several unknowns a node.
std::vector<MatrixFamily> unequal_families();

/// The same for its held-out matrices.
std::vector<MatrixFamily> held_out_unequal_families();

/// What a GPU's products alone are measured on, beside those above: rows of equal and of very
/// unequal length, near the diagonal and scattered, by themselves and with several unknowns a node.
std::vector<MatrixFamily> product_families();

/// `sizes` matrices of each family, sizes spread evenly in the logarithm, family by family.
std::vector<MatrixRecipe> matrices_of(const std::vector<MatrixFamily>& families, double least,
                                      double most, int sizes, std::uint64_t seed);

/// The same matrices, one of each family at a time and each time another size, so that the sizes of
/// a family come in turn too: the first of them are some of every kind.
std::vector<MatrixRecipe> matrices_in_turn(const std::vector<MatrixFamily>& families, double least,
                                           double most, int sizes, std::uint64_t seed);

}  // namespace sparsecast
