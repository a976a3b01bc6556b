#include "calibrate/links/link_sample.hpp"

#include <gtest/gtest.h>

#include <string>

#include "calibrate/links/network_files.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

LinkSampleFile some_file() {
  LinkSampleFile file;
  file.description = "some CPU; 8 ranks on 2 hosts";
  file.adapters_per_host = 2;
  file.environment = {{"date", "2026-01-02T03:04:05Z"}, {"mpi", "Open MPI v4.1.4"}};
  LinkSample exchange;
  exchange.kind = LinkSample::Kind::exchange;
  exchange.transport = Transport::nccl;
  exchange.of_class = LinkClass::other_host;
  exchange.ranks = 8;
  exchange.hosts = 2;
  exchange.ranks_per_host = 4;
  exchange.neighbours = 6;
  exchange.near_neighbours = 3;
  exchange.far_neighbours = 4;
  exchange.leaving = 12;
  exchange.bytes = 2048;
  exchange.seconds = 1.0 / 3e5;
  exchange.noise = 0.0125;
  LinkSample sum;
  sum.kind = LinkSample::Kind::sum;
  sum.bytes = 16;
  sum.seconds = 2e-6;
  file.samples = {exchange, sum};
  return file;
}

TEST(LinkSamples, ReadBackAsTheyWere) {
  const LinkSampleFile file = some_file();
  EXPECT_EQ(parse_link_samples(link_samples_to_csv(file), "a.links.csv"), file);
}

/// What is said of the text with one part replaced.
std::string refusal_with(const std::string& part, const std::string& other) {
  std::string text = link_samples_to_csv(some_file());
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  text.replace(place, part.size(), other);
  return refusal_of([&] { parse_link_samples(text, "a.csv"); });
}

TEST(LinkSamples, AreRefusedWithPlaceAndReason) {
  EXPECT_EQ(refusal_with("schema: 1", "schema: 9"),
            "a.csv:1: schema version 9; this program reads version 1");
  EXPECT_EQ(refusal_with("# environment.date", "# date"),
            "a.csv:4: unknown comment key 'date'; expected one that sparsecast calibrate writes");
  EXPECT_NE(refusal_with("kind,transport", "transport,kind").find("a.csv:6: wrong column names"),
            std::string::npos);
  EXPECT_EQ(refusal_with("exchange,nccl", "exchange,pigeon"),
            "a.csv:7: transport 'pigeon'; expected one of mpi, staged, nccl, gpu-aware");
  EXPECT_EQ(refusal_with(",8,2,4,6,", ",0,2,4,6,"),
            "a.csv:7: ranks '0'; expected a whole number from 1 on");
  EXPECT_EQ(refusal_with(",16,2e-06,", ",16,nan,"),
            "a.csv:8: seconds 'nan'; expected a number that is not negative");
  EXPECT_EQ(refusal_with(",16,2e-06,0", ",16,2e-06"), "a.csv:8: 12 fields; expected 13");
  EXPECT_NE(refusal_of([] { parse_link_samples("", "a.csv"); }).find("a.csv:1: no line"),
            std::string::npos);
}

TEST(NetworkFiles, LieSideBySide) {
  const NetworkFiles files = network_files("some/ndr.network.json");
  EXPECT_EQ(files.samples, "some/ndr.links.csv.gz");
  EXPECT_EQ(files.name(), "ndr");
  EXPECT_EQ(refusal_of([] { network_files("ndr.json"); }),
            "ndr.json: expected a name that ends in .network.json");
}

}  // namespace
}  // namespace sparsecast
