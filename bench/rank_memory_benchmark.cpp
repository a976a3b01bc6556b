// Memory of ranks that generate their rows of a 27-point grid, in f64, and solve on the CPU in
// layout csr, beside their share of it.
//
//   mpirun -n 8 rank_memory_benchmark [SIZE [ITERATIONS]]
//
// without sizes 420 (2.0e9 nonzeros) and 3 iterations of conjugate gradients. A line for each rank:
//   share   bytes of its matrix (values, columns, offsets) and of the solver's vectors
//   peak    how far its resident memory rose, from before the generation to the end
// and peak / share; at the end the largest.

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/ranks/generated_rank_matrix.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/solve.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/mpi/mpi_ranks.hpp"

namespace sparsecast {
namespace {

/// The most that this process has had in memory, in bytes.
std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

void run(Communicator& ranks, std::int64_t size, std::int64_t iterations) {
  const std::int64_t before = peak_bytes();
  const RankMatrix mine =
      generate_rank_matrix(ranks, laplacian_stencil(27, size, size, size), {.threads = 1});
  CpuBackend backend(mine.part, 1);
  const std::vector<double> b(static_cast<std::size_t>(mine.matrix.rows), 1);
  std::vector<double> x(b.size(), 0);
  SolveOptions options;
  options.part = &mine.part;
  options.stop = {.kind = StopRule::Kind::fixed_iterations, .max_iterations = iterations};
  const SolveResult result =
      solve(backend, mine.matrix.view(), std::span(b), std::span(x), options);

  const std::vector<std::int64_t> peaks = gather(ranks, peak_bytes() - before);
  const std::vector<std::int64_t> nonzeros =
      gather(ranks, mine.part.own.nonzeros(mine.matrix.row_offsets));
  if (ranks.rank() != 0) return;
  std::printf("27 points, %lld^3: %lld nonzeros over %d ranks\n%4s %12s %12s %12s %12s %6s\n",
              static_cast<long long>(size), static_cast<long long>(mine.nonzeros), ranks.size(),
              "rank", "rows", "nonzeros", "share, MB", "peak, MB", "ratio");
  double largest = 0;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    const auto share = static_cast<double>(result.bytes_per_device[place]);
    const auto peak = static_cast<double>(peaks[place]);
    largest = std::max(largest, peak / share);
    std::printf("%4d %12lld %12lld %12.1f %12.1f %6.3f\n", rank,
                static_cast<long long>(mine.part.rows.count(rank)),
                static_cast<long long>(nonzeros[place]), share / 1e6, peak / 1e6, peak / share);
  }
  std::printf("largest ratio %.3f\n", largest);
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  const std::int64_t size = argc > 1 ? std::atoll(argv[1]) : 420;
  const std::int64_t iterations = argc > 2 ? std::atoll(argv[2]) : 3;
  RankEnd end;
  try {
    const auto ranks = open_mpi_ranks([](const std::string& line) {
      std::fprintf(stderr, "rank_memory_benchmark: %s\n", line.c_str());
    });
    try {
      share_threads(ranks->sharing_cores());
      run(*ranks, size, iterations);
    } catch (const std::exception& error) {
      end = {1, error.what()};
    }
    end = ranks->conclude(end);
  } catch (const std::exception& error) {
    end = {1, error.what()};
  }
  if (!end.line.empty()) std::fprintf(stderr, "rank_memory_benchmark: %s\n", end.line.c_str());
  return end.status;
}
