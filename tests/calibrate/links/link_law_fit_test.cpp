#include "calibrate/links/link_law_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/random_stream.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// Seconds, and bytes a second, that samples are made of.
struct Law {
  double fixed = 2e-6;
  double message = 0.5e-6;
  double latency[2] = {0.6e-6, 2.5e-6};
  double rate[2] = {20e9, 12e9};
  double one_way[2] = {24e9, 13e9};
  double adapter = 12e9;
  double large[2] = {0, 0};  ///< more of more than 4 kB
  double sum_fixed = 1e-6;
  double doubling[2] = {1.5e-6, 6e-6};
};

/// Ranks on hosts of four, in rings; times are up to `noise` off.
class MadeSamples {
 public:
  explicit MadeSamples(double noise, const Law& of = {}) : law(of), noise_(noise) {}

  LinkSampleFile file(int hosts) {
    for (const LinkClass of_class : {LinkClass::same_host, LinkClass::other_host}) {
      if (hosts == 1 && of_class == LinkClass::other_host) continue;
      for (double bytes = 8; bytes <= 1 << 24; bytes *= 4) {
        add_message(of_class, bytes);
        add_exchange(of_class, 1, bytes, 1);
      }
    }
    for (const int neighbours : {2, 4, 6}) {
      for (double bytes = 8; bytes <= 1 << 20; bytes *= 4) {
        add_exchange(hosts == 1 ? LinkClass::same_host : LinkClass::other_host, neighbours, bytes,
                     hosts == 1 ? 0 : neighbours);
      }
    }
    if (hosts > 1) {
      for (const int pairs : {2, 4}) {
        for (const double bytes : {1e5, 1e6, 1e7}) {
          add_exchange(LinkClass::other_host, 1, bytes, pairs);
        }
      }
    }
    for (int ranks = 2; ranks <= 4 * hosts; ranks *= 2)
      add_sum(std::min(ranks, 4), (ranks + 3) / 4);
    add(LinkSample::Kind::work, 50e-6).noise = 0.012;
    return file_;
  }

 private:
  LinkSample& add(LinkSample::Kind kind, double seconds) {
    LinkSample sample;
    sample.kind = kind;
    sample.seconds = seconds * (1 + noise_ * (2 * random_.uniform() - 1));
    sample.noise = noise_;
    return file_.samples.emplace_back(sample);
  }

  double before(std::size_t c, double bytes) const {
    return law.latency[c] + (bytes > 4096 ? law.large[c] : 0);
  }

  void add_message(LinkClass of_class, double bytes) {
    const auto c = static_cast<std::size_t>(of_class);
    LinkSample& sample = add(LinkSample::Kind::message, before(c, bytes) + bytes / law.one_way[c]);
    sample.of_class = of_class;
    sample.bytes = bytes;
  }

  void add_exchange(LinkClass of_class, int neighbours, double bytes, int leaving) {
    const auto c = static_cast<std::size_t>(of_class);
    const double own = neighbours * bytes / law.rate[c];
    const double all = leaving > 1 ? leaving * bytes / law.adapter : 0;
    LinkSample& sample =
        add(LinkSample::Kind::exchange,
            law.fixed + law.message * (neighbours - 1) + before(c, bytes) + std::max(own, all));
    sample.of_class = of_class;
    sample.bytes = bytes;
    sample.neighbours = neighbours;
    const bool far = of_class == LinkClass::other_host;
    (far ? sample.far_neighbours : sample.near_neighbours) = neighbours;
    sample.leaving = far ? leaving : 0;
  }

  void add_sum(int of_host, int hosts) {
    LinkSample& sample =
        add(LinkSample::Kind::sum, law.sum_fixed + law.doubling[0] * std::ceil(std::log2(of_host)) +
                                       law.doubling[1] * std::ceil(std::log2(hosts)));
    sample.ranks = of_host * hosts;
    sample.ranks_per_host = of_host;
    sample.hosts = hosts;
    sample.bytes = 16;
  }

  const Law law;
  const double noise_;
  RandomStream random_{11, 5};
  LinkSampleFile file_;
};

void expect_near(const Estimate& found, double expected, double share) {
  EXPECT_NEAR(found.value, expected, share * expected);
  EXPECT_LT(found.error, share * expected);
}

TEST(LinkLawFit, FindsTheLawsThatSamplesWereMadeOf) {
  const Law law;
  const NetworkFit fit = fit_network(MadeSamples(0.01).file(4), "made");
  EXPECT_EQ(fit.network.name, "made");
  EXPECT_EQ(fit.network.ranks_per_host, 4);
  EXPECT_EQ(fit.network.deviation, 0.012);
  EXPECT_TRUE(fit.warnings.empty());
  EXPECT_LT(fit.median_errors.at(Transport::mpi), 0.02);
  const TransportCosts& costs = fit.network.transports.at(Transport::mpi);
  for (const LinkClass of_class : {LinkClass::same_host, LinkClass::other_host}) {
    const auto c = static_cast<std::size_t>(of_class);
    expect_near(costs.links.at(of_class).latency_seconds, law.latency[c], 0.03);
    expect_near(costs.links.at(of_class).gbps, law.rate[c] / 1e9, 0.03);
    EXPECT_GT(costs.links.at(of_class).gbps.error, 0);
    EXPECT_EQ(costs.links.at(of_class).large_bytes, 0);
    expect_near(costs.sum.doubling_seconds.at(of_class), law.doubling[c], 0.1);
  }
  expect_near(costs.fixed_seconds, law.fixed, 0.05);
  expect_near(costs.message_seconds, law.message, 0.1);
  expect_near(costs.sum.fixed_seconds, law.sum_fixed, 0.2);
  EXPECT_NEAR(fit.network.adapter_gbps, 12, 0.5);
}

TEST(LinkLawFit, FindsFromWhereOnMessagesAreLarge) {
  Law law;
  law.large[0] = 2e-6;
  const NetworkFit fit = fit_network(MadeSamples(0.01, law).file(4), "made");
  const TransportCosts& costs = fit.network.transports.at(Transport::mpi);
  const MessageCosts& near = costs.links.at(LinkClass::same_host);
  // Samples are of 8, 32, ... 2048 and 8192 bytes.
  EXPECT_EQ(near.large_bytes, 4096);
  expect_near(near.large_seconds, 2e-6, 0.05);
  expect_near(near.latency_seconds, law.latency[0], 0.05);
  expect_near(near.gbps, law.rate[0] / 1e9, 0.03);
  EXPECT_EQ(costs.links.at(LinkClass::other_host).large_bytes, 0);
  EXPECT_LT(fit.median_errors.at(Transport::mpi), 0.02);
}

TEST(LinkLawFit, OutliersDoNotMoveIt) {
  LinkSampleFile file = MadeSamples(0.01).file(1);
  file.samples[0].seconds *= 3;
  file.samples[30].seconds *= 5;
  const TransportCosts costs = fit_network(file, "made").network.transports.at(Transport::mpi);
  EXPECT_NEAR(costs.links.at(LinkClass::same_host).latency_seconds.value, 0.6e-6, 0.06e-6);
  EXPECT_NEAR(costs.links.at(LinkClass::same_host).gbps.value, 20, 1);
}

TEST(LinkLawFit, WarnsOfTimesThatNoLawGives) {
  LinkSampleFile file = MadeSamples(0.01).file(1);
  RandomStream random(3, 1);
  for (LinkSample& each : file.samples) each.seconds *= std::pow(10, 2 * random.uniform() - 1);
  const NetworkFit fit = fit_network(file, "made");
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_NE(fit.warnings[0].find("a core of its own"), std::string::npos) << fit.warnings[0];
}

TEST(LinkLawFit, AnAdapterThatHoldsNobodyUpIsAsFastAsWasSeen) {
  LinkSampleFile file = MadeSamples(0).file(2);
  for (LinkSample& each : file.samples) {
    if (each.kind == LinkSample::Kind::exchange && each.leaving > 1) {
      const Law law;
      each.seconds = law.fixed + law.message * (each.neighbours - 1) + law.latency[1] +
                     each.neighbours * each.bytes / law.rate[1];
    }
  }
  file.adapters_per_host = 2;
  // Four pairs of 12 GB/s each through two adapters.
  EXPECT_NEAR(fit_network(file, "made").network.adapter_gbps, 24, 1.5);
}

TEST(LinkLawFit, OneHostHasNoOtherClassAndNoAdapter) {
  const Network network = fit_network(MadeSamples(0.01).file(1), "made").network;
  const TransportCosts& costs = network.transports.at(Transport::mpi);
  EXPECT_EQ(costs.links.size(), 1u);
  EXPECT_EQ(costs.sum.doubling_seconds.size(), 1u);
  EXPECT_EQ(costs.links.count(LinkClass::same_host), 1u);
  EXPECT_EQ(network.adapter_gbps, 0);
}

TEST(LinkLawFit, OfTwoRanksASumHasNothingFixedAndFurtherNeighboursAreUnknown) {
  LinkSampleFile file = MadeSamples(0).file(1);
  std::erase_if(file.samples, [](const LinkSample& each) {
    return each.neighbours > 1 || (each.kind == LinkSample::Kind::sum && each.ranks > 2);
  });
  const NetworkFit fit = fit_network(file, "two");
  const TransportCosts& costs = fit.network.transports.at(Transport::mpi);
  EXPECT_EQ(costs.message_seconds.value, 0);
  EXPECT_EQ(costs.sum.fixed_seconds.value, 0);
  EXPECT_NEAR(costs.sum.doubling_seconds.at(LinkClass::same_host).value, 2.5e-6, 1e-8);
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_NE(fit.warnings[0].find("further neighbours"), std::string::npos);
}

TEST(LinkLawFit, RefusesAFileWithoutMessages) {
  LinkSampleFile file;
  EXPECT_NE(refusal_of([&] { fit_network(file, "none"); }).find("no samples"), std::string::npos);
  file = MadeSamples(0).file(1);
  std::erase_if(file.samples,
                [](const LinkSample& each) { return each.kind != LinkSample::Kind::sum; });
  EXPECT_NE(refusal_of([&] { fit_network(file, "sums"); }).find("no samples of messages"),
            std::string::npos);
}

}  // namespace
}  // namespace sparsecast
