#include "core/matrix/generate/convection_diffusion.hpp"

#include <array>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

/// The three entries of a row along one axis, times the square of the spacing.
struct AxisStencil {
  double before = -1;
  double middle = 2;
  double behind = -1;
};

AxisStencil axis_stencil(double convection, ConvectionDifferences differences) {
  AxisStencil stencil;
  if (differences == ConvectionDifferences::upwind) {
    stencil.before -= convection;
    stencil.middle += convection;
  } else {
    stencil.before -= convection / 2;
    stencil.behind += convection / 2;
  }
  return stencil;
}

}  // namespace

CsrMatrix<double> convection_diffusion(std::int64_t nx, std::int64_t ny, std::int64_t nz,
                                       double peclet, ConvectionDifferences differences,
                                       int threads) {
  if (nx < 2 || ny < 2) {
    throw Error("convection-diffusion on a grid of " + std::to_string(nx) + " x " +
                std::to_string(ny) + ": expected sides of at least 2 points");
  }
  if (!(peclet >= 0 && std::isfinite(peclet))) {
    throw Error("convection-diffusion with a Peclet number of " + short_number(peclet) +
                ": expected a number that is not negative");
  }
  const double spacing = 1 / static_cast<double>(nx + 1);
  std::array<AxisStencil, 3> axes;
  double wind = 1;
  for (AxisStencil& axis : axes) {
    axis = axis_stencil(peclet * wind * spacing, differences);
    wind /= 2;
  }
  double diagonal = axes[0].middle + axes[1].middle;
  if (nz > 1) diagonal += axes[2].middle;

  CsrMatrix<double> matrix = laplacian(nz > 1 ? 7 : 5, nx, ny, nz, threads);
  const auto value = [&](std::int64_t distance) {
    if (distance == 0) return diagonal;
    const std::int64_t length = std::abs(distance);
    const AxisStencil& axis = axes[length == 1 ? 0 : length == nx ? 1 : 2];
    return distance < 0 ? axis.before : axis.behind;
  };
  constexpr std::int64_t grain = 1 << 14;
  parallel_for(
      matrix.rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
            matrix.values[k] = value(matrix.column_indices[k] - row);
          }
        }
      },
      threads);
  return matrix;
}

}  // namespace sparsecast
