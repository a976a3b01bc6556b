#include "core/cuda/ranks/gpu_links.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/ranks/rank_meeting.cuh"
#include "core/cuda/several/nccl_exchange.cuh"
#include "core/cuda/several/nccl_group.cuh"
#include "core/cuda/several/packed_values.cuh"
#include "core/cuda/vendor/nccl.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"
#include "core/engine/ranks/rank_errors.hpp"

namespace sparsecast {

namespace {

using namespace cuda;

/// As many as a graph of an iteration has or more: its launch is shared among them.
constexpr int calls_of_graph = 8;
/// How long NCCL may take for what is timed.
constexpr double patience_seconds = 60;

/// A rank's part whose values are all sent, to each of `to`, and as many received of each of
/// `from`.
RankPart part_of(Communicator& ranks, std::span<const int> to, std::span<const int> from,
                 std::int64_t bytes) {
  const std::int64_t values = bytes / static_cast<std::int64_t>(sizeof(double));
  RankPart part;
  part.ranks = &ranks;
  part.own = {0, values};
  std::vector<std::int32_t> places(static_cast<std::size_t>(values));
  std::iota(places.begin(), places.end(), 0);
  for (const int rank : to) part.halo.sends.push_back({rank, places});
  for (const int rank : from) {
    const std::int64_t place = values * (1 + std::ssize(part.halo.receives));
    part.halo.receives.push_back({rank, place, values});
  }
  return part;
}

/// Own values, and those that are received.
DeviceArray<double> vector_of(const RankPart& part) {
  return DeviceArray<double>::zeros(part.own.rows() * (1 + std::ssize(part.halo.receives)));
}

/// Packs as many values as take some 5 us, several times.
class GpuWork {
 public:
  explicit GpuWork(Communicator& ranks)
      : part_(part_of(ranks, std::vector{0}, {}, bytes)),
        vector_(vector_of(part_)),
        packed_(part_),
        stream_(Stream::create()) {
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    graph_ = Graph::capture(stream_.get(), [this] {
      const Launch pack = packed_.pack_launch(vector_.data());
      for (int k = 0; k < calls_of_graph; ++k) pack(stream_.get());
    });
  }

  void run(std::int64_t count) const {
    for (std::int64_t k = 0; k < count; ++k) graph_.launch(stream_.get());
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

 private:
  static constexpr std::int64_t bytes = 8 << 20;
  RankPart part_;
  DeviceArray<double> vector_;
  PackedValues<double> packed_;
  Stream stream_;
  Graph graph_;
};

LinkWork own_work_of(Communicator& ranks) {
  std::shared_ptr<GpuWork> work;
  do_together(ranks, [&] { work = std::make_shared<GpuWork>(ranks); });
  return {[work](std::int64_t count) { work->run(count); }, 1};
}

class NcclLinks final : public MeasuredLinks {
 public:
  NcclLinks(Communicator& ranks, const GpuPart& gpu)
      : ranks_(ranks), stream_(opened(ranks, gpu)), group_(ranks) {}

  LinkWork there_and_back(std::int64_t bytes) override {
    const std::vector<int> other{1 - ranks_.rank()};
    auto traffic = std::make_shared<Traffic>();
    traffic->parts.reserve(2);
    for (const bool sends : {other[0] == 1, other[0] == 0}) {
      traffic->parts.push_back(part_of(ranks_, sends ? other : std::vector<int>{},
                                       sends ? std::vector<int>{} : other, bytes));
    }
    connect(*traffic);
    return timed(traffic, [&] {
      // Without what packs.
      for (const auto& launches : traffic->launches()) launches.back()(stream_.get());
    });
  }

  LinkWork exchange(std::span<const int> neighbours, std::int64_t bytes) override {
    auto traffic = std::make_shared<Traffic>();
    traffic->parts.push_back(part_of(ranks_, neighbours, neighbours, bytes));
    connect(*traffic);
    return timed(traffic, [&] {
      const std::vector<std::vector<Launch>> launches = traffic->launches();
      for (const Launch& launch : launches.front()) launch(stream_.get());
    });
  }

  LinkWork sum(int values) override {
    auto traffic = std::make_shared<Traffic>();
    traffic->parts.push_back(part_of(ranks_, {}, {}, values * std::int64_t{sizeof(double)}));
    connect(*traffic);
    const std::span<double> sums(traffic->vectors[0].data(), static_cast<std::size_t>(values));
    return timed(traffic, [&] { traffic->exchanges[0]->sum_launch(sums)(stream_.get()); });
  }

  LinkWork own_work() override { return own_work_of(ranks_); }

 private:
  /// Exchanges one after the other, and the graph that repeats them.
  struct Traffic {
    std::vector<RankPart> parts;
    std::vector<DeviceArray<double>> vectors;
    std::vector<std::unique_ptr<NcclExchange<double>>> exchanges;
    Graph graph;

    std::vector<std::vector<Launch>> launches() const {
      std::vector<std::vector<Launch>> all;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        double* const vector = vectors[i].data();
        all.push_back(exchanges[i]->exchange_launches(vector, vector));
      }
      return all;
    }
  };

  static Stream opened(Communicator& ranks, const GpuPart& gpu) {
    Stream stream;
    do_together(ranks, [&] {
      use_gpu(gpu);
      stream = Stream::create();
    });
    return stream;
  }

  void connect(Traffic& traffic) {
    for (const RankPart& part : traffic.parts) {
      do_together(ranks_, [&] { traffic.vectors.push_back(vector_of(part)); });
      traffic.exchanges.push_back(
          std::make_unique<NcclExchange<double>>(group_, part, stream_.get()));
    }
  }

  template <class Launches>
  LinkWork timed(const std::shared_ptr<Traffic>& traffic, const Launches& launch) {
    do_together(ranks_, [&] {
      SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
      traffic->graph = Graph::capture(stream_.get(), [&] {
        for (int k = 0; k < calls_of_graph; ++k) launch();
      });
    });
    return {[this, traffic](std::int64_t count) {
              for (std::int64_t k = 0; k < count; ++k) traffic->graph.launch(stream_.get());
              group_.wait(stream_.get(), patience_seconds);
            },
            calls_of_graph};
  }

  Communicator& ranks_;
  Stream stream_;
  NcclGroup group_;
};

/// By the communicator.
class MeetingLinks final : public MeasuredLinks {
 public:
  MeetingLinks(Communicator& ranks, const GpuPart& gpu, MessageMemory messages)
      : ranks_(ranks), messages_(messages), hosts_(host_links(ranks)) {
    do_together(ranks, [&] {
      use_gpu(gpu);
      stream_ = Stream::create();
    });
  }

  LinkWork there_and_back(std::int64_t bytes) override {
    const std::vector<int> other{1 - ranks_.rank()};
    const bool first = other[0] == 1;
    const std::vector<int> nobody;
    return in_turn(first ? traffic_of(other, nobody, bytes) : traffic_of(nobody, other, bytes),
                   first ? traffic_of(nobody, other, bytes) : traffic_of(other, nobody, bytes));
  }

  LinkWork exchange(std::span<const int> neighbours, std::int64_t bytes) override {
    return in_turn(traffic_of(neighbours, neighbours, bytes), nullptr);
  }

  LinkWork sum(int values) override { return hosts_->sum(values); }
  LinkWork own_work() override { return own_work_of(ranks_); }

 private:
  struct Traffic {
    RankPart part;
    DeviceArray<double> vector;
    std::optional<RankMeeting<double>> meeting;

    void exchange(cudaStream_t stream) {
      meeting->exchange(part.ranks->rank(), vector.data(), vector.data(), stream);
    }
  };

  std::shared_ptr<Traffic> traffic_of(std::span<const int> to, std::span<const int> from,
                                      std::int64_t bytes) {
    auto traffic = std::make_shared<Traffic>();
    do_together(ranks_, [&] {
      traffic->part = part_of(ranks_, to, from, bytes);
      traffic->vector = vector_of(traffic->part);
      traffic->meeting.emplace(traffic->part, messages_);
      SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    });
    return traffic;
  }

  LinkWork in_turn(const std::shared_ptr<Traffic>& one, const std::shared_ptr<Traffic>& other) {
    return {[this, one, other](std::int64_t count) {
              for (std::int64_t k = 0; k < count; ++k) {
                one->exchange(stream_.get());
                if (other) other->exchange(stream_.get());
              }
              SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
            },
            1};
  }

  Communicator& ranks_;
  const MessageMemory messages_;
  std::unique_ptr<MeasuredLinks> hosts_;
  Stream stream_;
};

}  // namespace

std::unique_ptr<MeasuredLinks> nccl_links(Communicator& ranks, const GpuPart& gpu) {
  return std::make_unique<NcclLinks>(ranks, gpu);
}

std::unique_ptr<MeasuredLinks> staged_links(Communicator& ranks, const GpuPart& gpu) {
  return std::make_unique<MeetingLinks>(ranks, gpu, MessageMemory::host);
}

std::unique_ptr<MeasuredLinks> gpu_aware_links(Communicator& ranks, const GpuPart& gpu) {
  return std::make_unique<MeetingLinks>(ranks, gpu, MessageMemory::gpu);
}

std::string nccl_version() {
  int version = 0;
  SPARSECAST_VENDOR_CHECK(nccl().get_version(&version));
  return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

}  // namespace sparsecast
