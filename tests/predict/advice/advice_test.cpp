#include "predict/advice/advice.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

using Kind = DeviceProfile::Kind;

DeviceChoice choice(const std::string& profile, Kind kind, int devices, double seconds) {
  DeviceChoice made;
  made.profile = profile;
  made.kind = kind;
  made.seconds = seconds;
  made.prediction.devices = devices;
  made.prediction.seconds_per_iteration = seconds;
  made.prediction.bytes_per_device = 5'000'000'000;
  made.prediction.parts.spmv = seconds;
  return made;
}

DeviceChoice gpus(int devices, double seconds) {
  return choice("card", Kind::gpu, devices, seconds);
}

DeviceChoice with_parts(DeviceChoice made, double exchange, double synchronisation) {
  made.prediction.parts.spmv = made.seconds - exchange - synchronisation;
  made.prediction.parts.exchange = exchange;
  made.prediction.parts.synchronisation = synchronisation;
  return made;
}

TEST(Advice, RecommendsTheFastestThatKeepsTheEfficiency) {
  const Advice advice =
      choose_devices({gpus(1, 1.0), gpus(2, 0.6), gpus(4, 0.4)}, {.min_efficiency = 0.8});

  EXPECT_EQ(advice.recommended, 1u);
  EXPECT_NEAR(advice.choices[1].efficiency, 0.8333, 1e-4);
  EXPECT_NEAR(advice.choices[2].efficiency, 0.625, 1e-4);
}

TEST(Advice, TakesMoreDevicesWhenLessEfficiencyIsAskedFor) {
  const Advice advice =
      choose_devices({gpus(1, 1.0), gpus(2, 0.6), gpus(4, 0.4)}, {.min_efficiency = 0.6});

  EXPECT_EQ(advice.recommended, 2u);
}

TEST(Advice, CountsACpuAsNoGpuAndTakesItWhenItTies) {
  const Advice advice =
      choose_devices({gpus(1, 1.00), choice("host", Kind::cpu, 1, 1.02)}, {.max_devices = 1});

  EXPECT_EQ(advice.recommended, 1u);
  EXPECT_EQ(advice.choices[advice.recommended].gpus(), 0);
  ASSERT_EQ(advice.ties.size(), 1u);
  EXPECT_EQ(advice.ties[0], 0u);
}

TEST(Advice, PrefersAGpuThatIsFasterByMoreThanATie) {
  const Advice advice =
      choose_devices({choice("host", Kind::cpu, 1, 1.05), gpus(1, 1.0)}, {.max_devices = 1});

  EXPECT_EQ(advice.recommended, 1u);
  EXPECT_TRUE(advice.ties.empty());
}

TEST(Advice, CallsATieWhenEachLiesInTheOthersInterval) {
  DeviceChoice one = gpus(1, 1.0);
  DeviceChoice two = gpus(2, 0.6);
  EXPECT_EQ(choose_devices({one, two}, {}).recommended, 1u);

  one.interval_seconds = Interval{0.5, 1.5};
  two.interval_seconds = Interval{0.3, 1.1};
  EXPECT_EQ(choose_devices({one, two}, {}).recommended, 0u);
}

TEST(Advice, ResolvesATieBetweenEqualNumbersOfGpusToTheFaster) {
  const Advice advice = choose_devices(
      {choice("old", Kind::gpu, 1, 1.01), choice("new", Kind::gpu, 1, 1.0)}, {.max_devices = 1});

  EXPECT_EQ(advice.recommended, 1u);
  EXPECT_EQ(advice.ties, std::vector<std::size_t>{0});
}

TEST(Advice, LeavesOutWhatDoesNotFitAndCountsEfficiencyFromTheFewestThatDo) {
  DeviceChoice one = gpus(1, 4.0);
  one.prediction.fits = false;
  const Advice advice = choose_devices({one, gpus(2, 2.5), gpus(4, 1.5)}, {.min_efficiency = 0.8});

  EXPECT_EQ(advice.fewest, 1u);
  EXPECT_EQ(advice.recommended, 2u);
  EXPECT_DOUBLE_EQ(advice.choices[1].efficiency, 1.0);
  EXPECT_NEAR(advice.choices[2].efficiency, 0.8333, 1e-4);
}

TEST(Advice, SaysWhatIsNeededWhenTheMatrixFitsNowhere) {
  DeviceChoice one = gpus(1, 1.0);
  one.prediction.fits = false;
  one.prediction.memory_bytes = 4'000'000'000;
  try {
    choose_devices({one}, {});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the matrix fits on none of the devices: even 1 x card need 5 GB each; allow more "
                 "devices or choose a profile with more memory");
  }
}

TEST(Advice, NamesTheExchangeWhenItIsTheLimit) {
  const Advice advice =
      choose_devices({gpus(1, 1.0), with_parts(gpus(2, 0.9), 0.35, 0.05)}, {.min_efficiency = 0.7});

  EXPECT_EQ(advice.recommended, 0u);
  EXPECT_EQ(advice.reason,
            "2 x card would be 1.1 times as fast at an efficiency of 0.56 (asked for: 0.7): the "
            "exchange takes 39 % of its iteration");
}

TEST(Advice, NamesSynchronisationWhenItIsTheLimit) {
  const Advice advice =
      choose_devices({gpus(1, 1.0), with_parts(gpus(2, 3.0), 0.5, 2.0)}, {.min_efficiency = 0.7});

  EXPECT_EQ(advice.reason,
            "2 x card would take 3 times as long at an efficiency of 0.17 (asked for: 0.7): "
            "synchronisation takes 67 % of its iteration");
}

TEST(Advice, NamesTheSizeWhenDevicesAreNotFilled) {
  const Advice advice =
      choose_devices({gpus(1, 1.0), with_parts(gpus(2, 1.0), 0.02, 0.03)}, {.min_efficiency = 0.7});

  EXPECT_NE(advice.reason.find("too small to run at full throughput"), std::string::npos)
      << advice.reason;
  EXPECT_NE(advice.reason.find("(a tie)"), std::string::npos) << advice.reason;
}

TEST(Advice, IsRefusedForAnEfficiencyAboveOne) {
  const DeviceProfile profile;
  EXPECT_THROW(advise_numbers(100, 500, {}, std::span(&profile, 1), {.min_efficiency = 1.5}),
               Error);
}

}  // namespace
}  // namespace sparsecast
