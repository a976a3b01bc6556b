#include "core/base/buffer.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sparsecast {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Pieces that hold at least one huge page; the rest behind the last one stays on small pages.
constexpr std::size_t large = huge_page;

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes >= large ? huge_page : line};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
  // Only whole pages, and only a wish: what the system makes of it does not matter here.
  if (bytes >= large) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return memory;
}

void deallocate_aligned(void* memory, std::size_t bytes) {
  ::operator delete(memory, alignment(bytes));
}

}  // namespace sparsecast
