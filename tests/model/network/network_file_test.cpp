#include "model/network/network_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "model/network/example_network.hpp"

namespace sparsecast {
namespace {

std::string message_of(const std::string& json) {
  try {
    parse_network(json, "name", "net.network.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(NetworkFile, ReadsBackWhatItWrites) {
  Network network = example_network();
  network.origin = Network::Origin::data_sheet;
  network.environment = {{"nccl", "2.28"}};
  network.sources = {"one", "two"};
  network.transports[Transport::gpu_aware] = network.transports.at(Transport::nccl);
  network.transports[Transport::gpu_aware].message_seconds = {3e-6, 1e-7};
  MessageCosts& near = network.transports.at(Transport::nccl).links.at(LinkClass::same_host);
  near.large_bytes = 4096;
  near.large_seconds = {3e-6, 1e-7};
  const std::string json = network_to_json(network);
  const Network read = parse_network(json, "example", "example.network.json");
  const MessageCosts& near_again =
      read.transports.at(Transport::nccl).links.at(LinkClass::same_host);
  EXPECT_EQ(near_again.large_bytes, 4096);
  EXPECT_EQ(near_again.large_seconds.value, 3e-6);
  EXPECT_EQ(near_again.large_seconds.error, 1e-7);
  EXPECT_EQ(network_to_json(read), json);
  EXPECT_EQ(read.name, "example");
  EXPECT_EQ(read.origin, Network::Origin::data_sheet);
  EXPECT_EQ(read.sources, network.sources);
  const MessageCosts& link = read.transports.at(Transport::nccl).links.at(LinkClass::other_host);
  EXPECT_EQ(link.latency_seconds.value, 9e-6);
  EXPECT_EQ(link.gbps.error, 1);
  EXPECT_EQ(read.transports.at(Transport::gpu_aware).message_seconds.value, 3e-6);
}

TEST(NetworkFile, AllThatShipAreRead) {
  const std::vector<std::string> names = network_names();
  ASSERT_NE(std::ranges::find(names, "ndr400"), names.end());
  for (const std::string& name : names) {
    const Network network = read_network(name);
    EXPECT_EQ(network.name, name);
    EXPECT_FALSE(network.description.empty()) << name;
    EXPECT_TRUE(network.origin == Network::Origin::measured || !network.sources.empty()) << name;
  }
}

TEST(NetworkFile, DamagedOnesAreRefusedWithThePlace) {
  const std::string json = network_to_json(example_network());
  EXPECT_NE(message_of("{").find("net.network.json"), std::string::npos);
  EXPECT_NE(message_of(replaced(json, "\"schema\": 1", "\"schema\": 2")).find("version 2"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(json, "\"network\"", "\"profile\"")).find("kind"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(json, "\"nccl\"", "\"pigeon\"")).find("pigeon"), std::string::npos);
  EXPECT_NE(message_of(replaced(json, "\"ranks_per_host\": 2", "\"ranks_per_host\": 0"))
                .find("ranks_per_host"),
            std::string::npos);
}

TEST(NetworkFile, SumsMustKnowTheClassesThatLinksKnow) {
  Network network = example_network();
  network.transports[Transport::nccl].sum.doubling_seconds.erase(LinkClass::other_host);
  EXPECT_THROW(network_to_json(network), Error);
  network.transports.clear();
  EXPECT_THROW(network_to_json(network), Error);
}

TEST(NetworkFile, ANameThatThereIsNotIsAnsweredWithThoseThatThereAre) {
  try {
    read_network("carrier-pigeon");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ndr400"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sparsecast
