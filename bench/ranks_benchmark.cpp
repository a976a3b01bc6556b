// An iteration of fused CG by ranks with a GPU each, against as many threads of one process with
// the same GPUs, on 7-point grids in f64, in one run.
//
//   mpirun -n 2 --bind-to none ranks_benchmark [SIZE...]    the k-th rank has cuda:k
//
// without sizes 40 79 128 200 256. All ways take turns in every round; a number is the median of
// `rounds`, in microseconds:
//   threads                the threads; kernels exchange halos and sums from device to device
//   halo, nccl             the ranks, in the same way and by NCCL
//   host threads, staged, gpu-aware
//                          threads and ranks whose hosts exchange (launch mode host); the last
//                          where MPI takes memory of GPUs
// and behind a way of the ranks its ratio to the threads in front of it, median of rounds.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/mpi/mpi_ranks.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 7;
constexpr double seconds_per_round = 0.06;

StopwatchOptions short_rounds() {
  StopwatchOptions options;
  options.max_seconds = seconds_per_round;
  options.min_rounds = 3;
  return options;
}

CudaPolicy launched(LaunchMode mode, ExchangeMode exchange) {
  CudaPolicy policy;
  policy.launch_mode = mode;
  policy.exchange = exchange;
  return policy;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// A way to run, and its seconds by round.
struct Way {
  std::unique_ptr<CudaBackend> backend{};
  std::unique_ptr<PreparedSchedule<double>> prepared{};
  std::vector<double> seconds{};

  double microseconds() const { return 1e6 * median(seconds); }
  double over(const Way& other) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      ratios.push_back(seconds[i] / other.seconds[i]);
    }
    return median(ratios);
  }
};

/// The threads of rank 0 first, then ways of the ranks.
struct Group {
  LaunchMode launch;
  std::vector<ExchangeMode> exchanges;
  std::vector<Way> ways{};
};

/// Of ranks whose hosts exchange.
std::vector<ExchangeMode> exchanges_by_hosts(bool gpu_aware) {
  std::vector<ExchangeMode> exchanges{ExchangeMode::staged};
  if (gpu_aware) exchanges.push_back(ExchangeMode::gpu_aware);
  return exchanges;
}

void race(Communicator& ranks, std::int64_t size, bool gpu_aware) {
  CsrMatrix<double> grid;
  if (ranks.rank() == 0) grid = laplacian(7, size, size, size);
  const CsrView<double> whole = grid.view();
  const RankMatrix mine = distribute_whole(ranks, whole, part_options(Layout{}, false, 1, true));
  std::vector<GpuPart> gpus;
  for (int rank = 0; rank < ranks.size(); ++rank) gpus.emplace_back(rank);
  std::array groups{Group{LaunchMode::graph, {ExchangeMode::halo, ExchangeMode::nccl}},
                    Group{LaunchMode::host, exchanges_by_hosts(gpu_aware)}};
  for (Group& group : groups) {
    Way threads;
    if (ranks.rank() == 0) {
      threads.backend =
          std::make_unique<CudaBackend>(gpus, launched(group.launch, ExchangeMode::automatic));
      threads.prepared = threads.backend->prepare(fused_cg_schedule(), whole, Layout{});
    }
    group.ways.push_back(std::move(threads));
    ranks.barrier();
    for (const ExchangeMode exchange : group.exchanges) {
      Way way;
      way.backend = std::make_unique<CudaBackend>(mine.part, GpuPart(ranks.rank()),
                                                  launched(group.launch, exchange));
      way.prepared = way.backend->prepare(fused_cg_schedule(), mine.matrix.view(), Layout{});
      group.ways.push_back(std::move(way));
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (Group& group : groups) {
      for (Way& way : group.ways) {
        const bool by_threads = &way == &group.ways.front();
        if (by_threads && ranks.rank() == 0) {
          way.seconds.push_back(
              measure_iteration(*way.prepared, cg_slots(), whole, short_rounds()).median_seconds);
        } else if (!by_threads) {
          way.seconds.push_back(measure_iteration(*way.prepared, cg_slots(), mine.matrix.view(),
                                                  short_rounds(), &mine.part)
                                    .median_seconds);
        }
        ranks.barrier();
      }
    }
  }
  if (ranks.rank() != 0) return;
  std::printf("%4lld^3 %11lld", static_cast<long long>(size), static_cast<long long>(grid.rows));
  for (const Group& group : groups) {
    const Way& threads = group.ways.front();
    std::printf(" %12.2f", threads.microseconds());
    for (std::size_t k = 1; k < group.ways.size(); ++k) {
      std::printf(" %9.2f %6.3f", group.ways[k].microseconds(), group.ways[k].over(threads));
    }
  }
  std::printf("\n");
  std::fflush(stdout);
}

void run(Communicator& ranks, const std::vector<std::int64_t>& sizes) {
  const bool gpu_aware = ranks.carries_gpu_memory();
  if (ranks.rank() == 0) {
    std::printf("%d ranks\n%6s %11s %12s %9s %6s %9s %6s %12s", ranks.size(), "grid", "unknowns",
                "threads", "halo", "ratio", "nccl", "ratio", "host threads");
    for (const ExchangeMode exchange : exchanges_by_hosts(gpu_aware)) {
      std::printf(" %9s %6s", std::string(to_string(exchange)).c_str(), "ratio");
    }
    std::printf("\n");
  }
  for (const std::int64_t size : sizes) race(ranks, size, gpu_aware);
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  std::vector<std::int64_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {40, 79, 128, 200, 256};
  RankEnd end;
  try {
    const auto ranks = open_mpi_ranks([](const std::string& line) {
      std::fprintf(stderr, "ranks_benchmark: %s\n", line.c_str());
    });
    try {
      share_threads(ranks->sharing_cores());
      run(*ranks, sizes);
    } catch (const std::exception& error) {
      end = {1, error.what()};
    }
    end = ranks->conclude(end);
  } catch (const std::exception& error) {
    end = {1, error.what()};
  }
  if (!end.line.empty()) std::fprintf(stderr, "ranks_benchmark: %s\n", end.line.c_str());
  return end.status;
}
