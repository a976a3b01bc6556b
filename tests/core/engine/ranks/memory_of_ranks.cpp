// Ranks that are threads generate their rows of a 27-point grid of so many points along each axis
// and solve it. Prints for each rank, in bytes: its matrix, the most that it had allocated while it
// generated it, its share (matrix and the solver's vectors), and the most that it had allocated at
// all. A program of its own, whose operator new counts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/engine/ranks/generated_rank_matrix.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/engine/solve.hpp"
#include "core/matrix/generate/generators.hpp"

namespace {

/// Bytes that this thread has allocated, less those it has freed; and the most of them.
thread_local std::int64_t held = 0;
thread_local std::int64_t most_held = 0;

/// Memory whose size stands in front of it, where the alignment leaves room.
void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  auto* const memory = static_cast<char*>(std::aligned_alloc(alignment, alignment + whole));
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, &bytes, sizeof bytes);
  held += static_cast<std::int64_t>(bytes);
  most_held = std::max(most_held, held);
  return memory + alignment;
}

void release(void* memory, std::size_t alignment) {
  if (memory == nullptr) return;
  char* const begin = static_cast<char*>(memory) - alignment;
  std::size_t bytes = 0;
  std::memcpy(&bytes, begin, sizeof bytes);
  held -= static_cast<std::int64_t>(bytes);
  std::free(begin);
}

constexpr std::size_t usual = 16;

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  release(memory, usual);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory, usual);
}
void operator delete(void* memory, std::align_val_t alignment) noexcept {
  release(memory, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  release(memory, static_cast<std::size_t>(alignment));
}

namespace sparsecast {
namespace {

void solve_part(Communicator& ranks, std::int64_t size, std::mutex& turn) {
  const std::int64_t before = held;
  most_held = held;
  const RankMatrix mine =
      generate_rank_matrix(ranks, laplacian_stencil(27, size, size, size), {.threads = 1});
  const std::int64_t generating = most_held - before;
  const std::int64_t matrix = 12 * mine.matrix.nonzeros() + 8 * (mine.matrix.rows + 1);

  CpuBackend backend(mine.part, 1);
  const std::vector<double> b(static_cast<std::size_t>(mine.matrix.rows), 1);
  std::vector<double> x(b.size(), 0);
  SolveOptions options;
  options.part = &mine.part;
  options.stop = {.kind = StopRule::Kind::fixed_iterations, .max_iterations = 2};
  const SolveResult result =
      solve(backend, mine.matrix.view(), std::span(b), std::span(x), options);
  const std::int64_t share = result.bytes_per_device[static_cast<std::size_t>(ranks.rank())];
  const std::lock_guard lock(turn);
  std::printf("%lld %lld %lld %lld\n", static_cast<long long>(matrix),
              static_cast<long long>(generating), static_cast<long long>(share),
              static_cast<long long>(most_held - before));
}

}  // namespace
}  // namespace sparsecast

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  std::mutex turn;
  sparsecast::ThreadRanks::run(std::atoi(arguments[2]), [&](sparsecast::Communicator& ranks) {
    sparsecast::solve_part(ranks, std::atoll(arguments[1]), turn);
  });
}
