#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A square matrix of finite differences on a grid of nx x ny x nz points, x fastest, zero at its
/// boundary, of which anybody can make any row alone: a rank its own, or one process all
/// (`all_rows`). The pattern is symmetric. Rows and columns are counted in 64 bits.
class GridStencil {
 public:
  /// A neighbour of a grid point, or the point itself, and the value of its entry.
  struct Neighbour {
    std::int64_t x = 0, y = 0, z = 0;  ///< steps along the axes, -1 to 1
    double value = 0;
  };
  /// Sizes of the grid; those of axes that there are not are 1.
  struct Grid {
    std::int64_t nx = 1, ny = 1, nz = 1;
  };

  /// `neighbours`: in the order of their columns, and with each the one opposite. Throws `Error`
  /// that begins with `what` for sizes below 1, and for more than 2^53 points.
  GridStencil(const std::string& what, const Grid& grid, std::vector<Neighbour> neighbours);

  std::int64_t rows() const { return grid_.nx * grid_.ny * grid_.nz; }
  /// Entries of the longest row, at most.
  std::int64_t points() const { return static_cast<std::int64_t>(neighbours_.size()); }
  /// Whether the values are symmetric, too.
  bool symmetric() const;

  /// Entries of a row.
  std::int64_t length(std::int64_t row) const {
    std::int64_t length = 0;
    visit(row, [&](std::int64_t, double) { ++length; });
    return length;
  }
  /// Calls `take(column, value)` for each entry of a row; columns rise.
  template <class Take>
  void visit(std::int64_t row, const Take& take) const {
    const std::int64_t x = row % grid_.nx;
    const std::int64_t y = row / grid_.nx % grid_.ny;
    const std::int64_t z = row / (grid_.nx * grid_.ny);
    for (const Neighbour& each : neighbours_) {
      if (lies_within(x + each.x, grid_.nx) && lies_within(y + each.y, grid_.ny) &&
          lies_within(z + each.z, grid_.nz)) {
        take(row + each.x + grid_.nx * (each.y + grid_.ny * each.z), each.value);
      }
    }
  }

 private:
  /// In one comparison.
  static bool lies_within(std::int64_t place, std::int64_t size) {
    return static_cast<std::uint64_t>(place) < static_cast<std::uint64_t>(size);
  }

  Grid grid_;
  std::vector<Neighbour> neighbours_;
};

/// The neighbours of a grid point, itself included, in the order of their columns: 3 (1D), 5 or 9
/// (2D), 7 or 27 (3D). Their values are 0.
std::vector<GridStencil::Neighbour> stencil_neighbours(int points);

/// The whole matrix. Throws `Error` for more than 2147483647 rows. `threads` = 0: all.
CsrMatrix<double> all_rows(const GridStencil& stencil, int threads = 0);

}  // namespace sparsecast
