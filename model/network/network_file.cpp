#include "model/network/network_file.hpp"

#include <optional>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/name_list.hpp"
#include "model/network/network_names.hpp"
#include "model/profile/json_fields.hpp"
#include "model/profile/link_fields.hpp"
#include "model/profile/profile_fields.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

constexpr int network_schema_version = 1;
constexpr std::string_view network_suffix = ".network.json";

constexpr NamedValues<Network::Origin, 2> origins{
    {{"measured", Network::Origin::measured}, {"data sheet", Network::Origin::data_sheet}}};
constexpr NamedKeys<Transport, transport_names.size()> transport_keys{transport_names};
constexpr NamedKeys<LinkClass, 2> class_keys{link_class_names};

/// Of whole numbers from 1 on.
void count(ProfileFields& fields, const std::string& key, int& value) {
  fields.whole_number(key, value);
  fields.require(value > 0, "expected at least 1, found 0");
}

}  // namespace

static void list_fields(ProfileFields& fields, MessageCosts& costs) {
  list_estimate(fields, "latency", costs.latency_seconds, "s", not_negative);
  list_estimate(fields, "rate", costs.gbps, "GB/s", gbps_range);
  fields.optional_number("large_bytes", costs.large_bytes, not_negative);
  if (costs.large_bytes > 0) list_estimate(fields, "large", costs.large_seconds, "s", not_negative);
}

static void list_fields(ProfileFields& fields, SumCosts& costs) {
  list_estimate(fields, "fixed", costs.fixed_seconds, "s", not_negative);
  fields.entries("doubling", costs.doubling_seconds, class_keys,
                 [&fields](const std::string& name, Estimate& seconds) {
                   list_estimate(fields, name, seconds, "s", not_negative);
                 });
}

static void list_fields(ProfileFields& fields, TransportCosts& costs) {
  list_estimate(fields, "fixed", costs.fixed_seconds, "s", not_negative);
  list_estimate(fields, "message", costs.message_seconds, "s", not_negative);
  fields.objects("links", costs.links, class_keys);
  fields.object("sum", costs.sum);
  for (const auto& [of_class, ignored] : costs.links) {
    if (!costs.sum.doubling_seconds.contains(of_class)) {
      fields.refuse("sum", "doubling: lacks '" + class_keys.name(of_class) + "', which links have");
    }
  }
}

static void list_fields(ProfileFields& fields, Network& network) {
  fields.schema(network_schema_version);
  std::string kind = "network";
  fields.text("kind", kind);
  fields.require(kind == "network", "expected 'network'");
  fields.named("origin", network.origin, origins);
  fields.text("description", network.description);
  fields.optional_texts("environment", network.environment);
  if (fields.has("sources", !network.sources.empty())) fields.texts("sources", network.sources);
  count(fields, "ranks_per_host", network.ranks_per_host);
  count(fields, "adapters_per_host", network.adapters_per_host);
  fields.optional_number("adapter_gbps", network.adapter_gbps, gbps_range);
  fields.number("deviation", network.deviation, share);
  fields.objects("transports", network.transports, transport_keys);
  if (network.transports.empty()) fields.refuse("transports", "expected one at least");
}

std::string_view to_string(Transport transport) {
  for (const auto& [name, value] : transport_names) {
    if (value == transport) return name;
  }
  throw Error("a transport without a name");
}

Network parse_network(std::string_view json, const std::string& name, const std::string& source) {
  Network network;
  network.name = name;
  read_json_fields(json, source,
                   [&network](ProfileFields& fields) { list_fields(fields, network); });
  return network;
}

std::string network_to_json(const Network& network) {
  Network listed = network;
  std::string text =
      json_of_fields([&listed](ProfileFields& fields) { list_fields(fields, listed); });
  parse_network(text, network.name, network.name);  // what cannot be read is not written
  return text;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const std::string& file : names_beside_profiles(network_suffix)) {
    names.push_back(file.substr(0, file.size() - network_suffix.size()));
  }
  return names;
}

fs::path find_network(const std::string& name_or_path) {
  const bool is_path =
      name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".json";
  if (is_path) return name_or_path;
  const std::optional<fs::path> found =
      find_beside_profiles(name_or_path + std::string(network_suffix));
  if (found) return *found;
  std::vector<std::string> known = network_names();
  known.emplace_back("the path of a .json file");
  throw Error("no network '" + name_or_path + "'; expected " + one_of(known));
}

Network read_network(const std::string& name_or_path) {
  const fs::path path = find_network(name_or_path);
  std::string name = path.filename().string();
  if (name.ends_with(network_suffix)) name.resize(name.size() - network_suffix.size());
  return parse_network(read_file(path), name, path.string());
}

void write_network(const fs::path& path, const Network& network) {
  write_file(path, network_to_json(network));
}

}  // namespace sparsecast
