#include "core/matrix/generate/table4_meshes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/random_stream.hpp"
#include "core/matrix/generate/table4_couplings.hpp"

namespace sparsecast {
namespace {

struct Offset {
  std::array<std::int64_t, 3> step{};
  std::int64_t squared_length = 0;
};

/// All steps of up to `reach` along each axis but none at all, the short ones first.
std::vector<Offset> offsets_by_length(std::int64_t reach) {
  std::vector<Offset> offsets;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    for (std::int64_t y = -reach; y <= reach; ++y) {
      for (std::int64_t x = -reach; x <= reach; ++x) {
        const std::int64_t square = x * x + y * y + z * z;
        if (square > 0) offsets.push_back({{x, y, z}, square});
      }
    }
  }
  std::ranges::stable_sort(offsets, {}, &Offset::squared_length);
  return offsets;
}

/// The grid point that a step from a node leads to; -1 where there is none.
std::int64_t neighbour(std::int64_t node, const Offset& offset, std::int64_t nodes,
                       const std::array<std::int64_t, 3>& size) {
  std::int64_t rest = node;
  std::int64_t other = 0;
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t at = (axis < 2 ? rest % size[axis] : rest) + offset.step[axis];
    if (at < 0 || at >= size[axis]) return -1;
    other += at * stride;
    rest /= size[axis];
    stride *= size[axis];
  }
  return other < nodes ? other : -1;
}

/// The couplings of a mesh, and how many each node may have.
struct Mesh {
  std::vector<Coupling> couplings;
  std::vector<std::int32_t> most;
};

constexpr int level_of_first_joint = 0;
constexpr int level_of_joints = 1;  // ordinary ones follow by their squared distance

Mesh make_mesh(std::int64_t nodes, const MeshShape& shape) {
  constexpr std::int64_t longest_step = 4;
  const std::vector<Offset> offsets = offsets_by_length(longest_step);
  Mesh mesh;
  mesh.most.assign(nodes, shape.most);
  for (std::int64_t node = 0; node < nodes; ++node) {
    for (const Offset& offset : offsets) {
      if (offset.squared_length > shape.squared_reach) break;
      const std::int64_t other = neighbour(node, offset, nodes, shape.size);
      if (other <= node) continue;  // each pair once
      mesh.couplings.push_back({static_cast<std::int32_t>(node), static_cast<std::int32_t>(other),
                                level_of_joints + static_cast<int>(offset.squared_length)});
    }
  }
  for (std::int64_t joint = 0; joint < shape.joints; ++joint) {
    const std::int64_t node = (2 * joint + 1) * nodes / (2 * shape.joints);
    const std::int64_t most = shape.most_at_joints -
                              joint * (shape.most_at_joints - shape.least_at_joints) / shape.joints;
    mesh.most[node] = static_cast<std::int32_t>(most);
    std::int64_t missing = most - 1;
    for (const Offset& offset : offsets) {
      if (missing == 0) break;
      const std::int64_t other = neighbour(node, offset, nodes, shape.size);
      if (other < 0) continue;
      mesh.couplings.push_back({static_cast<std::int32_t>(node), static_cast<std::int32_t>(other),
                                joint == 0 ? level_of_first_joint : level_of_joints});
      --missing;
    }
  }
  return mesh;
}

/// The number of each node: along the grid, shuffled within groups.
std::vector<std::int32_t> node_numbers(std::int64_t nodes, std::int64_t group, std::uint64_t seed) {
  std::vector<std::int32_t> numbers(nodes);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::int64_t first = 0; first < nodes; first += group) {
    RandomStream random(seed, static_cast<std::uint64_t>(first));
    for (std::int64_t left = std::min(group, nodes - first); left > 1; --left) {
      std::swap(numbers[first + left - 1], numbers[first + random.below(left)]);
    }
  }
  return numbers;
}

void renumber_nodes(Mesh& mesh, const std::vector<std::int32_t>& numbers, std::int64_t count) {
  for (Coupling& coupling : mesh.couplings) {
    coupling.first = numbers[coupling.first];
    coupling.second = numbers[coupling.second];
  }
  std::vector<std::int32_t> most(count);
  for (std::size_t node = 0; node < numbers.size(); ++node) most[numbers[node]] = mesh.most[node];
  mesh.most = std::move(most);
}

}  // namespace

CsrMatrix<double> mesh_matrix(std::int64_t rows, std::int64_t nonzeros, int unknowns,
                              const MeshShape& shape, std::uint64_t seed, int threads) {
  const std::int64_t nodes = (rows + unknowns - 1) / unknowns;
  Mesh mesh = make_mesh(nodes, shape);
  renumber_nodes(mesh, node_numbers(nodes, shape.shuffled, seed), nodes);
  CoupledNodes coupled;
  coupled.rows = rows;
  coupled.nonzeros = nonzeros;
  coupled.unknowns = unknowns;
  coupled.most = std::move(mesh.most);
  return coupled_nodes(coupled, mesh.couplings, seed, threads);
}

CsrMatrix<double> mesh_matrix_with_empty_rows(std::int64_t rows, std::int64_t nonzeros,
                                              std::int64_t nodes, const MeshShape& shape,
                                              std::uint64_t seed, int threads) {
  Mesh mesh = make_mesh(nodes, shape);
  std::vector<std::int32_t> numbers = node_numbers(nodes, shape.shuffled, seed);
  CoupledNodes coupled;
  coupled.own_block.resize(rows);
  for (std::int32_t& number : numbers) {
    number = static_cast<std::int32_t>(number * rows / nodes);
    coupled.own_block[number] = true;
  }
  renumber_nodes(mesh, numbers, rows);
  coupled.rows = rows;
  coupled.nonzeros = nonzeros;
  coupled.most = std::move(mesh.most);
  return coupled_nodes(coupled, mesh.couplings, seed, threads);
}

}  // namespace sparsecast
