#pragma once

#include <span>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_graph.hpp"
#include "core/engine/ranks/rank_order.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/engine/ranks/whole_entry.hpp"

namespace sparsecast {

/// An order of the rows in which those of a part follow each other, one part a rank.
struct RankRenumbering {
  RankRows parts;  ///< the rows of all ranks in the new order
  RankOrder order;
};

/// Renumbers a matrix by the parts into which `cut` cuts its graph (`rank_graph`). In a part, rows
/// without an entry in another part come first; both kinds keep the order of the matrix. Where
/// there are no more nodes than ranks, each rank's rows are a part.
///
/// `given`: the rows of all ranks, cut at multiples of `rows_together`; `entries`: those of this
/// rank's, which get their new rows and columns. Blocks of `rows_together` rows stay whole, and
/// begin at multiples of that. Ranks begin where parts do, rounded to multiples of `unit_rows`, a
/// multiple of `rows_together`. All ranks call it; throws like `cut`.
RankRenumbering renumber_by_parts(Communicator& ranks, const RankRows& given,
                                  std::span<Buffer<WholeEntry>> entries, const GraphCut& cut,
                                  int rows_together, int unit_rows);

}  // namespace sparsecast
