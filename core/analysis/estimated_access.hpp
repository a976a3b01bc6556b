#pragma once

#include <array>
#include <optional>

#include "core/analysis/features.hpp"
#include "core/base/precision.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What a matrix would be like of which only some numbers are known, for predictions without its
/// file. A guess by what most matrices of solvers are:
/// - a mesh of nodes with as many unknowns each as the largest block size whose density is at least
///   0.9 (1 where no density is known), numbered line by line, plane by plane;
/// - of one dimension up to 3 neighbours a node (itself among them), of two from 4 to 9, of three
///   from 11 on, of something between them between these numbers; or of the dimension whose
///   numbering comes nearest to the bandwidth, where that is known;
/// - a node's neighbours lie in 1, 3, or 9 (5 of fewer than 9 neighbours) runs of equal length;
/// - unless row lengths (but the longest) deviate by twice their mean, as in graphs, or the
///   bandwidth is more than four times what a mesh of three dimensions has: then columns are random
///   within the bandwidth; between half and twice the mean they are so more and more;
/// - where a block density is known, something between mesh and random columns that has it.
/// Lengths of neighbouring rows are taken for independent; but for the longest, normally
/// distributed, or log-normally where they deviate by nearly half of their mean. No number has a
/// place where what follows from it jumps, but for those where kernels are launched otherwise.

namespace sparsecast {

/// Some numbers of a square matrix.
struct MatrixNumbers {
  double rows = 0;
  double nonzeros = 0;
  double row_deviation = 0;         ///< standard deviation of row lengths
  double longest_row = 0;           ///< 0: three deviations above the mean
  std::optional<double> bandwidth;  ///< largest |column - row|
  /// d_N in the order of `block_sizes`; 0: not known.
  std::array<double, block_sizes.size()> block_density{};
};

/// Those of a matrix at hand.
MatrixNumbers matrix_numbers(const MatrixFeatures& features);

/// The access pattern of a matrix with such numbers. Its distinct sectors, in windows of any size,
/// are those of generated grids in their natural numbering, finite elements and random matrices
/// within a factor of 2 where bandwidth and block densities are known; those of grids within 2.5
/// without. Random columns are not recognised without: distinct sectors are up to 30 times too few
/// then. Throws `Error` for numbers that no matrix has, and a block size that is not in
/// `block_sizes`.
AccessPattern estimate_access(const MatrixNumbers& numbers, const Layout& layout,
                              Precision precision);

/// Values of the multiplied vector that a device looks up in the segments of others, of the one
/// that looks up most, where rows are dealt out to `devices` evenly. Throws like `estimate_access`.
double estimate_halo(const MatrixNumbers& numbers, int devices);

/// Its size as one segment, without padding: by the block density where it is known. Throws like
/// `estimate_access`.
SegmentShape estimate_shape(const MatrixNumbers& numbers, const Layout& layout);

}  // namespace sparsecast
