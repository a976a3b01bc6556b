#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/generate/generators.hpp"

/// @file
/// The matrices of the GPU benchmark.

namespace sparsecast {

struct GpuCase {
  enum class Kind { five_point, twenty_seven_point, finite_elements, power_law, file };
  std::string name;
  Kind kind = Kind::file;
  std::function<CsrMatrix<double>()> make;
};

/// Grids, finite elements with 3 unknowns a node and a power-law graph, from 10^4 to 9 * 10^6
/// unknowns.
inline std::vector<GpuCase> generated_gpu_cases() {
  std::vector<GpuCase> all;
  for (const std::int64_t n : {100, 316, 700, 1000, 3000}) {
    all.push_back({"5-point " + std::to_string(n) + "^2", GpuCase::Kind::five_point,
                   [n] { return laplacian(5, n, n); }});
  }
  for (const std::int64_t n : {60, 100, 160}) {
    all.push_back({"27-point " + std::to_string(n) + "^3", GpuCase::Kind::twenty_seven_point,
                   [n] { return laplacian(27, n, n, n); }});
  }
  for (const std::int64_t nodes : {26, 41, 70}) {
    all.push_back({"FEM " + std::to_string(nodes) + "^3 nodes", GpuCase::Kind::finite_elements,
                   [nodes] { return fem_elasticity(1, nodes - 1, 1); }});
  }
  all.push_back({"power law 10^6", GpuCase::Kind::power_law,
                 [] { return power_law(1'000'000, 10, 2.2, 1); }});
  return all;
}

}  // namespace sparsecast
