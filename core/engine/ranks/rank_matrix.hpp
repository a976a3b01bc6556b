#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_graph.hpp"
#include "core/engine/ranks/rank_order.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/engine/ranks/whole_entry.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// What a rank has of a square matrix.
struct RankMatrix {
  /// Square, in the numbers of the part. The own rows are whole. Those of the halo are empty, or
  /// have their entries in own columns (`with_columns`), so that the own rows of this matrix's
  /// transpose are those of the whole one's.
  CsrMatrix<double> matrix;
  RankPart part;
  std::int64_t nonzeros = 0;  ///< of the whole matrix
  bool duplicates = false;    ///< some entries were added to an earlier one of their place
  /// Between the order of the whole matrix, which the part's rows then are not in, and theirs;
  /// nothing where they are.
  std::optional<RankOrder> order{};
};

struct RankMatrixOptions {
  /// Rows that stay together: those of a block of the layout.
  int rows_together = 1;
  bool with_columns = false;  ///< the own columns too, for products with the transpose
  int threads = 0;            ///< 0: all
  /// The rows are cut at multiples of this, and the number of the first own row is one
  /// (`gpu_row_alignment` for a GPU).
  int row_alignment = 1;
  /// Renumbers the matrix by the parts that this finds (`renumber_by_parts`); without it the rows
  /// are cut in their order.
  GraphCut cut{};
  /// Rows that the cut keeps together, besides: those of a block of the solver's own.
  int rows_together_in_cut = 1;
};

/// What a solver needs of its parts in a layout. `by_transpose`: it multiplies by the transpose,
/// too; `rows_together`: those of its own blocks; `on_gpus`: parts are for the CUDA back end.
RankMatrixOptions part_options(const Layout& layout, bool by_transpose, int rows_together,
                               bool on_gpus);

/// Cuts the rows into parts of similar numbers of entries and sends every entry to the rank that
/// has its row. `entries`: those that this rank knows, of which a place's are added up in the order
/// of the ranks. No rank has more than its share at any time, however many rows there are. All
/// ranks call it, with the same options; `Error` is thrown on all of them. With a `cut` in the
/// options, all rows of the result are those of the new order.
RankMatrix distribute(Communicator& ranks, std::int64_t rows, Buffer<WholeEntry> entries,
                      const RankMatrixOptions& options);

/// The same of a square matrix that rank 0 has, alone; on the others `whole` is not looked at.
RankMatrix distribute_whole(Communicator& ranks, const CsrView<double>& whole,
                            const RankMatrixOptions& options);

/// The matrix of a file of which every rank reads a part.
struct RankMatrixFile {
  RankMatrix matrix;
  bool symmetric = false;  ///< the file stores it so or, where that was asked, its values are
};

/// Reads a file of those that `open_matrix_part` reads; symmetric storage is expanded. Throws
/// `Error`, the same on all ranks, like that, for a matrix that is not square, and when a rank sees
/// another file than rank 0. `asks_symmetry`: look at the values where the file is in general
/// storage. All ranks call it.
RankMatrixFile read_rank_matrix(const std::filesystem::path& path, Communicator& ranks,
                                RankMatrixOptions options, bool asks_symmetry);

}  // namespace sparsecast
