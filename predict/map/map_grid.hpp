#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// Sizes of matrices as places on a plane, unknowns to the right and elements upwards (Figure 8).

namespace sparsecast {

/// Which part of the plane, how finely, and of which layout.
struct MapSizes {
  /// One whose size follows from numbers (`check_layout_of_numbers`). Blocks are of its size.
  Layout layout;

  double unknowns_min = 1e2;
  double unknowns_max = 1e7;
  double elements_min = 1e3;
  double elements_max = 1e9;
  int columns = 400;  ///< of the grid, along the unknowns
  int rows = 400;     ///< of the grid, along the elements
};

/// What is drawn unless somebody chooses: csr, and a grid that is coarse, where a profile has the
/// traffic model, by which a place takes long to price; else the paper's 4 x 4 blocks, finely.
MapSizes usual_sizes(std::span<const DeviceProfile> profiles);

/// Throws `Error` for a matrix, called `name`, that has no place on the plane: one that is not
/// square, without rows, or without elements.
void require_place(const std::string& name, const MatrixFeatures& features, double elements);

/// Widens the ranges to whole decades that hold a matrix.
void include_matrix(double unknowns, double elements, MapSizes& sizes);

/// The limits between which matrices lie: every block row holds at least one N x N block, and a
/// dense matrix has x^2 elements.
double diagonal_limit(double unknowns, const Layout& layout);  ///< e = N * x
double dense_limit(double unknowns);                           ///< e = x^2

/// Throws `Error` for sizes that do not rise from 1 to at most 1e15, for a grid that is not from 2
/// x 2 to 10000 x 10000, for a part of the plane without a matrix, and as `check_layout_of_numbers`
/// does.
void check_sizes(const MapSizes& sizes);

/// Places on logarithmic axes. A place's index is row * columns + column.
struct MapGrid {
  std::vector<double> unknowns;  ///< `columns` rising values
  std::vector<double> elements;  ///< `rows` rising values: block elements e

  std::size_t places() const { return unknowns.size() * elements.size(); }
  std::size_t place(std::size_t row, std::size_t column) const {
    return row * unknowns.size() + column;
  }
};

/// Throws `Error` as `check_sizes` does.
MapGrid map_grid(const MapSizes& sizes);

/// A matrix that may be: whole numbers, between a diagonal of blocks and a dense matrix.
struct MapMatrix {
  double unknowns = 0;
  double elements = 0;
};
/// The one nearest to a place.
MapMatrix matrix_at(double unknowns, double elements, const Layout& layout);

/// Calls `visit` for each place of the grid between the two limits, on all threads. `progress` is
/// called between parts of the work, on this thread, with the share that is done; what it throws
/// ends the work.
void visit_places(
    const MapGrid& grid, const Layout& layout,
    const std::function<void(std::size_t place, double unknowns, double elements)>& visit,
    const std::function<void(double done)>& progress);

}  // namespace sparsecast
