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
//
//   mpirun -n 2 --bind-to none ranks_benchmark --overlap [SIDE...]
//
// what it brings to multiply while NCCL exchanges (`CudaPolicy::fewest_overlapped_bytes`): grids of
// 8e6 unknowns whose halos are squares of these sides, without them 128 256 362 512 724 1024:
//   waits                  products begin when the halo is there
//   overlaps               they begin at once
// and the latter's ratio to the former.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
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

Way way_of(const RankMatrix& mine, const CudaPolicy& policy) {
  Way way;
  way.backend = std::make_unique<CudaBackend>(mine.part, GpuPart(mine.part.ranks->rank()), policy);
  way.prepared = way.backend->prepare(fused_cg_schedule(), mine.matrix.view(), Layout{});
  return way;
}

/// One round.
void measure(Way& way, const RankMatrix& mine) {
  way.seconds.push_back(
      measure_iteration(*way.prepared, cg_slots(), mine.matrix.view(), short_rounds(), &mine.part)
          .median_seconds);
}

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
      group.ways.push_back(way_of(mine, launched(group.launch, exchange)));
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
          measure(way, mine);
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

/// The grid of a square whose planes are shared out.
void race_overlap(Communicator& ranks, std::int64_t side) {
  constexpr std::int64_t unknowns = 8'000'000;
  CsrMatrix<double> grid;
  const std::int64_t planes = std::max<std::int64_t>(ranks.size(), unknowns / (side * side));
  if (ranks.rank() == 0) grid = laplacian(7, side, side, planes);
  const RankMatrix mine =
      distribute_whole(ranks, grid.view(), part_options(Layout{}, false, 1, true));
  std::vector<Way> ways;
  for (const bool overlaps : {false, true}) {
    CudaPolicy policy = launched(LaunchMode::graph, ExchangeMode::nccl);
    policy.fewest_overlapped_bytes = overlaps ? 1 : std::numeric_limits<std::int64_t>::max();
    ways.push_back(way_of(mine, policy));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) measure(way, mine);
  }
  if (ranks.rank() != 0) return;
  std::printf("%4lld^2 %11lld %9.3f %9.2f %9.2f %6.3f\n", static_cast<long long>(side),
              static_cast<long long>(grid.rows), 8e-6 * static_cast<double>(side * side),
              ways[0].microseconds(), ways[1].microseconds(), ways[1].over(ways[0]));
  std::fflush(stdout);
}

void run_overlap(Communicator& ranks, const std::vector<std::int64_t>& sides) {
  if (ranks.rank() == 0) {
    std::printf("%d ranks\n%6s %11s %9s %9s %9s %6s\n", ranks.size(), "halo", "unknowns", "MB",
                "waits", "overlaps", "ratio");
  }
  for (const std::int64_t side : sides) race_overlap(ranks, side);
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
  const bool overlap = argc > 1 && std::string(argv[1]) == "--overlap";
  for (int i = overlap ? 2 : 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty() && overlap) sizes = {128, 256, 362, 512, 724, 1024};
  if (sizes.empty()) sizes = {40, 79, 128, 200, 256};
  RankEnd end;
  try {
    const auto ranks = open_mpi_ranks([](const std::string& line) {
      std::fprintf(stderr, "ranks_benchmark: %s\n", line.c_str());
    });
    try {
      share_threads(ranks->sharing_cores());
      if (overlap) {
        run_overlap(*ranks, sizes);
      } else {
        run(*ranks, sizes);
      }
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
