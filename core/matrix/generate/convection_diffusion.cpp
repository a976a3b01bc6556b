#include "core/matrix/generate/convection_diffusion.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"

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

GridStencil convection_diffusion_stencil(std::int64_t nx, std::int64_t ny, std::int64_t nz,
                                         double peclet, ConvectionDifferences differences) {
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

  std::vector<GridStencil::Neighbour> neighbours = stencil_neighbours(nz > 1 ? 7 : 5);
  for (GridStencil::Neighbour& each : neighbours) {
    const std::int64_t step = each.x + each.y + each.z;
    const AxisStencil& axis = axes[each.x != 0 ? 0 : each.y != 0 ? 1 : 2];
    each.value = step == 0 ? diagonal : step < 0 ? axis.before : axis.behind;
  }
  return {"convection-diffusion", {nx, ny, nz}, std::move(neighbours)};
}

CsrMatrix<double> convection_diffusion(std::int64_t nx, std::int64_t ny, std::int64_t nz,
                                       double peclet, ConvectionDifferences differences,
                                       int threads) {
  return all_rows(convection_diffusion_stencil(nx, ny, nz, peclet, differences), threads);
}

}  // namespace sparsecast
