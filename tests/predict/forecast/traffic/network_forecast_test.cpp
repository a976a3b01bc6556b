#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "model/network/example_network.hpp"
#include "model/network/network_file.hpp"
#include "model/network/rank_traffic.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/features/predict_features.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/profile_limits.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/data/validation_csv.hpp"

namespace sparsecast {
namespace {

DeviceProfile joined(const std::string& name, int ranks_per_host = 2) {
  DeviceProfile profile = read_profile(name);
  profile.network = example_network();
  profile.network->ranks_per_host = ranks_per_host;
  profile.network->transports[Transport::mpi] = profile.network->transports.at(Transport::nccl);
  return profile;
}

std::map<int, Prediction> predict_grid(const DeviceProfile& profile, std::vector<int> devices) {
  const CsrMatrix<double> grid = laplacian(7, 40, 40, 40);
  PredictionRequest request;
  request.layouts = {Layout{}};
  request.devices = std::move(devices);
  std::map<int, Prediction> by_devices;
  for (const Prediction& each :
       predict_matrix(grid.view(), compute_features(grid.view()), profile, request)) {
    if (each.launch != LaunchMode::persistent) by_devices[each.devices] = each;
  }
  return by_devices;
}

TEST(NetworkForecast, RanksOfOneHostTakeTheProfilesLinksAndMoreTheNetwork) {
  const DeviceProfile profile = joined("nvidia-h200");
  EXPECT_FALSE(profile.is_on_network(1));
  EXPECT_FALSE(profile.is_on_network(2));
  EXPECT_TRUE(profile.is_on_network(3));
  EXPECT_TRUE(joined("nvidia-h200", 64).is_on_network(64));
  EXPECT_FALSE(read_profile("nvidia-h200").is_on_network(64));
  EXPECT_TRUE(joined("amd-epyc-zen4-2cores").is_on_network(2));
}

TEST(NetworkForecast, AddsExchangesSumsAndTheWaitForTheSlowest) {
  const auto forecasts = predict_grid(joined("nvidia-h200"), {2, 4});
  const Prediction& two = forecasts.at(2);
  EXPECT_EQ(two.exchange, ExchangeMode::halo);
  const Prediction& four = forecasts.at(4);
  EXPECT_EQ(four.exchange, ExchangeMode::nccl);
  const TrafficPrice& price = four.traffic->price;
  // Of slabs the inner ones have a neighbour on each side, one of them on the other host; 40 x 40
  // values from each.
  const double exchange = 5e-6 + 1e-6 + 9e-6 + 8 * 1600 / 20e9;
  const double sum = 4e-6 + 3e-6 + 1e-5;
  // NCCL makes it with the longer sum before it.
  EXPECT_NEAR(price.exchange_seconds, 0, 1e-10);
  EXPECT_GT(price.device_sum_seconds, 2 * sum);
  EXPECT_LT(price.device_sum_seconds, 2 * sum + 0.1 * four.seconds_per_iteration);
  ASSERT_TRUE(four.interval_seconds);
  EXPECT_LT(four.interval_seconds->low, four.seconds_per_iteration);
  EXPECT_GT(four.interval_seconds->high, four.seconds_per_iteration);
  EXPECT_TRUE(four.warnings.empty()) << four.warnings.front();

  DeviceProfile slow = joined("nvidia-h200");
  slow.network->transports.at(Transport::nccl).fixed_seconds.value += 1e-4;
  EXPECT_NEAR(predict_grid(slow, {4}).at(4).traffic->price.exchange_seconds, exchange + 1e-4 - sum,
              1e-10);
}

TEST(NetworkForecast, IsOfTheFirstTransportOfGpusThatTheNetworkKnows) {
  DeviceProfile profile = joined("nvidia-h200");
  std::map<Transport, TransportCosts>& transports = profile.network->transports;
  TransportCosts costs = transports.at(Transport::nccl);
  transports = {{Transport::staged, costs}};
  const Prediction staged = predict_grid(profile, {4}).at(4);
  EXPECT_EQ(staged.exchange, ExchangeMode::staged);
  EXPECT_EQ(staged.launch, LaunchMode::host);
  costs.fixed_seconds.value -= 2e-6;
  transports[Transport::gpu_aware] = costs;
  // Ranks take it only where it is asked for.
  EXPECT_EQ(predict_grid(profile, {4}).at(4).exchange, ExchangeMode::staged);
  transports = {{Transport::gpu_aware, costs}};
  const Prediction aware = predict_grid(profile, {4}).at(4);
  EXPECT_EQ(aware.exchange, ExchangeMode::gpu_aware);
  EXPECT_EQ(aware.launch, LaunchMode::host);
  EXPECT_NEAR(aware.traffic->price.exchange_seconds, staged.traffic->price.exchange_seconds - 2e-6,
              1e-10);
  transports[Transport::nccl] = costs;
  EXPECT_EQ(predict_grid(profile, {4}).at(4).exchange, ExchangeMode::nccl);
}

/// What ranks would have measured of this forecast, as raw data keeps it.
ValidationData raw_data_of(const Prediction& forecast, double unknowns) {
  ValidationRow row;
  row.matrix = "grid";
  row.pattern = "0";
  row.unknowns = static_cast<std::int64_t>(unknowns);
  row.devices = forecast.devices;
  row.schedule = forecast.schedule;
  if (forecast.launch) row.launch = to_string(*forecast.launch);
  if (forecast.exchange) row.exchange = to_string(*forecast.exchange);
  row.work = *forecast.traffic->segments;
  for (const SegmentWork& one : row.work) row.segments.push_back(one.shape);
  row.measured_seconds = 1;
  row.rounds = 1;
  return parse_validation_csv(validation_to_csv({{}, {row}}), "raw.csv");
}

TEST(NetworkForecast, PricesWhatRanksMeasuredAgain) {
  std::vector<DeviceProfile> profiles{joined("amd-epyc-zen4-2cores")};
  for (const Transport transport : {Transport::nccl, Transport::staged, Transport::gpu_aware}) {
    DeviceProfile profile = joined("nvidia-h200");
    profile.links.clear();  // on one host, too
    const TransportCosts costs = profile.network->transports.at(Transport::nccl);
    profile.network->transports = {{transport, costs}};
    profile.network->transports[transport].fixed_seconds.value *= 1 + static_cast<int>(transport);
    profiles.push_back(profile);
  }
  DeviceProfile all = joined("nvidia-h200");
  for (const DeviceProfile& profile : profiles) {
    all.network->transports.insert(profile.network->transports.begin(),
                                   profile.network->transports.end());
  }
  all.network->transports.at(Transport::nccl) = profiles[1].network->transports.at(Transport::nccl);
  for (const DeviceProfile& profile : profiles) {
    const bool cpu = profile.kind == DeviceProfile::Kind::cpu;
    for (const auto& [devices, forecast] : predict_grid(profile, {2, 4})) {
      SCOPED_TRACE(std::to_string(devices) + " ranks, " + profile.name + ", " +
                   std::string(to_string(transport_on(profile))));
      ValidationData data = raw_data_of(forecast, 64000);
      price_data(data, cpu ? profile : all, "", CurveKind::average);
      const ValidationRow& row = data.rows.front();
      EXPECT_NEAR(row.predicted_seconds, forecast.seconds_per_iteration,
                  1e-12 * forecast.seconds_per_iteration);
      ASSERT_TRUE(row.interval_seconds && forecast.interval_seconds);
      EXPECT_NEAR(row.interval_seconds->high, forecast.interval_seconds->high,
                  1e-12 * forecast.seconds_per_iteration);
      EXPECT_EQ(data.about.at("network"), "example");

      DeviceProfile alone = cpu ? profile : all;
      alone.network.reset();
      data.about[ranks_per_host_key] = "2";
      data.source = "raw.csv";
      try {
        price_data(data, alone, "", CurveKind::average);
        FAIL() << "a forecast without the network";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("give the --network that joined its ranks"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(NetworkForecast, SaysThatNobodyMeasuredADataSheet) {
  DeviceProfile profile = joined("nvidia-h200");
  profile.network->origin = Network::Origin::data_sheet;
  const Prediction four = predict_grid(profile, {4}).at(4);
  ASSERT_EQ(four.warnings.size(), 1U);
  EXPECT_NE(four.warnings.front().find("'example' is from data sheets"), std::string::npos);
}

TEST(NetworkForecast, ItsErrorsWidenTheInterval) {
  DeviceProfile profile = joined("nvidia-h200");
  const Prediction uncertain = predict_grid(profile, {8}).at(8);
  profile.network = shifted(*profile.network, 0);
  for (auto& [of, cost] : profile.network->transports.at(Transport::nccl).sum.doubling_seconds) {
    cost.error = 0;
  }
  const Prediction certain = predict_grid(profile, {8}).at(8);
  EXPECT_EQ(certain.seconds_per_iteration, uncertain.seconds_per_iteration);
  EXPECT_LT(certain.interval_seconds->high, uncertain.interval_seconds->high);
  EXPECT_GT(certain.interval_seconds->low, uncertain.interval_seconds->low);
}

TEST(NetworkForecast, ProfilesThatTheNetworkCannotJoinStayAlone) {
  std::vector<DeviceProfile> profiles{read_profile("amd-epyc-zen4-2cores"),
                                      read_profile("nvidia-h200")};
  EXPECT_EQ(common_network(profiles), nullptr);
  Network network = example_network();
  network.transports.erase(Transport::mpi);
  const std::vector<std::string> alone = join(profiles, network);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone.front(),
            "network 'example' does not know mpi, so amd-epyc-zen4-2cores is not "
            "joined by it");
  EXPECT_FALSE(profiles[0].network);
  ASSERT_TRUE(profiles[1].network);
  EXPECT_EQ(common_network(profiles), &*profiles[1].network);
  // The only one: its forecast says what is missing.
  std::vector<DeviceProfile> one{read_profile("amd-epyc-zen4-2cores")};
  EXPECT_TRUE(join(one, network).empty());
  EXPECT_THROW(predict_grid(one[0], {8}), Error);
}

TEST(NetworkForecast, OfCpusIsByMpi) {
  const auto forecasts = predict_grid(joined("amd-epyc-zen4-2cores", 1), {1, 8});
  const Prediction& eight = forecasts.at(8);
  EXPECT_FALSE(eight.exchange);
  EXPECT_FALSE(eight.launch);
  EXPECT_LT(eight.seconds_per_iteration, forecasts.at(1).seconds_per_iteration);
  EXPECT_GT(eight.parts.exchange, 0);
  DeviceProfile without = joined("amd-epyc-zen4-2cores", 1);
  without.network->transports.erase(Transport::mpi);
  EXPECT_THROW(predict_grid(without, {8}), Error);
}

TEST(NetworkForecast, FromAFeaturesFileIsTheSameToTheLastBit) {
  const CsrMatrix<double> grid = laplacian(7, 30, 30, 30);
  const DeviceProfile profile = joined("nvidia-h200");
  MatrixOrders orders(grid.view(), std::nullopt);
  CountRequest counted;
  counted.devices = {4, 8};
  counted.gpus = {profile.traffic->gpu};
  ForecastFeatures features = count_features(orders, "grid", counted);
  PredictionRequest request;
  request.layouts = {Layout{}};
  request.devices = {4, 8};
  for (const DeviceProfile& each : {profile, joined("amd-epyc-zen4-2cores", 1)}) {
    const auto there = predict_matrix(orders, each, request);
    const auto here = predict_features(features, each, request);
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(here[i].seconds_per_iteration, there[i].seconds_per_iteration);
      EXPECT_EQ(here[i].interval_seconds->high, there[i].interval_seconds->high);
    }
  }
  // One of an older version says nothing of neighbours.
  for (CountedLayout& layout : features.layouts) {
    for (auto& [devices, partition] : layout.partitions) {
      for (SegmentCounts& segment : partition.segments) segment.neighbours.reset();
    }
  }
  EXPECT_THROW(predict_features(features, profile, request), Error);
}

TEST(NetworkForecast, FromNumbersAloneIsOfCompactParts) {
  RowNumbers rows;
  rows.mean_distance = 2885;
  rows.neighbours = 0.86;
  PredictionRequest request;
  request.devices = {64};
  for (const DeviceProfile& profile :
       {joined("nvidia-h200", 8), joined("amd-epyc-zen4-2cores", 1)}) {
    const Prediction one = predict_numbers(1e6, 6.94e6, Layout{}, profile, request, rows).front();
    // Slabs of 1.6 planes have ten times as much to send.
    EXPECT_LT(one.traffic->segments->front().received, 5000) << profile.name;
    EXPECT_GT(one.traffic->segments->front().received, 1000) << profile.name;
  }
}

Prediction predict_on(int devices, double unknowns) {
  PredictionRequest request;
  request.devices = {devices};
  request.launches = {LaunchMode::graph};
  return predict_numbers(unknowns, 27 * unknowns, Layout{}, joined("nvidia-h200", 8), request)
      .front();
}

TEST(NetworkForecast, ARankHoldsItsRowsAndTheirHaloAlone) {
  const Prediction many = predict_on(1024, 1.024e10);
  ASSERT_TRUE(many.fits.has_value());
  EXPECT_TRUE(*many.fits);
  // As much as a device of a system of its share, but for the halo.
  const Prediction share = predict_on(1, 1e7);
  EXPECT_GT(many.bytes_per_device, share.bytes_per_device);
  EXPECT_LT(many.bytes_per_device, share.bytes_per_device + share.bytes_per_device / 50);
}

TEST(NetworkForecast, TheIntervalDependsOnWhatARankTouches) {
  const auto width = [](int devices) {
    const Prediction one = predict_on(devices, 1e7 * devices);
    return one.interval_seconds->high / one.seconds_per_iteration;
  };
  EXPECT_NEAR(width(4096), width(64), 0.1 * width(64));
}

TEST(NetworkForecast, RanksSetUpTheirOwnPartsAtOnce) {
  const Prediction many = predict_on(1024, 1.024e10);
  const Prediction share = predict_on(1, 1e7);
  EXPECT_NEAR(*many.upload_seconds, *share.upload_seconds, 1e-3 * *share.upload_seconds);
  EXPECT_NEAR(*many.conversion_seconds, *share.conversion_seconds,
              1e-3 * *share.conversion_seconds);
}

TEST(NetworkForecast, SoDoRanksOfOneHostWhoseKernelsReachEachOther) {
  const Prediction two = predict_on(2, 2e7);
  EXPECT_EQ(two.exchange, ExchangeMode::halo);
  const Prediction share = predict_on(1, 1e7);
  EXPECT_LT(two.bytes_per_device, share.bytes_per_device + share.bytes_per_device / 50);
  EXPECT_NEAR(*two.upload_seconds, *share.upload_seconds, 1e-3 * *share.upload_seconds);
  // One process has both whole vectors, and sets up one device after the other.
  PredictionRequest request;
  request.devices = {2};
  const Prediction threads =
      predict_numbers(2e7, 27 * 2e7, Layout{}, read_profile("nvidia-h200"), request).front();
  EXPECT_GT(threads.bytes_per_device, two.bytes_per_device);
  EXPECT_GT(*threads.upload_seconds, 1.5 * *two.upload_seconds);
}

TEST(NetworkForecast, SaysWhereMoreIsTouchedThanWasEverMeasured) {
  const auto warnings = [](const DeviceProfile& profile, int devices) {
    PredictionRequest request;
    request.devices = {devices};
    request.launches = {LaunchMode::graph};
    const Prediction one =
        predict_numbers(2e8 * devices, 27 * 2e8 * devices, Layout{}, profile, request).front();
    EXPECT_TRUE(one.interval_seconds);
    std::string all;
    for (const std::string& warning : one.warnings) all += warning + '\n';
    return all;
  };
  const char* said = "touches more memory than any that calibration measured";
  EXPECT_NE(warnings(joined("nvidia-h200", 8), 16).find(said), std::string::npos);
  EXPECT_NE(warnings(read_profile("nvidia-h200"), 2).find(said), std::string::npos);
}

TEST(NetworkForecast, IntervalsOfLinksAreNoNarrowerThanThatOfOneDeviceInTheLayout) {
  PredictionRequest request;
  request.devices = {1, 2};
  request.launches = {LaunchMode::graph};
  const std::vector<Prediction> both =
      predict_numbers(2e4, 2.4e5, parse_layout("csr-scalar"), read_profile("nvidia-h100"), request);
  ASSERT_EQ(both.size(), 2U);
  const auto width = [](const Prediction& of) {
    return of.interval_seconds->high / of.interval_seconds->low;
  };
  EXPECT_GE(width(both[1]), 0.95 * width(both[0]));
}

TEST(NetworkForecast, FewestOfSeveralCpusAreFewCpus) {
  const std::vector<DeviceProfile> profiles{joined("amd-epyc-zen4-2cores", 1)};
  AdviceRequest request;
  request.max_devices = 64;
  const Advice advice = advise_numbers(1e8, 7e8, Layout{}, profiles, request);
  EXPECT_EQ(advice.choices[advice.fewest].prediction.devices, 1);
  request.max_devices = 1024;
  const Advice more = advise_numbers(1e10, 7e10, Layout{}, profiles, request);
  EXPECT_FALSE(more.choices.front().fits());
  for (const DeviceChoice& choice : more.choices) {
    if (!choice.fits()) continue;
    EXPECT_EQ(&choice, &more.choices[more.fewest]);
    break;
  }
  EXPECT_NE(more.reason.find(" x amd-epyc-zen4-2cores"), std::string::npos) << more.reason;
}

TEST(NetworkForecast, AWholeSolveIsLimitedByItsSetup) {
  AdviceRequest request;
  request.max_devices = 4;
  request.iterations = 10;
  const std::vector<DeviceProfile> profiles{read_profile("nvidia-h200")};
  const Advice advice = advise_numbers(1e8, 7e8, Layout{}, profiles, request);
  EXPECT_NE(advice.reason.find("conversion and upload take 9"), std::string::npos) << advice.reason;
}

TEST(NetworkForecast, TooManyRowsOfADeviceAreNoWantOfMemory) {
  PredictionRequest request;
  request.devices = {1};
  request.precision = Precision::f32;
  const std::vector<Prediction> one =
      predict_numbers(2.5e9, 2.5e9, Layout{}, joined("nvidia-h200", 8), request);
  EXPECT_EQ(one.front().fits, false);
  EXPECT_EQ(refusal_of([&] { best_choice(one); }),
            "the matrix fits on no device: a device numbers at most 2^31 rows of its own; "
            "try more devices");
}

TEST(NetworkForecast, OnlyRanksTakeMoreUnknownsThanADeviceNumbers) {
  const Prediction one = predict_on(1, 1e10);
  EXPECT_EQ(one.fits, false);
  EXPECT_LT(predict_on(4096, 1e10).seconds_per_iteration, one.seconds_per_iteration / 500);
  // In memory for all that a CPU could have.
  DeviceProfile cpus = joined("amd-epyc-zen4-2cores", 1);
  cpus.memory_bytes = 0;
  EXPECT_EQ(predict_numbers(1e10, 7e10, Layout{}, cpus, {}).front().fits, false);
  EXPECT_EQ(
      refusal_of([&] { predict_numbers(1e10, 27e10, Layout{}, read_profile("nvidia-h200"), {}); }),
      "unknowns must be at most 2^31 where devices number all of them; each rank of a "
      "network numbers its own (docs/network.md)");
}

TEST(NetworkForecast, AGuessOfARankIsAsGoodAsThatOfADevice) {
  DeviceProfile profile = joined("nvidia-h200", 8);
  profile.network->origin = Network::Origin::data_sheet;
  PredictionRequest request;
  request.devices = {1024};
  const auto width = [&](const DeviceProfile& by) {
    const Prediction one = predict_numbers(1e8, 27e8, Layout{}, by, request).front();
    return one.interval_seconds->high / one.seconds_per_iteration;
  };
  EXPECT_DOUBLE_EQ(width(profile), width(joined("nvidia-h200", 8)));
}

TEST(NetworkForecast, AdviceSaysWhereSpeedupEnds) {
  const CsrMatrix<double> grid = laplacian(7, 40, 40, 40);
  const std::vector<DeviceProfile> profiles{joined("nvidia-h200", 8)};
  AdviceRequest request;
  request.max_devices = 256;
  request.layouts = {Layout{}};
  const Advice advice =
      sparsecast::advise(grid.view(), compute_features(grid.view()), profiles, request);
  EXPECT_EQ(advice.choices.size(), 9U);
  EXPECT_EQ(advice.speedup_end.rfind("there is no speedup over 1 x nvidia-h200: with 2, ", 0), 0U)
      << advice.speedup_end;
  EXPECT_EQ(advise_numbers(1e7, 7e7, Layout{}, profiles, request)
                .speedup_end.rfind("speedup ends at ", 0),
            0U);
  const DeviceChoice& last = advice.choices.back();
  EXPECT_DOUBLE_EQ(last.device_seconds(), 256 * last.seconds);
  // Too few numbers of devices to say so.
  request.max_devices = 4;
  EXPECT_EQ(
      sparsecast::advise(grid.view(), compute_features(grid.view()), profiles, request).speedup_end,
      "");
}

TEST(NetworkForecast, ANetworkIsNamedInALine) {
  EXPECT_EQ(network_text(example_network()), "network example: an example; 2 devices a host");
}

}  // namespace
}  // namespace sparsecast
