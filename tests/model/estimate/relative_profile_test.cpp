#include "model/estimate/relative_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/estimate/transfer_cost.hpp"
#include "model/profile/profile_file.hpp"
#include "model/profile/profile_json.hpp"
#include "model/traffic/traffic_example.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {
namespace {

DeviceProfile h200() {
  return read_profile(std::string(SPARSECAST_SOURCE_DIR) + "/profiles/nvidia-h200.json");
}

/// The H200 by numbers of a user's own.
DataSheet own_sheet() {
  DataSheet sheet = data_sheet("h200");
  sheet.name.clear();
  sheet.device.clear();
  return sheet;
}

/// An iteration of the fused schedule in CSR and f64.
TrafficPrice price(const DeviceProfile& profile, std::int64_t unknowns) {
  const Schedule schedule = fused_cg_schedule();
  const TrafficPricer pricer(schedule, LaunchMode::graph, example_case(unknowns),
                             profile.traffic->gpu, Precision::f64);
  return pricer.price(profile.traffic->parameters);
}

double value_of(DeviceProfile profile, const std::string& name) {
  for (const TrafficParameter& each : parameter_list(profile.traffic->parameters)) {
    if (each.name == name) return *each.value;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

TEST(RelativeProfile, WithRatiosOfOneForecastsLikeTheRelativeToTheLastBit) {
  const DeviceProfile relative = h200();
  const DeviceProfile same = relative_profile(relative, own_sheet(), "same");
  for (const std::int64_t unknowns : {1'000, 100'000, 10'000'000}) {
    EXPECT_EQ(price(same, unknowns).seconds, price(relative, unknowns).seconds) << unknowns;
  }
  TrafficParameters before = relative.traffic->parameters;
  TrafficParameters after = same.traffic->parameters;
  const std::vector<TrafficParameter> old_list = parameter_list(before);
  const std::vector<TrafficParameter> new_list = parameter_list(after);
  ASSERT_EQ(old_list.size(), new_list.size());
  for (std::size_t i = 0; i < old_list.size(); ++i) {
    EXPECT_EQ(*old_list[i].value, *new_list[i].value) << old_list[i].name;
  }
  EXPECT_EQ(same.traffic->gpu, relative.traffic->gpu);
  EXPECT_EQ(same.memory_bytes, relative.memory_bytes);
  EXPECT_EQ(same.link(2).costs->exchanges.at(ExchangeMode::halo).gbps.value,
            relative.link(2).costs->exchanges.at(ExchangeMode::halo).gbps.value);
  EXPECT_EQ(same.curve(Precision::f64, "CG4").average.mu,
            relative.curve(Precision::f64, "CG4").average.mu);
}

TEST(RelativeProfile, OfTwiceTheBandwidthTakesHalfTheTimeOfMemory) {
  const DeviceProfile relative = h200();
  DataSheet sheet = own_sheet();
  sheet.bandwidth_gbps *= 2;
  const DeviceProfile faster = relative_profile(relative, sheet, "faster");
  const TrafficPrice slow = price(relative, 10'000'000);
  const TrafficPrice fast = price(faster, 10'000'000);
  for (std::size_t i = 0; i < slow.steps.size(); ++i) {
    ASSERT_GT(slow.steps[i].memory_seconds, 0);
    EXPECT_DOUBLE_EQ(fast.steps[i].memory_seconds, slow.steps[i].memory_seconds / 2);
    EXPECT_EQ(fast.steps[i].cache_seconds, slow.steps[i].cache_seconds);
  }
}

TEST(RelativeProfile, OfAnH100FromAnH200ScalesMemoryAndCapacityAlone) {
  const DeviceProfile relative = h200();
  const DeviceProfile h100 = relative_profile(relative, data_sheet("h100-sxm"), "h100");
  constexpr double memory = 3.35 / 4.8;
  constexpr double capacity = 50.0 / 60;
  std::set<std::string> changed;
  TrafficParameters before = relative.traffic->parameters;
  TrafficParameters after = h100.traffic->parameters;
  const std::vector<TrafficParameter> old_list = parameter_list(before);
  const std::vector<TrafficParameter> new_list = parameter_list(after);
  for (std::size_t i = 0; i < old_list.size(); ++i) {
    if (*old_list[i].value != *new_list[i].value) changed.insert(old_list[i].name);
  }
  const std::set<std::string> expected{"device/memory_read", "device/memory_write",
                                       "device/l2_capacity", "persistent/cache_capacity"};
  EXPECT_EQ(changed, expected);
  EXPECT_DOUBLE_EQ(value_of(h100, "device/memory_read"),
                   memory * value_of(relative, "device/memory_read"));
  EXPECT_DOUBLE_EQ(value_of(h100, "device/memory_write"),
                   memory * value_of(relative, "device/memory_write"));
  EXPECT_DOUBLE_EQ(value_of(h100, "device/l2_capacity"),
                   capacity * value_of(relative, "device/l2_capacity"));
  EXPECT_DOUBLE_EQ(value_of(h100, "persistent/cache_capacity"),
                   capacity * value_of(relative, "persistent/cache_capacity"));
  EXPECT_EQ(h100.traffic->gpu.l2_bytes, std::int64_t{50} << 20);
  EXPECT_EQ(h100.device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(h100.traffic->parameters.residuals.size(),
            relative.traffic->parameters.residuals.size());
}

TEST(RelativeProfile, FollowsClockAndMultiprocessors) {
  const DeviceProfile relative = h200();
  const DeviceProfile pcie = relative_profile(relative, data_sheet("h100-pcie"), "pcie");
  constexpr double clock = 1755.0 / 1980;
  constexpr double all = clock * 114 / 132;
  const auto ratio = [&](const char* name) {
    return value_of(pcie, name) / value_of(relative, name);
  };
  EXPECT_DOUBLE_EQ(ratio("product/csr/step"), 1 / clock);
  EXPECT_DOUBLE_EQ(ratio("device/line"), 1 / clock);
  EXPECT_DOUBLE_EQ(ratio("device/sector"), 1 / all);
  EXPECT_DOUBLE_EQ(ratio("device/l2_read"), all);
  EXPECT_EQ(ratio("device/graph"), 1);
  EXPECT_EQ(ratio("device/miss"), 1);
  EXPECT_EQ(ratio("device/overlap"), 1);
  EXPECT_EQ(pcie.traffic->gpu.multiprocessors, 114);
}

/// What has a rate on a GPU follows something of its data sheet, numbers without a unit nothing.
TEST(RelativeProfile, ScalesEveryRateAndNoPureNumber) {
  DeviceProfile relative = h200();
  const std::vector<TrafficParameter> all = parameter_list(relative.traffic->parameters);
  EXPECT_GT(all.size(), 50u);
  std::set<Scaling> used;
  for (const TrafficParameter& each : all) {
    const std::string unit = each.unit;
    const bool scales = each.scaling != Scaling::none;
    EXPECT_TRUE(scales || unit != "GB/s") << each.name;
    EXPECT_FALSE(scales && unit.empty()) << each.name;
    used.insert(each.scaling);
  }
  EXPECT_EQ(used.size(), 6u);
}

TEST(RelativeProfile, StaysWithinBounds) {
  const DeviceProfile l40s = relative_profile(h200(), data_sheet("l40s"), "l40s");
  TrafficParameters parameters = l40s.traffic->parameters;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    EXPECT_GE(*each.value, each.least) << each.name;
    EXPECT_LE(*each.value, each.most) << each.name;
  }
}

TEST(RelativeProfile, OfEveryDataSheetIsReadBackAsItWasWritten) {
  const DeviceProfile relative = h200();
  for (const DataSheet& sheet : data_sheets()) {
    const DeviceProfile profile = relative_profile(relative, sheet, sheet.name);
    const std::string text = profile_to_json(profile);
    const DeviceProfile read = parse_profile(text, sheet.name);
    EXPECT_EQ(profile_to_json(read), text) << sheet.name;
    EXPECT_EQ(read.origin, DeviceProfile::Origin::estimated);
    ASSERT_TRUE(read.estimated);
    EXPECT_EQ(read.estimated->like, "nvidia-h200");
    EXPECT_EQ(read.estimated->from, data_sheet("h200"));
    EXPECT_EQ(read.estimated->to, sheet);
  }
}

TEST(RelativeProfile, IsRefusedWhereItsFileClaimsThatItWasMeasured) {
  std::string text = profile_to_json(relative_profile(h200(), own_sheet(), "x"));
  const std::string origin = "\"origin\": \"estimated\"";
  text.replace(text.find(origin), origin.size(), "\"origin\": \"measured\"");
  EXPECT_EQ(refusal_of([&] { parse_profile(text, "x"); }),
            "x: estimated: the profile's origin is another");
}

TEST(RelativeProfile, KeepsNothingOfClustersWhereThereAreNone) {
  const DeviceProfile relative = h200();
  const auto sums = [&](const char* gpu) {
    return relative_profile(relative, data_sheet(gpu), gpu).traffic->parameters.persistent_sums;
  };
  EXPECT_TRUE(sums("h100-nvl").contains("cluster"));
  EXPECT_TRUE(sums("b200").contains("cluster"));
  EXPECT_FALSE(sums("a100-sxm-80gb").contains("cluster"));
  EXPECT_FALSE(sums("l40s").contains("cluster"));
  EXPECT_TRUE(sums("l40s").contains("grid"));
}

TEST(RelativeProfile, ScalesRatesOfLinksButThroughTheHost) {
  const DeviceProfile relative = h200();
  DataSheet sheet = own_sheet();
  sheet.link_gbps = 225;
  const LinkCosts before = relative.link(2).costs.value();
  const LinkCosts after = relative_profile(relative, sheet, "half").link(2).costs.value();
  const auto& halo = after.exchanges.at(ExchangeMode::halo);
  EXPECT_DOUBLE_EQ(halo.gbps.value, before.exchanges.at(ExchangeMode::halo).gbps.value / 2);
  EXPECT_EQ(halo.fixed_seconds.value, before.exchanges.at(ExchangeMode::halo).fixed_seconds.value);
  EXPECT_EQ(after.exchanges.at(ExchangeMode::staged).gbps.value,
            before.exchanges.at(ExchangeMode::staged).gbps.value);
  EXPECT_EQ(after.sum_seconds.value, before.sum_seconds.value);
}

TEST(RelativeProfile, HasAsManyDevicesAsTheLinkJoins) {
  const DeviceProfile relative = h200();
  const DeviceProfile nvl = relative_profile(relative, data_sheet("h100-nvl"), "nvl");
  EXPECT_EQ(nvl.device_count_max, 2);
  EXPECT_EQ(nvl.links.size(), 1u);
  DataSheet alone = own_sheet();
  alone.link_gbps = 0;
  const DeviceProfile one = relative_profile(relative, alone, "one");
  EXPECT_EQ(one.device_count_max, 1);
  EXPECT_TRUE(one.links.empty());
}

TEST(RelativeProfile, HasWiderIntervalsAndWiderYetBetweenGenerations) {
  const DeviceProfile relative = h200();
  const DeviceProfile h100 = relative_profile(relative, data_sheet("h100-sxm"), "h100");
  const DeviceProfile a100 = relative_profile(relative, data_sheet("a100-sxm-80gb"), "a100");
  for (const auto& [key, own] : relative.traffic->intervals) {
    const IntervalRatios within = h100.traffic->intervals.at(key);
    const IntervalRatios between = a100.traffic->intervals.at(key);
    EXPECT_LT(within.low, own.low) << key;
    EXPECT_GT(within.high, own.high) << key;
    EXPECT_LT(between.low, within.low) << key;
    EXPECT_GT(between.high, within.high) << key;
  }
  EXPECT_EQ(h100.notes.find("nobody has tried"), std::string::npos);
  EXPECT_NE(a100.notes.find("nobody has tried"), std::string::npos);
}

TEST(RelativeProfile, RefusesWhatIsNoRelativeInOneLine) {
  const DataSheet sheet = own_sheet();
  const auto refusal = [&](const DeviceProfile& relative) {
    return refusal_of([&] { relative_profile(relative, sheet, "x"); });
  };
  const std::string folder = std::string(SPARSECAST_SOURCE_DIR) + "/profiles/";
  EXPECT_EQ(refusal(read_profile(folder + "amd-epyc-zen4-2cores.json")),
            "profile 'amd-epyc-zen4-2cores' is of a CPU; a relative of a GPU is a GPU that was "
            "calibrated");
  EXPECT_EQ(refusal(read_profile(folder + "gtx280.json")),
            "profile 'gtx280' has no traffic model, whose constants data sheets scale; name one of "
            "a GPU that was calibrated");
  EXPECT_EQ(refusal(relative_profile(h200(), sheet, "guess")),
            "profile 'guess' is an estimate itself; name the profile of a GPU that was calibrated");
  DeviceProfile other = h200();
  other.device = "NVIDIA Unheard";
  EXPECT_NE(refusal(other).find("of which no data sheet is known; there are those of"),
            std::string::npos);
  DeviceProfile part = h200();
  part.traffic->gpu.multiprocessors = 60;
  EXPECT_EQ(refusal(part),
            "profile 'nvidia-h200' is of 60 multiprocessors, where the data sheet says 132: "
            "calibrate a whole GPU");
}

TEST(RelativeProfile, NeedsPositiveNumbers) {
  const DeviceProfile relative = h200();
  const auto refuses = [&](auto change) {
    DataSheet sheet = own_sheet();
    change(sheet);
    return refusal_of([&] { relative_profile(relative, sheet, "x"); }) != "accepted";
  };
  EXPECT_TRUE(refuses([](DataSheet& sheet) { sheet.multiprocessors = 0; }));
  EXPECT_TRUE(refuses([](DataSheet& sheet) { sheet.clock_mhz = -1; }));
  EXPECT_TRUE(refuses([](DataSheet& sheet) { sheet.bandwidth_gbps = std::nan(""); }));
  EXPECT_TRUE(refuses([](DataSheet& sheet) { sheet.l2_mb = 0; }));
  EXPECT_TRUE(refuses([](DataSheet& sheet) { sheet.memory_gb = 0; }));
}

/// The H100 as its driver described it.
DescribedDevice described_h100() {
  const DeviceProfile h100 =
      read_profile(std::string(SPARSECAST_SOURCE_DIR) + "/profiles/nvidia-h100.json");
  return {"mine", h100.device, h100.memory_bytes, h100.environment};
}

TEST(RelativeOfDevice, ScalesByWhatTheDriversSay) {
  const DeviceProfile relative = h200();
  const DescribedDevice h100 = described_h100();
  const DeviceProfile profile = relative_of_device(relative, h100);
  EXPECT_EQ(profile.name, "mine");
  EXPECT_EQ(profile.origin, DeviceProfile::Origin::measured_in_part);
  EXPECT_EQ(profile.device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(profile.memory_bytes, h100.memory_bytes);
  EXPECT_EQ(profile.environment, h100.environment);
  EXPECT_NE(profile.notes.find("Measured in part"), std::string::npos);
  EXPECT_EQ(profile.traffic->gpu.l2_bytes, std::int64_t{50} << 20);
  EXPECT_NEAR(value_of(profile, "device/memory_read"),
              2619.0 * 5120 / (3201.0 * 6016) * value_of(relative, "device/memory_read"), 1e-6);
  EXPECT_EQ(value_of(profile, "device/l2_read"), value_of(relative, "device/l2_read"));
}

TEST(RelativeOfDevice, IsReadBackAsItWasWrittenAndIsNoRelativeItself) {
  const DeviceProfile profile = relative_of_device(h200(), described_h100());
  const std::string text = profile_to_json(profile);
  const DeviceProfile read = parse_profile(text, "mine");
  EXPECT_EQ(profile_to_json(read), text);
  EXPECT_EQ(read.origin, DeviceProfile::Origin::measured_in_part);
  EXPECT_EQ(refusal_of([&] { relative_of_device(read, described_h100()); }),
            "profile 'mine' is measured in part itself; name the profile of a GPU that was "
            "calibrated");
}

TEST(RelativeOfDevice, HasNarrowerIntervalsThanAnEstimate) {
  const DeviceProfile relative = h200();
  const DeviceProfile measured = relative_of_device(relative, described_h100());
  const DeviceProfile estimated = relative_profile(relative, data_sheet("h100-sxm"), "h100");
  for (const auto& [key, own] : relative.traffic->intervals) {
    const IntervalRatios in_part = measured.traffic->intervals.at(key);
    EXPECT_LE(in_part.low, own.low) << key;
    EXPECT_GE(in_part.high, own.high) << key;
    EXPECT_LT(in_part.high / in_part.low,
              estimated.traffic->intervals.at(key).high / estimated.traffic->intervals.at(key).low)
        << key;
  }
}

TEST(RelativeProfile, OfAPartHasTheCacheAndMemoryOfTheWholeOrWhatItsMultiprocessorsTake) {
  const DeviceProfile relative = h200();
  DataSheet part = data_sheet("h200");
  const auto value = [&](int multiprocessors, const char* name) {
    part.multiprocessors = multiprocessors;
    return value_of(relative_profile(relative, part, "part"), name);
  };
  for (const char* name : {"device/l2_read", "product/bcsr/cache"}) {
    EXPECT_EQ(value(131, name), value_of(relative, name)) << name;
    EXPECT_DOUBLE_EQ(value(16, name), 68 * 16 * 1.98) << name;
  }
  EXPECT_EQ(value(131, "device/l2_write"), value_of(relative, "device/l2_write"));
  EXPECT_DOUBLE_EQ(value(16, "device/l2_write"), 25 * 16 * 1.98);
  EXPECT_DOUBLE_EQ(value(64, "device/l2_read"), 68 * 64 * 1.98);
  EXPECT_EQ(value(128, "device/sector"), value_of(relative, "device/sector"));
  // One a clock.
  EXPECT_DOUBLE_EQ(value(8, "device/sector"), 1e-9 / (8 * 1.98));
  // Beyond what all multiprocessors take: a cost of theirs.
  EXPECT_DOUBLE_EQ(value(66, "device/sum_stream"), value_of(relative, "device/sum_stream") / 2);
  EXPECT_EQ(value(8, "device/memory_read"), value_of(relative, "device/memory_read"));
  EXPECT_EQ(value(8, "device/l2_capacity"), value_of(relative, "device/l2_capacity"));
}

TEST(RelativeProfile, OfAGpuWithFewMultiprocessorsHasACacheOfThose) {
  const DeviceProfile relative = h200();
  DataSheet sheet = own_sheet();
  sheet.multiprocessors = 66;
  EXPECT_DOUBLE_EQ(value_of(relative_profile(relative, sheet, "half"), "device/l2_read"),
                   value_of(relative, "device/l2_read") / 2);
}

}  // namespace
}  // namespace sparsecast
