#pragma once

#include "core/workload/layout.hpp"
#include "core/workload/paper_mapping.hpp"

/// @file
/// The paper's mappings as layouts, by name: `paperN[-MAPPING][-STORAGE][-sorted]`, where
/// - N is the block size 2, 4 or 8; nothing stands for 1;
/// - MAPPING is `warp` or `block-row`; nothing stands for multiple block rows;
/// - STORAGE is `padded` or `plain`; nothing stands for reordered;
/// - `sorted` is the row order of section 3.5.
///
/// So `paper4-sorted` is the paper's best for 4 x 4 blocks, `paper-warp-padded` a warp a row of
/// CSR. MAPPING and STORAGE are the layout's variant. Threads and blocks at once are no part of it
/// (`CudaPolicy::paper`).

namespace sparsecast {

/// The name of the format.
inline constexpr const char* paper_format_name = "paper";

/// Throws `Error` like `paper_geometry` for a block size that the mappings do not have.
Layout paper_layout(int block_size, RowOrder order, PaperMapping mapping, PaperStorage storage);

/// The choice that a layout of this format stands for, with so many threads. Throws `Error` for
/// another layout.
PaperSpmv paper_choice(const Layout& layout, const PaperThreads& threads = {});

}  // namespace sparsecast
