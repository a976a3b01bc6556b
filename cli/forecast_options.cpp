#include "cli/forecast_options.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "model/network/network_file.hpp"
#include "model/profile/common_precision.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/most_devices.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

std::optional<SystemNumbers> numbers_of(const CommandLine& line, std::span<const Layout> layouts) {
  if (!line.has("unknowns") && !line.has("elements")) {
    const std::string option = first_row_option(line);
    if (!option.empty()) throw UsageError(option + " goes with --unknowns and --elements");
    return std::nullopt;
  }
  if (line.has("matrix")) {
    throw UsageError("expected a matrix or --unknowns and --elements, not both");
  }
  if (layouts.size() != 1) {
    throw UsageError("--unknowns and --elements need --layout NAME or --block N: one layout");
  }
  SystemNumbers numbers;
  numbers.unknowns = static_cast<double>(line.get<WholeNumber>("unknowns").value);
  numbers.elements = static_cast<double>(line.get<WholeNumber>("elements").value);
  numbers.layout = layouts.front();
  numbers.rows = row_numbers_of(line);
  return numbers;
}

void add_row_options(CommandLine& line) {
  namespace po = boost::program_options;
  line.add()("row-deviation", po::value<double>(),
             "and, for the traffic model, what inspect prints of a matrix: the standard deviation "
             "of its row lengths")("longest-row", po::value<WholeNumber>(),
                                   "the entries of its longest row")(
      "mean-distance", po::value<double>(),
      "the mean of |column - row| over its entries, 0 to x - 1")(
      "neighbours", po::value<double>(),
      "how many entries lie beside an entry in its row, in the next columns, in the mean, 0 to 2")(
      "row-similarity", po::value<double>(),
      "the share of a row's entries that have one in the next row at the same column or beside it, "
      "in the mean of the rows, 0 to 1");
}

std::string first_row_option(const CommandLine& line) {
  for (const char* option :
       {"row-deviation", "longest-row", "mean-distance", "neighbours", "row-similarity"}) {
    if (line.has(option)) return std::string("--") + option;
  }
  return {};
}

RowNumbers row_numbers_of(const CommandLine& line) {
  RowNumbers numbers;
  if (line.has("row-deviation")) numbers.deviation = line.get<double>("row-deviation");
  if (line.has("longest-row")) {
    numbers.longest = static_cast<double>(line.get<WholeNumber>("longest-row").value);
    if (numbers.longest < 1) throw UsageError("--longest-row: expected a positive number");
  }
  if (line.has("mean-distance")) numbers.mean_distance = line.get<double>("mean-distance");
  if (line.has("neighbours")) numbers.neighbours = line.get<double>("neighbours");
  if (line.has("row-similarity")) numbers.similarity = line.get<double>("row-similarity");
  return numbers;
}

void require_layout_of_numbers(const Layout& layout) {
  try {
    check_layout_of_numbers(layout);
  } catch (const Error& error) {
    throw UsageError("--layout: " + std::string(error.what()));
  }
}

void require_numbers(const SystemNumbers& numbers, const DeviceProfile& profile) {
  require_layout_of_numbers(numbers.layout);
  try {
    check_numbers(numbers.unknowns, numbers.elements, numbers.layout, profile, numbers.rows);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

std::string to_string(const SystemNumbers& numbers) {
  return format_count(std::llround(numbers.unknowns)) + " unknowns, " +
         format_count(std::llround(numbers.elements)) + " elements in layout " +
         to_string(numbers.layout);
}

void require_network_model(const DeviceProfile& profile) {
  if (profile.traffic) return;
  throw UsageError("--network: of the traffic model; profile " + profile.name +
                   " is priced by model " + std::string(profile.model()));
}

void add_network_options(CommandLine& line) {
  namespace po = boost::program_options;
  line.add()("network", po::value<std::string>(),
             "what joins devices of several hosts, which are ranks then: a .network.json file or a "
             "shipped name (ndr400; docs/network.md)")(
      "gpus-per-node", po::value<WholeNumber>(),
      "of --network: devices of one host; default as the network says");
}

namespace {

std::optional<Network> network_of(const CommandLine& line) {
  if (!line.has("network")) {
    if (line.has("gpus-per-node")) {
      throw UsageError("--gpus-per-node: goes with --network; add it, or leave this out");
    }
    return std::nullopt;
  }
  Network network = read_network(line.get<std::string>("network"));
  if (line.has("gpus-per-node")) {
    const std::int64_t count = line.get<WholeNumber>("gpus-per-node").value;
    if (count < 1 || count > most_devices) {
      throw UsageError("--gpus-per-node: expected 1 to " + std::to_string(most_devices));
    }
    network.ranks_per_host = static_cast<int>(count);
  }
  return network;
}

}  // namespace

std::vector<DeviceProfile> read_profiles(const CommandLine& line) {
  const std::optional<Network> network = network_of(line);
  std::vector<DeviceProfile> profiles;
  std::set<std::filesystem::path> files;
  for (const std::string& name : line.get<std::vector<std::string>>("profile")) {
    if (!files.insert(std::filesystem::weakly_canonical(find_profile(name))).second) {
      throw UsageError("--profile " + name + ": is given twice; give each profile once");
    }
    DeviceProfile profile = read_profile_for(name, line.get_or("model", ""));
    if (std::ranges::find(profiles, profile.name, &DeviceProfile::name) != profiles.end()) {
      throw UsageError("--profile " + name + ": another profile is named '" + profile.name +
                       "' too; rename one");
    }
    if (network) require_network_model(profile);
    profiles.push_back(std::move(profile));
  }
  if (network) {
    for (const std::string& alone : join(profiles, *network)) warn(alone);
  }
  return profiles;
}

Precision precision_of(const CommandLine& line, const std::vector<DeviceProfile>& profiles) {
  if (line.has("precision")) {
    const Precision asked = parse_precision("--precision", line.get<std::string>("precision"));
    try {
      for (const DeviceProfile& profile : profiles) profile.at(asked);
    } catch (const Error& error) {
      throw UsageError("--precision: " + std::string(error.what()));
    }
    return asked;
  }
  const Precision precision = common_precision(profiles);
  say("precision " + std::string(to_string(precision)) + ": the best that all profiles have");
  return precision;
}

JsonValue network_to_json(std::span<const DeviceProfile> profiles) {
  const Network* network = common_network(profiles);
  if (network == nullptr) return {};
  return JsonObject{{"name", network->name},
                    {"devices_per_host", network->ranks_per_host},
                    {"measured", network->origin == Network::Origin::measured}};
}

JsonObject asked_to_json(const CommandLine& line, std::span<const DeviceProfile> profiles,
                         Precision precision, CurveKind curve) {
  const auto number = [&](const char* option) {
    return line.has(option) ? JsonValue(line.get<WholeNumber>(option).value) : JsonValue();
  };
  JsonArray described;
  for (const DeviceProfile& profile : profiles) {
    described.add(JsonObject{{"name", profile.name},
                             {"device", profile.device},
                             {"model", profile.model()},
                             {"estimated", profile.origin == DeviceProfile::Origin::estimated}});
  }
  return {{"matrix", line.has("matrix") ? JsonValue(file_label(line.get<std::string>("matrix")))
                                        : JsonValue()},
          {"unknowns", number("unknowns")},
          {"elements", number("elements")},
          {"profiles", described},
          {"precision", to_string(precision)},
          {"curve", curve == CurveKind::average ? "average" : "maximum"},
          {"network", network_to_json(profiles)}};
}

std::int64_t iterations_of(const CommandLine& line) {
  if (!line.has("iterations")) return 0;
  const std::int64_t iterations = line.get<WholeNumber>("iterations").value;
  if (iterations < 1) throw UsageError("--iterations: expected a positive whole number");
  return iterations;
}

void require_curves(CurveKind curve, const DeviceProfile& profile) {
  if (curve != CurveKind::maximum || !profile.traffic) return;
  throw UsageError("--curve maximum: profile " + profile.name +
                   " is priced by the traffic model, which has no curves; add --model paper");
}

}  // namespace sparsecast::cli
