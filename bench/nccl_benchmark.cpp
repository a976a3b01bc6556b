// What several GPUs cost each other in an iteration, by our kernels and by NCCL, in one run.
//
//   nccl_benchmark [DEVICES...]      how many GPUs, each from cuda:0 on; 2 and all
//
//   sum        two doubles over all GPUs: a step of ours that only meets; ncclAllReduce
//   exchange   a vector of f64 of which each GPU has a part, whole afterwards on all: `peer`;
//              ncclAllGather
//
// NCCL's calls are captured in CUDA graphs, one of `calls` calls a GPU, each launched by a thread
// of its own. Microseconds a call, medians of `rounds`, in which both take turns; ratios are
// medians of rounds, too.

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bench/cuda_race.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 9;
constexpr int calls = 16;

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) throw Error(std::string(call) + ": " + ncclGetErrorString(result));
}
#define CHECK_NCCL(call) check_nccl((call), #call)

/// Seconds of one of `count` more: what a run costs besides is in both.
double marginal_seconds(std::int64_t count, const std::function<void(std::int64_t)>& run) {
  const auto seconds = [&](std::int64_t times) {
    const double start = steady_seconds();
    run(times);
    return steady_seconds() - start;
  };
  const double once = seconds(count);
  return (seconds(2 * count) - once) / static_cast<double>(count);
}

/// One call of NCCL on every GPU, `calls` times in a graph.
class NcclGraphs {
 public:
  using Call = std::function<void(double* own, double* all, ncclComm_t, cudaStream_t)>;

  NcclGraphs(int devices, std::int64_t values, const Call& call)
      : team_(devices), places_(static_cast<std::size_t>(devices)) {
    std::vector<ncclComm_t> communicators(places_.size());
    std::vector<int> list(places_.size());
    std::iota(list.begin(), list.end(), 0);
    CHECK_NCCL(ncclCommInitAll(communicators.data(), devices, list.data()));
    team_.run([&](int i) {
      Place& place = places_[static_cast<std::size_t>(i)];
      place.communicator = communicators[static_cast<std::size_t>(i)];
      SPARSECAST_CUDA_CHECK(cudaSetDevice(i));
      const std::size_t bytes = static_cast<std::size_t>(values) * sizeof(double);
      SPARSECAST_CUDA_CHECK(cudaMalloc(&place.memory, bytes));
      SPARSECAST_CUDA_CHECK(cudaMemset(place.memory, 0, bytes));
      SPARSECAST_CUDA_CHECK(cudaStreamCreateWithFlags(&place.stream, cudaStreamNonBlocking));
      double* own = place.memory + i * (values / devices);
      call(own, place.memory, place.communicator, place.stream);  // connects them
      SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(place.stream));
      SPARSECAST_CUDA_CHECK(cudaStreamBeginCapture(place.stream, cudaStreamCaptureModeThreadLocal));
      for (int k = 0; k < calls; ++k) call(own, place.memory, place.communicator, place.stream);
      cudaGraph_t graph = nullptr;
      SPARSECAST_CUDA_CHECK(cudaStreamEndCapture(place.stream, &graph));
      SPARSECAST_CUDA_CHECK(cudaGraphInstantiate(&place.graph, graph, 0));
      SPARSECAST_CUDA_CHECK(cudaGraphDestroy(graph));
    });
  }
  NcclGraphs(const NcclGraphs&) = delete;
  NcclGraphs& operator=(const NcclGraphs&) = delete;
  ~NcclGraphs() {
    team_.run([&](int i) {
      const Place& place = places_[static_cast<std::size_t>(i)];
      cudaSetDevice(i);
      cudaGraphExecDestroy(place.graph);
      cudaStreamDestroy(place.stream);
      ncclCommDestroy(place.communicator);
      cudaFree(place.memory);
    });
  }

  void run(std::int64_t launches) {
    team_.run([&](int i) {
      const Place& place = places_[static_cast<std::size_t>(i)];
      SPARSECAST_CUDA_CHECK(cudaSetDevice(i));
      for (std::int64_t k = 0; k < launches; ++k) {
        SPARSECAST_CUDA_CHECK(cudaGraphLaunch(place.graph, place.stream));
      }
      SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(place.stream));
    });
  }

 private:
  struct Place {
    ncclComm_t communicator = nullptr;
    double* memory = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t graph = nullptr;
  };
  ThreadTeam team_;
  std::vector<Place> places_;
};

void race_and_print(int devices, const std::string& what, std::int64_t values,
                    const Schedule& schedule, const NcclGraphs::Call& call) {
  std::vector<GpuPart> list(static_cast<std::size_t>(devices));
  std::iota(list.begin(), list.end(), 0);
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::graph;
  policy.exchange = ExchangeMode::peer;
  CudaBackend backend(list, policy);
  const auto prepared = backend.prepare_vectors_f64(schedule, values);
  NcclGraphs graphs(devices, values, call);
  constexpr std::int64_t launches = 32;
  std::vector<Contestant> contestants{
      {"ours",
       true,
       [&] { return marginal_seconds(launches * calls, [&](auto n) { prepared->run(n); }); },
       {}},
      {"nccl",
       false,
       [&] { return marginal_seconds(launches, [&](auto n) { graphs.run(n); }) / calls; },
       {}}};
  race(contestants, rounds);
  const double ours = median(contestants[0].seconds);
  const double nccl = median(contestants[1].seconds);
  std::printf("%4d  %-8s  %10.0f  %9.2f  %9.2f  %11.2f\n", devices, what.c_str(),
              static_cast<double>(values) * sizeof(double), 1e6 * ours, 1e6 * nccl,
              ratio(contestants[1], contestants[0]).median_seconds);
  std::fflush(stdout);
}

void run(int devices) {
  constexpr std::int64_t line = 32;  // of values that belong to one GPU
  race_and_print(
      devices, "sum", line * devices, barrier_schedule(),
      [](double*, double* all, ncclComm_t communicator, cudaStream_t stream) {
        CHECK_NCCL(ncclAllReduce(all, all, 2, ncclDouble, ncclSum, communicator, stream));
      });
  for (const std::int64_t part : {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22}) {
    race_and_print(devices, "exchange", part * devices, exchange_schedule(),
                   [part](double* own, double* all, ncclComm_t communicator, cudaStream_t stream) {
                     CHECK_NCCL(ncclAllGather(own, all, static_cast<std::size_t>(part), ncclDouble,
                                              communicator, stream));
                   });
  }
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  // Multicast needs rights to the switch that not every machine gives.
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  try {
    const auto there = static_cast<int>(list_gpus().devices.size());
    std::vector<int> numbers;
    for (int i = 1; i < argc; ++i) numbers.push_back(std::atoi(argv[i]));
    if (numbers.empty()) numbers = there > 2 ? std::vector{2, there} : std::vector{2};
    int version = 0;
    CHECK_NCCL(ncclGetVersion(&version));
    std::printf(
        "NCCL %d, %d GPUs there\nGPUs  what           bytes    ours us    NCCL us  NCCL / ours\n",
        version, there);
    for (const int devices : numbers) {
      if (devices < 2 || devices > there) {
        throw Error("nccl_benchmark " + std::to_string(devices) + ": there are " +
                    std::to_string(there) + " GPUs; give numbers from 2 to that");
      }
      run(devices);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
