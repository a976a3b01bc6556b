#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t unknowns_per_node = 3;

/// The rank of a corner rises by this much from corner to corner along each axis and has a random
/// part below 2^48. Ranks that only rise give Kuhn's regular cut, in which every vertex inside has
/// 14 neighbours; purely random ones give too many vertices with 6 or 26. Half the random range
/// gives a standard deviation of about 3, as in Delaunay meshes of random points.
constexpr std::uint64_t rank_slope = 1ULL << 47;

/// Nodes are shuffled among this many neighbours along the mesh.
constexpr std::int64_t shuffled_nodes = 64;

enum class Purpose : std::uint64_t { corner_rank, position, numbering };
std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::int64_t number) {
  return RandomStream(scramble(seed) + static_cast<std::uint64_t>(purpose),
                      static_cast<std::uint64_t>(number))
      .bits();
}

/// A cube is cut into six tetrahedra by "pulling" its corners: every face is cut along the diagonal
/// through its corner of lowest rank, and the triangles of the three faces that do not touch the
/// cube's corner of lowest rank are joined to that corner. Faces are cut alike from both sides, so
/// that any ranks give a mesh without gaps (Dompierre et al., How to subdivide
/// pyramids, prisms and hexahedra into tetrahedra, 1999).
///
/// Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2). There are 64 cuts: the lowest corner,
/// and for each of the three faces opposite to it which diagonal was taken.
struct Cut {
  int lowest = 0;
  /// Bit a: the face opposite to `lowest` across axis a is cut through the corner opposite to
  /// `lowest`.
  int through_opposite = 0;

  int number() const { return lowest * 8 + through_opposite; }
};
constexpr int cuts = 64;

Cut cut_of(const std::array<std::uint64_t, 8>& rank) {
  Cut cut;
  cut.lowest = static_cast<int>(std::min_element(rank.begin(), rank.end()) - rank.begin());
  const int opposite = cut.lowest ^ 7;
  for (int axis = 0; axis < 3; ++axis) {
    // The face's corners: the opposite one, its two neighbours in the face, and the fourth.
    const int b = 1 << (axis + 1) % 3;
    const int c = 1 << (axis + 2) % 3;
    const std::uint64_t along = std::min(rank[opposite], rank[opposite ^ b ^ c]);
    const std::uint64_t across = std::min(rank[opposite ^ b], rank[opposite ^ c]);
    if (along < across) cut.through_opposite |= 1 << axis;
  }
  return cut;
}

using Tetrahedron = std::array<int, 4>;

std::array<Tetrahedron, 6> tetrahedra(int cut_number) {
  const int lowest = cut_number / 8;
  const int opposite = lowest ^ 7;
  std::array<Tetrahedron, 6> result{};
  for (int axis = 0; axis < 3; ++axis) {
    const int b = 1 << (axis + 1) % 3;
    const int c = 1 << (axis + 2) % 3;
    std::array<int, 2> diagonal{opposite, opposite ^ b ^ c};
    std::array<int, 2> tips{opposite ^ b, opposite ^ c};
    if ((cut_number >> axis & 1) == 0) std::swap(diagonal, tips);
    result[2 * axis] = {lowest, diagonal[0], diagonal[1], tips[0]};
    result[2 * axis + 1] = {lowest, diagonal[0], diagonal[1], tips[1]};
  }
  return result;
}

/// The mesh: `cells`^3 cut cubes. The nodes of P1 elements are the corners; those of P2 elements
/// also the midpoints of edges, which fill the grid of half the width exactly: every edge of a
/// cube, every face and every cube has one midpoint.
class Mesh {
 public:
  Mesh(int order, std::int64_t cells, std::uint64_t seed, int threads)
      : order_(order), cells_(cells), side_(order * cells + 1), cut_(cells * cells * cells) {
    const std::int64_t corners = cells + 1;
    parallel_for(
        cells * cells, 16,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t line = begin; line < end; ++line) {
            for (std::int64_t x = 0; x < cells; ++x) {
              std::array<std::uint64_t, 8> rank{};
              for (int corner = 0; corner < 8; ++corner) {
                const std::int64_t corner_x = x + (corner & 1);
                const std::int64_t corner_y = line % cells + (corner >> 1 & 1);
                const std::int64_t corner_z = line / cells + (corner >> 2);
                const std::int64_t number = corner_x + corners * (corner_y + corners * corner_z);
                rank[corner] =
                    static_cast<std::uint64_t>(corner_x + corner_y + corner_z) * rank_slope +
                    (random_bits(seed, Purpose::corner_rank, number) >> 16);
              }
              cut_[line * cells + x] = static_cast<std::uint8_t>(cut_of(rank).number());
            }
          }
        },
        threads);
    const int local_side = order + 1;
    for (int cut = 0; cut < cuts; ++cut) {
      for (const Tetrahedron& tetrahedron : tetrahedra(cut)) {
        std::uint32_t nodes = 0;
        for (const int a : tetrahedron) {
          for (const int b : tetrahedron) {
            if (order == 1 && a != b) continue;
            // A corner's local place is order * corner, an edge's midpoint the sum of its corners.
            const auto place = [&](int bit) {
              return order == 1 ? (a >> bit & 1) : (a >> bit & 1) + (b >> bit & 1);
            };
            nodes |= 1U << (place(0) + local_side * (place(1) + local_side * place(2)));
          }
        }
        for (int node = 0; node < local_side * local_side * local_side; ++node) {
          if ((nodes >> node & 1) != 0) together_[cut][node] |= nodes;
        }
      }
    }
  }

  std::int64_t nodes() const { return side_ * side_ * side_; }
  std::array<std::int64_t, 3> place(std::int64_t node) const {
    return {node % side_, node / side_ % side_, node / side_ / side_};
  }

  /// Replaces `neighbours` by the nodes that share a tetrahedron with this one, itself included.
  void find_neighbours(std::int64_t node, std::vector<std::int64_t>& neighbours) const {
    neighbours.clear();
    const std::array<std::int64_t, 3> at = place(node);
    std::array<std::int64_t, 3> first_cell{};
    std::array<std::int64_t, 3> last_cell{};
    for (int axis = 0; axis < 3; ++axis) {
      last_cell[axis] = std::min(at[axis] / order_, cells_ - 1);
      first_cell[axis] = at[axis] % order_ == 0 ? std::max<std::int64_t>(at[axis] / order_ - 1, 0)
                                                : last_cell[axis];
    }
    const std::int64_t local_side = order_ + 1;
    for (std::int64_t z = first_cell[2]; z <= last_cell[2]; ++z) {
      for (std::int64_t y = first_cell[1]; y <= last_cell[1]; ++y) {
        for (std::int64_t x = first_cell[0]; x <= last_cell[0]; ++x) {
          const std::int64_t local =
              at[0] - x * order_ +
              local_side * (at[1] - y * order_ + local_side * (at[2] - z * order_));
          const std::int64_t base = order_ * (x + side_ * (y + side_ * z));
          std::uint32_t others = together_[cut_[x + cells_ * (y + cells_ * z)]][local];
          for (int other = 0; others != 0; ++other, others >>= 1) {
            if ((others & 1) == 0) continue;
            neighbours.push_back(base + other % local_side +
                                 side_ * (other / local_side % local_side +
                                          side_ * (other / local_side / local_side)));
          }
        }
      }
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }

 private:
  std::int64_t order_;
  std::int64_t cells_;
  std::int64_t side_;  ///< nodes along an axis
  Buffer<std::uint8_t> cut_;
  /// together_[cut][node]: the local nodes that share a tetrahedron with a local node, as bits.
  std::array<std::array<std::uint32_t, 27>, cuts> together_{};
};

/// The old node of each new one, and the inverse.
struct Numbering {
  Buffer<std::int32_t> old_node;
  Buffer<std::int32_t> new_node;
};

/// The order of the nodes in the matrix: along the mesh, shuffled locally.
Numbering number_nodes(std::int64_t nodes, std::uint64_t seed, int threads) {
  Buffer<std::int32_t> old_node(nodes);
  Buffer<std::int32_t> new_node(nodes);
  parallel_for((nodes + shuffled_nodes - 1) / shuffled_nodes, 64,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t group = begin; group < end; ++group) {
                   const std::int64_t first = group * shuffled_nodes;
                   const std::int64_t last = std::min(first + shuffled_nodes, nodes);
                   for (std::int64_t node = first; node < last; ++node) {
                     old_node[node] = static_cast<std::int32_t>(node);
                   }
                   RandomStream random(random_bits(seed, Purpose::numbering, group), 0);
                   for (std::int64_t node = last - 1; node > first; --node) {
                     std::swap(old_node[node], old_node[first + random.below(node - first + 1)]);
                   }
                   for (std::int64_t node = first; node < last; ++node) {
                     new_node[old_node[node]] = static_cast<std::int32_t>(node);
                   }
                 }
               },
               threads);
  return {std::move(old_node), std::move(new_node)};
}

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

}  // namespace

CsrMatrix<double> fem_elasticity(int order, std::int64_t cells, std::uint64_t seed, int threads) {
  if (order != 1 && order != 2) {
    throw Error("finite elements of order " + std::to_string(order) + ": expected 1 or 2");
  }
  constexpr std::int64_t most_nodes = std::numeric_limits<std::int32_t>::max() / unknowns_per_node;
  const std::int64_t most_cells = order == 1 ? 893 : 446;
  if (cells < 1 || cells > most_cells) {
    throw Error("finite elements on " + std::to_string(cells) + "^3 cells: expected 1 to " +
                std::to_string(most_cells) + " of order " + std::to_string(order));
  }
  static_assert(894LL * 894 * 894 <= most_nodes && 893LL * 893 * 893 <= most_nodes);
  const Mesh mesh(order, cells, seed, threads);
  const std::int64_t nodes = mesh.nodes();
  const Numbering numbering = number_nodes(nodes, seed, threads);
  const Buffer<std::int32_t>& old_node = numbering.old_node;
  const Buffer<std::int32_t>& new_node = numbering.new_node;

  // Nodes lie within a quarter of the grid's width of their regular place.
  Buffer<Vector3> position(nodes);
  constexpr std::int64_t grain = 1 << 7;
  parallel_for(
      nodes, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t node = begin; node < end; ++node) {
          RandomStream random(random_bits(seed, Purpose::position, node), 0);
          for (int axis = 0; axis < 3; ++axis) {
            position[node][axis] =
                static_cast<double>(mesh.place(node)[axis]) + 0.5 * random.uniform() - 0.25;
          }
        }
      },
      threads);

  CsrMatrix<double> matrix;
  matrix.rows = unknowns_per_node * nodes;
  matrix.columns = matrix.rows;
  matrix.row_offsets.resize(matrix.rows + 1);
  parallel_for(
      nodes, grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> neighbours;
        for (std::int64_t node = begin; node < end; ++node) {
          mesh.find_neighbours(old_node[node], neighbours);
          std::fill_n(&matrix.row_offsets[unknowns_per_node * node + 1], unknowns_per_node,
                      unknowns_per_node * static_cast<std::int64_t>(neighbours.size()));
        }
      },
      threads);
  lengths_to_offsets(matrix.row_offsets);
  matrix.column_indices.resize(matrix.row_offsets[matrix.rows]);
  matrix.values.resize(matrix.row_offsets[matrix.rows]);

  // Every pair of nodes of an element is joined by a spring that resists stretching and, less,
  // bending: the 3 x 3 block K = (d d^T + I |d|^2 / 4) / |d|^2 with d from one node to the other.
  // The matrix is the sum over all springs of [K -K; -K K], plus 1 on the diagonal of the nodes of
  // the clamped side z = 0: positive definite.
  const auto stiffness = [&](std::int64_t from, std::int64_t to) {
    Vector3 d{};
    for (int axis = 0; axis < 3; ++axis) d[axis] = position[to][axis] - position[from][axis];
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    Matrix3 block{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) block[i][j] = d[i] * d[j] / square + (i == j ? 0.25 : 0.0);
    }
    return block;
  };
  parallel_for(
      nodes, grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> neighbours;
        for (std::int64_t node = begin; node < end; ++node) {
          const std::int64_t here = old_node[node];
          mesh.find_neighbours(here, neighbours);
          // In the order of the new numbers.
          for (std::int64_t& neighbour : neighbours) neighbour = new_node[neighbour];
          std::sort(neighbours.begin(), neighbours.end());

          Matrix3 diagonal{};
          for (int i = 0; i < 3; ++i) diagonal[i][i] = mesh.place(here)[2] == 0 ? 1 : 0;
          std::int64_t diagonal_place = 0;
          std::int64_t place = 0;
          const auto store = [&](std::int64_t at, std::int64_t column_node, const Matrix3& block,
                                 double sign) {
            for (int i = 0; i < 3; ++i) {
              const std::int64_t k = matrix.row_offsets[unknowns_per_node * node + i] + at;
              for (int j = 0; j < 3; ++j) {
                matrix.column_indices[k + j] =
                    static_cast<std::int32_t>(unknowns_per_node * column_node + j);
                matrix.values[k + j] = sign * block[i][j];
              }
            }
          };
          for (const std::int64_t neighbour : neighbours) {
            if (neighbour == node) {
              diagonal_place = place;
            } else {
              const Matrix3 block = stiffness(here, old_node[neighbour]);
              for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) diagonal[i][j] += block[i][j];
              }
              store(place, neighbour, block, -1);
            }
            place += unknowns_per_node;
          }
          store(diagonal_place, node, diagonal, 1);
        }
      },
      threads);
  return matrix;
}

}  // namespace sparsecast
