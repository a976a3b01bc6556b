#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/node_graph.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

/// Whether the renumbering `metis` takes nested parts for so many: powers of two beyond 64.
bool cuts_nested(int parts);

/// Orders like those of `metis_order` for thousands of parts, in a fraction of its time, by METIS's
/// bisection of the matrix, of both halves, and so on (edge cut, Karypis and Kumar 1998). Parts of
/// fewer are each several of more, so that what was cut once serves all.
class NestedParts {
 public:
  /// Of a square matrix. Throws what `node_graph` throws.
  explicit NestedParts(const CsrView<double>& matrix);

  /// That for so many parts, a power of two; the same whatever was asked for before, and on every
  /// run. Rows keep their order for one part, and where there are more parts than nodes. Throws
  /// `Error` for another number, and what `run_metis` throws.
  Permutation order(int parts);

 private:
  void halve();

  NodeGraph graph_;
  std::vector<std::int32_t> part_of_;  ///< of each node
  int parts_ = 1;
};

}  // namespace sparsecast
