#pragma once

#include <cstddef>

namespace sparsecast::cuda {

/// Host memory that every GPU can copy to while the host goes on. Small pieces come from pages that
/// are kept: to pin a page and to release it takes longer than many small kernels. What a GPU does
/// with a piece must be over before it is freed.
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* memory, std::size_t bytes) noexcept;

}  // namespace sparsecast::cuda
