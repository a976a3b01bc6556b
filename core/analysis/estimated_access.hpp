#pragma once

#include "core/analysis/matrix_numbers.hpp"
#include "core/base/precision.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What a matrix would be like of which only some numbers are known, for predictions without its
/// file. A guess by what most matrices of solvers are, where the numbers do not say:
/// - a row has runs of neighbouring columns: with b neighbours of an entry, of 1 / (1 - b / 2)
/// each;
///   in blocks no shorter than these; unknown, 1 run up to 3 neighbours a node (itself among them),
///   3 from 4 to 9, 9 from 11 on, as in meshes of one, two and three dimensions;
/// - the pattern is symmetric: as many entries go on straight down in the next row as have a
///   neighbour to the right. Of the others all go on a column further, as in a stencil, unless row
///   lengths (but the longest) deviate by an eighth of their mean or more, or the mean distance is
///   half of what a plane of a cube has or more; only the diagonal's do from the mean, or twice the
///   plane, on. Similarity says it instead, where it is known;
/// - by the same two, columns lie as in a mesh, or at random within twice the mean distance, and
///   then in columns as unequal as the rows;
/// - the furthest neighbours of a mesh lie a line or a plane away, or where the mean distance says.
/// Lengths of neighbouring rows are taken for independent; but for the longest, normally
/// distributed, or log-normally where they deviate by nearly half of their mean.
///
/// No number has a place where what follows from it jumps. Forecasts change in steps only where
/// kernels work in whole numbers: lanes of a row, passes over it, pieces of a long row and whether
/// they are added up, waves and sizes of thread blocks, what a persistent kernel keeps in shared
/// memory, and columns in 16 bits up to 2^15 from the diagonal, positions in 32 bits up to 2^31
/// values.

namespace sparsecast {

/// The access pattern of a matrix with such numbers. Its distinct sectors, in windows of any size,
/// are those of generated grids in their natural numbering, finite elements and random matrices
/// within a factor of 2 where all numbers of rows are known; those of grids within 2.5 from sizes
/// alone. Random columns are not recognised so: distinct sectors are up to 30 times too few then.
/// Throws `Error` for numbers that no matrix has, and a block size that is not in `block_sizes`.
AccessPattern estimate_access(const MatrixNumbers& numbers, const Layout& layout,
                              Precision precision);

/// Values of the multiplied vector that a device looks up in the segments of others, of the one
/// that looks up most, where rows are dealt out to `devices` evenly. Throws like `estimate_access`.
double estimate_halo(const MatrixNumbers& numbers, int devices);

/// The same where rows are in an order by parts that are as compact as the matrix allows, as METIS
/// makes them: of r unknowns of a mesh of d dimensions 2 d r^(1 - 1/d), a face on each side, less
/// where there are few parts. d is from 1 to 3: the furthest neighbours of x unknowns lie
/// x^(1 - 1/d) away. Within a factor of 1.5 of METIS's parts of grids. Throws like
/// `estimate_access`.
double estimate_compact_halo(const MatrixNumbers& numbers, int devices);

/// The dimension of the mesh that the matrix is taken for, 1 to 3: the furthest neighbours of x
/// unknowns lie x^(1 - 1/d) away. Throws like `estimate_access`.
double estimate_dimension(const MatrixNumbers& numbers);

/// In how many of the others, at most; 3^d - 1 of many parts of a mesh, of which those beside a
/// face have nearly all that is looked up. Throws like `estimate_access`.
double estimate_compact_neighbours(const MatrixNumbers& numbers, int devices);

/// Distinct values of the multiplied vector that rows look up in windows of so many neighbouring
/// ones, summed over the windows. Throws like `estimate_access`.
double estimate_columns(const MatrixNumbers& numbers, double window);

/// Its size as one segment, without padding. Throws like
/// `estimate_access`.
SegmentShape estimate_shape(const MatrixNumbers& numbers, const Layout& layout);

}  // namespace sparsecast
