#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/cuda_segments.hpp"
#include "core/analysis/partition.hpp"
#include "core/cpu/cpu_policy.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/engine/ranks/virtual_ranks.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/cuda_policy.hpp"
#include "model/network/network.hpp"
#include "model/profile/device_profile.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"

namespace sparsecast::testing {

/// Ranks that are joined so, of which so many in a row share a host.
struct SimulatedNetwork {
  int ranks_per_host = 1;
  VirtualRanks::Costs costs;
  double deviation = 0;  ///< of a rank's own work between two sums, over what it should take

  std::vector<std::string> hosts(int ranks) const {
    std::vector<std::string> names;
    for (int rank = 0; rank < ranks; ++rank) names.push_back(std::to_string(rank / ranks_per_host));
    return names;
  }

  /// What somebody would say of it who knows its numbers.
  Network described(Transport transport) const {
    constexpr double giga = 1e9;
    Network network;
    network.name = "simulated";
    network.ranks_per_host = ranks_per_host;
    network.adapters_per_host = costs.adapters;
    network.adapter_gbps = costs.adapter_bytes_per_second / giga;
    network.deviation = deviation;
    TransportCosts& of_transport = network.transports[transport];
    of_transport.fixed_seconds.value = costs.fixed;
    of_transport.message_seconds.value = costs.message;
    const auto describe = [&](LinkClass of_class, const VirtualRanks::Link& link) {
      of_transport.links[of_class] = {{link.latency, 0}, {link.bytes_per_second / giga, 0}};
      // Up the tree and down again.
      of_transport.sum.doubling_seconds[of_class] = {2 * link.latency, 0};
    };
    describe(LinkClass::same_host, costs.near);
    describe(LinkClass::other_host, costs.far);
    return network;
  }
};

/// The parts that so many ranks have of a matrix, by rank. Nobody is joined to them yet.
inline std::vector<RankPart> parts_of(const CsrView<double>& matrix, int ranks) {
  std::vector<RankPart> parts(static_cast<std::size_t>(ranks));
  ThreadRanks::run(ranks, [&](Communicator& all) {
    RankMatrixOptions options;
    options.threads = 1;
    options.row_alignment = gpu_row_alignment;
    RankPart& mine = parts[static_cast<std::size_t>(all.rank())];
    mine = distribute_whole(all, matrix, options).part;
    mine.ranks = nullptr;
  });
  return parts;
}

/// Iterations of a solver on ranks with devices of one kind, each of which takes as long for its
/// steps as the profile's traffic model says of its own rows.
class SimulatedRun {
 public:
  /// In CSR and f64. `schedule` and `parts`, those of the matrix, must outlive it.
  SimulatedRun(const CsrView<double>& matrix, std::span<const RankPart> parts,
               const DeviceProfile& profile, const PricedSchedule& schedule)
      : parts_(parts), schedule_(schedule) {
    const auto ranks = static_cast<int>(parts.size());
    const TrafficProfile& traffic = *profile.traffic;
    const bool on_cpus = traffic.cpu_threads > 0;
    const std::vector<SegmentWork> segments =
        on_cpus ? cpu_segments(matrix, {}, ranks, Precision::f64)
                : cuda_segments(matrix, {}, ranks, Precision::f64, traffic.gpu, CudaPolicy{},
                                ExchangeMode::nccl);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const SegmentWork& one = segments[rank];
      EXPECT_EQ(one.shape.unknowns, static_cast<double>(parts[rank].own.rows()));
      TrafficCase alone{{}, one.shape, one.pattern, {one.product, {}}, one.geometry, {}, one.parts};
      alone.shape.total_unknowns = one.shape.unknowns + one.received;
      if (on_cpus) alone.cpu = {CpuPolicy{}.threads(one.shape, traffic.cpu_threads)};
      prices_.push_back(
          // Where hosts exchange, they launch.
          TrafficPricer(schedule, LaunchMode::host, alone, traffic.gpu, Precision::f64)
              .price(traffic.parameters));
    }
    for (const SumPhase& phase : schedule.phases()) {
      for (const SumPhase::Product& product : phase.products) exchanged_.insert(product.place);
    }
  }

  /// Of one iteration, after a few to get going.
  double seconds_per_iteration(const SimulatedNetwork& network, int iterations) const {
    constexpr int first_iterations = 3;
    std::vector<double> begins(parts_.size());
    std::vector<double> ends(parts_.size());
    VirtualRanks::run(network.hosts(static_cast<int>(parts_.size())), network.costs,
                      [&](Communicator& ranks, const VirtualRanks::Clock& clock) {
                        const auto rank = static_cast<std::size_t>(ranks.rank());
                        RunningRank running(*this, ranks, clock, network.deviation);
                        for (int i = 0; i < first_iterations; ++i) running.iterate();
                        begins[rank] = clock();
                        for (int i = 0; i < iterations; ++i) running.iterate();
                        ends[rank] = clock();
                      });
    return (*std::ranges::max_element(ends) - *std::ranges::max_element(begins)) / iterations;
  }

 private:
  class RunningRank {
   public:
    RunningRank(const SimulatedRun& run, Communicator& ranks, const VirtualRanks::Clock& clock,
                double deviation)
        : run_(run),
          clock_(clock),
          deviation_(deviation),
          part_(run.parts_[static_cast<std::size_t>(ranks.rank())]),
          price_(run.prices_[static_cast<std::size_t>(ranks.rank())]),
          random_(static_cast<unsigned>(ranks.rank()) + 1) {
      part_.ranks = &ranks;
      std::int64_t numbers = part_.own.end_row;
      for (const HaloExchange::ToReceive& each : part_.halo.receives) {
        numbers = std::max(numbers, each.place + each.count);
      }
      vector_.resize(static_cast<std::size_t>(numbers));
      draw();
    }

    void iterate() {
      clock_.advance(price_.launch_seconds);
      for (std::size_t place = 0; place < price_.steps.size(); ++place) {
        if (run_.exchanged_.contains(place)) {
          const std::span<const double> own(vector_.data() + part_.own.begin_row,
                                            static_cast<std::size_t>(part_.own.rows()));
          fetch_halo<double>(part_, own, vector_.data(), packed_);
        }
        clock_.advance(price_.steps[place].seconds * factor_);
        if (!run_.schedule_.kernels()[run_.schedule_.kernel_of_step()[place]].sums) continue;
        double sums[2] = {1, 1};
        part_.ranks->sum(sums);
        draw();
      }
    }

   private:
    void draw() { factor_ = std::max(0.0, 1 + deviation_ * normal_(random_)); }

    const SimulatedRun& run_;
    const VirtualRanks::Clock& clock_;
    const double deviation_;
    RankPart part_;
    const TrafficPrice& price_;
    std::mt19937 random_;
    std::normal_distribution<double> normal_;
    double factor_ = 1;
    std::vector<double> vector_;
    Buffer<double> packed_;
  };

  const std::span<const RankPart> parts_;
  const PricedSchedule& schedule_;
  std::vector<TrafficPrice> prices_;  ///< by rank, alone
  std::set<std::size_t> exchanged_;   ///< places of the products that need values of others
};

}  // namespace sparsecast::testing
