#pragma once

#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/matrix/generate/grid_stencil.hpp"

namespace sparsecast {

/// The matrix of a stencil, of which every rank makes its own rows: what `distribute` makes of its
/// entries, in the memory of what a rank has in the end and a few numbers for each row. All ranks
/// call it, with the same arguments; `Error` is thrown on all of them. With a `cut` in the options
/// it takes what `distribute` takes.
RankMatrix generate_rank_matrix(Communicator& ranks, const GridStencil& stencil,
                                const RankMatrixOptions& options);

}  // namespace sparsecast
