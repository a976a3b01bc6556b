#include "predict/forecast/traffic/simulated_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/links/link_law_fit.hpp"
#include "calibrate/links/link_measurement.hpp"
#include "core/engine/own_solver.hpp"
#include "core/engine/ranks/measured_links.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/matrix_orders.hpp"
#include "predict/predict_matrix.hpp"

namespace sparsecast {
namespace {

using testing::SimulatedNetwork;
using testing::SimulatedRun;

constexpr const char* gpu = "nvidia-h200";
constexpr const char* cpu = "intel-xeon-h200-host-2cores";

/// Some GPUs, or CPUs, of which several may share a host and its adapters, each as fast as a rank's
/// own link.
struct Joined {
  int ranks = 0;
  int ranks_per_host = 1;
  int adapters = 1;
  double far_microseconds = 0;
  double far_gbps = 25;
  double deviation = 0.02;

  SimulatedNetwork network() const {
    SimulatedNetwork simulated;
    simulated.ranks_per_host = ranks_per_host;
    simulated.deviation = deviation;
    VirtualRanks::Costs& costs = simulated.costs;
    costs.fixed = 3e-6;
    costs.message = 0.3e-6;
    costs.near = {1e-6, 100e9};
    costs.far = {1e-6 * far_microseconds, 1e9 * far_gbps};
    costs.adapters = adapters;
    costs.adapter_bytes_per_second = costs.far.bytes_per_second;
    return simulated;
  }
};

CsrMatrix<double> banded(std::int64_t rows, double bandwidth_fraction) {
  RandomMatrixSpec spec;
  spec.rows = rows;
  spec.mean_row_length = 20;
  spec.stddev_row_length = 5;
  spec.bandwidth_fraction = bandwidth_fraction;
  return random_matrix(spec);
}

/// A matrix, and its parts on numbers of ranks.
class TestMatrix {
 public:
  explicit TestMatrix(CsrMatrix<double> matrix, Renumbering how = Renumbering::none)
      : matrix_(std::move(matrix)), orders_(matrix_.view(), {}, how) {}

  MatrixOrders& orders() { return orders_; }
  const std::vector<RankPart>& parts(int ranks) {
    const auto [place, first] = parts_.try_emplace(ranks);
    if (first) place->second = testing::parts_of(orders_.on(ranks).matrix(), ranks);
    return place->second;
  }

 private:
  CsrMatrix<double> matrix_;
  MatrixOrders orders_;
  std::map<int, std::vector<RankPart>> parts_;
};

/// What is compared.
class ForecastsAndRuns {
 public:
  /// Of the solver on ranks of the profile's device, which somebody describes so.
  void add(const std::string& name, TestMatrix& matrix, const char* profile_name,
           const std::string& solver, const Joined& joined, Network described) {
    DeviceProfile profile = read_profile(profile_name);
    profile.links.clear();
    profile.network = std::move(described);
    PredictionRequest request;
    request.devices = {joined.ranks};
    request.schedules = {solver};
    request.layouts = {Layout{}};
    const Solver* listed = find_built_in(solver);
    if (listed == nullptr) {
      request.own = {OwnSolver(shipped_method(solver), {}).priced()};
      listed = &request.own.front();
    }
    const double forecast =
        predict_matrix(matrix.orders(), profile, request).front().seconds_per_iteration;
    const PricedSchedule schedule(listed->schedule);
    const SimulatedRun run(matrix.orders().on(joined.ranks).matrix(), matrix.parts(joined.ranks),
                           profile, schedule);
    const double seconds = run.seconds_per_iteration(joined.network(), joined.ranks > 16 ? 25 : 60);
    errors_.push_back(std::abs(forecast / seconds - 1));
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(),
                  "%-16s %-28s %-13s %3d ranks, %d a host, %d adapters of %5.2f GB/s, %2.0f us: "
                  "run %7.2f us, forecast %+6.2f %%\n",
                  name.c_str(), profile_name, solver.c_str(), joined.ranks, joined.ranks_per_host,
                  joined.adapters, joined.far_gbps, joined.far_microseconds, 1e6 * seconds,
                  100 * (forecast / seconds - 1));
    table_ += line.data();
  }

  std::size_t count() const { return errors_.size(); }
  double mean() const {
    double sum = 0;
    for (const double error : errors_) sum += error;
    return sum / static_cast<double>(errors_.size());
  }
  double worst() const { return *std::ranges::max_element(errors_); }
  const std::string& table() const { return table_; }

 private:
  std::vector<double> errors_;
  std::string table_;
};

void expect_forecast(const ForecastsAndRuns& all) {
  std::cout << all.table() << all.count() << " cases: mean error " << all.mean() << ", worst "
            << all.worst() << '\n';
  EXPECT_LE(all.mean(), 0.06);
  EXPECT_LE(all.worst(), 0.2);
}

Transport transport_of(const char* profile) {
  return std::string_view(profile) == cpu ? Transport::mpi : Transport::staged;
}

TEST(ForecastOfANetwork, MeetsTheRun) {
  TestMatrix seven(laplacian(7, 48, 48, 48));
  TestMatrix slabs(laplacian(27, 40, 40, 40));
  TestMatrix boxes(laplacian(27, 40, 40, 40), Renumbering::metis);
  TestMatrix elements(fem_elasticity(1, 18, 1), Renumbering::metis);
  TestMatrix band(banded(60'000, 0.02));
  TestMatrix wide(banded(20'000, 0.5));
  ForecastsAndRuns all;
  const auto add = [&](const char* name, TestMatrix& matrix, const char* profile,
                       const char* solver, const Joined& joined) {
    all.add(name, matrix, profile, solver, joined,
            joined.network().described(transport_of(profile)));
  };
  for (const char* profile : {gpu, cpu}) {
    add("7-point", seven, profile, "fused", {4, 1, 1, 1});
    add("7-point", seven, profile, "bicgstab", {8, 4, 1, 5});
    add("7-point", seven, profile, "fused", {6, 3, 1, 5});
    add("7-point", seven, profile, "pipelined-cg", {8, 1, 1, 5, 1.25});
    add("27-point", slabs, profile, "fused", {8, 8, 1, 5});
    add("27-point", slabs, profile, "bicgstab", {16, 8, 2, 30});
    add("27-point", slabs, profile, "pipelined-cg", {4, 4, 4, 1});
    add("27-point, METIS", boxes, profile, "fused", {12, 4, 1, 2});
    add("27-point, METIS", boxes, profile, "fused", {16, 4, 1, 5, 1.25});
    add("27-point, METIS", boxes, profile, "pipelined-cg", {16, 4, 4, 5, 1.25});
    add("27-point, METIS", boxes, profile, "bicgstab", {64, 8, 8, 5});
    add("27-point, METIS", boxes, profile, "fused", {64, 8, 1, 5, 1.25});
    add("FEM, METIS", elements, profile, "bicgstab", {8, 1, 1, 10});
    add("FEM, METIS", elements, profile, "pipelined-cg", {16, 4, 2, 5, 2.5, 0.05});
    add("FEM, METIS", elements, profile, "fused", {64, 4, 4, 2});
    add("FEM, METIS", elements, profile, "chebyshev", {8, 4, 2, 5});
    add("band", band, profile, "minres", {8, 4, 1, 10, 2.5});
    add("band", band, profile, "pipelined-cg", {16, 8, 4, 5});
    add("band", band, profile, "fused", {16, 8, 1, 5, 1.25});
    add("band", band, profile, "bicgstab", {8, 4, 1, 2, 25, 0.05});
    add("wide band", wide, profile, "fused", {8, 4, 1, 5, 1.25});
    add("wide band", wide, profile, "fused", {16, 4, 4, 5, 2.5});
    add("wide band", wide, profile, "pipelined-cg", {16, 1, 1, 5, 25});
    add("wide band", wide, profile, "bicgstab", {64, 8, 8, 5, 12.5});
  }
  expect_forecast(all);
}

/// Who measures such a network: messages cost what the simulation says, a rank's own work what it
/// says of that.
class LinksOfVirtualRanks : public MeasuredLinks {
 public:
  LinksOfVirtualRanks(Communicator& ranks, const VirtualRanks::Clock& clock, double deviation)
      : links_(host_links(ranks)),
        clock_(clock),
        deviation_(deviation),
        random_(static_cast<unsigned>(ranks.rank()) + 1) {}

  LinkWork there_and_back(std::int64_t bytes) override { return links_->there_and_back(bytes); }
  LinkWork exchange(std::span<const int> neighbours, std::int64_t bytes) override {
    return links_->exchange(neighbours, bytes);
  }
  LinkWork sum(int values) override { return links_->sum(values); }
  LinkWork own_work() override {
    return {[this](std::int64_t count) {
              for (std::int64_t i = 0; i < count; ++i) {
                clock_.advance(50e-6 * (1 + deviation_ * normal_(random_)));
              }
            },
            1};
  }

 private:
  std::unique_ptr<MeasuredLinks> links_;
  const VirtualRanks::Clock& clock_;
  double deviation_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/// As `calibrate --links` makes it on so many ranks.
Network measured(const SimulatedNetwork& network, Transport transport, int ranks) {
  const std::vector<std::string> hosts = network.hosts(ranks);
  LinkSampleFile file;
  file.adapters_per_host = network.costs.adapters;
  VirtualRanks::run(hosts, network.costs, [&](Communicator& all, const VirtualRanks::Clock& clock) {
    LinkMeasurement measurement{transport,
                                [&](Communicator& some) {
                                  return std::make_unique<LinksOfVirtualRanks>(some, clock,
                                                                               network.deviation);
                                },
                                clock,
                                {}};
    measurement.stopwatch.min_round_seconds = 2e-5;
    measurement.stopwatch.min_rounds = 3;
    measurement.stopwatch.max_seconds = 1e-4;
    std::vector<LinkSample> samples =
        measure_rank_links(all, hosts, measurement, [](double, const std::string&) {});
    if (all.rank() == 0) file.samples = std::move(samples);
  });
  return fit_network(file, "measured").network;
}

TEST(ForecastOfANetwork, MeetsTheRunByWhatWasMeasuredOnIt) {
  TestMatrix boxes(laplacian(27, 40, 40, 40), Renumbering::metis);
  TestMatrix band(banded(60'000, 0.02));
  ForecastsAndRuns all;
  for (const char* profile : {gpu, cpu}) {
    for (const Joined& joined :
         {Joined{8, 4, 2, 10, 5}, Joined{4, 1, 1, 2, 12.5}, Joined{16, 4, 1, 5, 2.5}}) {
      // On fewer ranks than will run.
      const Network network =
          measured(joined.network(), transport_of(profile), std::min(joined.ranks, 8));
      EXPECT_NEAR(network.deviation, joined.deviation, 0.2 * joined.deviation);
      all.add("27-point, METIS", boxes, profile, "fused", joined, network);
      all.add("band", band, profile, "bicgstab", joined, network);
    }
  }
  expect_forecast(all);
}

}  // namespace
}  // namespace sparsecast
