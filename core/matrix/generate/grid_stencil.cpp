#include "core/matrix/generate/grid_stencil.hpp"

#include <cstdlib>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/matrix/generate/build_rows.hpp"

namespace sparsecast {

GridStencil::GridStencil(const std::string& what, const Grid& grid,
                         std::vector<Neighbour> neighbours)
    : grid_(grid), neighbours_(std::move(neighbours)) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const auto [nx, ny, nz] = grid;
  if (nx < 1 || ny < 1 || nz < 1 || nx > most || ny > most / nx || nz > most / (nx * ny)) {
    throw Error(what + " on a grid of " + std::to_string(nx) + " x " + std::to_string(ny) + " x " +
                std::to_string(nz) + ": expected 1 to " + std::to_string(most) + " points");
  }
}

bool GridStencil::symmetric() const {
  // Neighbours that no point has do not matter.
  const auto is_there = [this](const Neighbour& each) {
    return std::abs(each.x) < grid_.nx && std::abs(each.y) < grid_.ny &&
           std::abs(each.z) < grid_.nz;
  };
  // The opposite ones stand in the opposite order.
  for (std::size_t k = 0; k < neighbours_.size() / 2; ++k) {
    const Neighbour& each = neighbours_[k];
    if (is_there(each) && each.value != neighbours_[neighbours_.size() - 1 - k].value) return false;
  }
  return true;
}

std::vector<GridStencil::Neighbour> stencil_neighbours(int points) {
  const int dimensions = points == 3 ? 1 : points == 5 || points == 9 ? 2 : 3;
  const bool box = points == 9 || points == 27;
  std::vector<GridStencil::Neighbour> neighbours;
  for (std::int64_t z = dimensions > 2 ? -1 : 0; z <= (dimensions > 2 ? 1 : 0); ++z) {
    for (std::int64_t y = dimensions > 1 ? -1 : 0; y <= (dimensions > 1 ? 1 : 0); ++y) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        if (box || std::abs(x) + std::abs(y) + std::abs(z) <= 1) neighbours.push_back({x, y, z, 0});
      }
    }
  }
  return neighbours;
}

CsrMatrix<double> all_rows(const GridStencil& stencil, int threads) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (stencil.rows() > most) {
    throw Error("a matrix of " + std::to_string(stencil.rows()) + " rows: expected at most " +
                std::to_string(most) + " in one process");
  }
  return build_rows(
      stencil.rows(), threads, [&](std::int64_t row) { return stencil.length(row); },
      [&](std::int64_t row, std::int32_t* columns, double* values) {
        stencil.visit(row, [&](std::int64_t column, double value) {
          *columns++ = static_cast<std::int32_t>(column);
          *values++ = value;
        });
      });
}

}  // namespace sparsecast
