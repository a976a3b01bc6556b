#include "predict/features/features_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/counted/product_counts_json.hpp"
#include "core/analysis/counted/segment_counts_json.hpp"
#include "core/analysis/features_json.hpp"
#include "core/analysis/matrix_access_json.hpp"
#include "core/analysis/persistent_cut.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/standard_input.hpp"
#include "core/base/precision_json.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/json_tree.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t schema_version = 1;
constexpr const char* what_it_is = "a features file as sparsecast inspect writes it";

JsonObject to_json(const CountedPartition& partition, int devices, const Layout& layout) {
  JsonArray numbers;
  for (const PatternNumbers& of : partition.numbers) numbers.add(to_json(of, layout));
  JsonArray segments;
  for (const SegmentCounts& of : partition.segments) segments.add(to_json(of, layout));
  return {{"devices", devices}, {"numbers", numbers}, {"segments", segments}};
}

JsonObject to_json(const CountedLayout& counted) {
  JsonArray partitions;
  for (const auto& [devices, partition] : counted.partitions) {
    partitions.add(to_json(partition, devices, counted.layout));
  }
  return {{"layout", to_string(counted.layout)},
          {"products", to_json(counted.products)},
          {"partitions", partitions}};
}

JsonObject to_json(const GpuShape& gpu) {
  return {{"multiprocessors", gpu.multiprocessors},
          {"l2_bytes", gpu.l2_bytes},
          {"shared_bytes_per_block", gpu.shared_bytes_per_block}};
}

/// What sizes do not say; of a kernel that there is not no more than that.
JsonObject to_json(const CountedPersistent& kernel) {
  const PersistentExecution& execution = kernel.execution;
  JsonObject json{{"gpu", to_json(kernel.gpu)},
                  {"block", execution.block_size},
                  {"precision", to_string(kernel.precision)},
                  {"clustered", execution.clustered},
                  {"window_bytes", amount_json(execution.window_bytes)},
                  {"fits", execution.fits}};
  if (!execution.fits) return json;
  return json.add_members({{"balanced", execution.balanced},
                           {"chosen", execution.chosen},
                           {"steps", amount_json(execution.steps)},
                           {"most_steps", amount_json(execution.most_steps)},
                           {"resident_share", amount_json(execution.resident_share)},
                           {"halo", amount_json(execution.halo)},
                           {"largest_halo", amount_json(execution.largest_halo)},
                           {"moved_bytes", amount_json(execution.moved_bytes)},
                           {"most_halo_lines", amount_json(execution.most_halo_lines)},
                           {"most_moved_bytes", amount_json(execution.most_moved_bytes)}});
}

/// A number that fits in an int and is no less than `least`.
int small_count(const JsonPlace& place, int least) {
  const std::int64_t count = place.count();
  if (count < least || count > std::numeric_limits<int>::max()) {
    place.refuse("expected a whole number from " + std::to_string(least));
  }
  return static_cast<int>(count);
}

Renumbering read_renumbering(const JsonPlace& place) {
  try {
    return parse_renumbering(place.text());
  } catch (const Error& error) {
    place.refuse(error.what());
  }
}

CountedPartition read_partition(const JsonPlace& object, const Layout& layout, int devices,
                                const MatrixFeatures& matrix) {
  object.allow_only(Names{"devices", "numbers", "segments"});
  if (object.at("devices").count() != devices) {
    object.at("devices").refuse("expected " + std::to_string(devices) + ", as the file says");
  }
  const auto columns = static_cast<double>(matrix.columns);
  CountedPartition partition;
  double rows = 0;
  double nonzeros = 0;
  for (const JsonPlace& place : object.at("numbers").elements()) {
    partition.numbers.push_back(read_numbers(place, layout, columns));
  }
  for (const JsonPlace& place : object.at("segments").elements()) {
    const auto device = static_cast<int>(partition.segments.size());
    partition.segments.push_back(read_segment(place, layout, columns, device, devices));
    rows += partition.segments.back().numbers.rows;
    nonzeros += partition.segments.back().numbers.nonzeros;
  }
  const auto wanted = static_cast<std::size_t>(devices);
  if (partition.numbers.size() != wanted || partition.segments.size() != wanted) {
    object.refuse("expected numbers and segments of " + std::to_string(devices) + " devices");
  }
  if (rows != static_cast<double>(matrix.rows) ||
      nonzeros != static_cast<double>(matrix.nonzeros)) {
    object.at("segments").refuse("are together another matrix than that of 'features'");
  }
  return partition;
}

CountedLayout read_layout(const JsonPlace& object, const Layout& layout,
                          const ForecastFeatures& features) {
  object.allow_only(Names{"layout", "products", "partitions"});
  if (object.at("layout").text() != to_string(layout)) {
    object.at("layout").refuse("expected " + to_string(layout));
  }
  CountedLayout counted;
  counted.layout = layout;
  counted.products = read_products(object.at("products"));
  const JsonPlace partitions = object.at("partitions");
  const std::vector<JsonPlace> places = partitions.elements();
  if (places.size() != features.devices.size()) {
    partitions.refuse("expected one for each of 'devices'");
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    const int devices = features.devices[k];
    counted.partitions[devices] = read_partition(places[k], layout, devices, features.features);
  }
  return counted;
}

void read_format(const JsonPlace& object, const Format& format, ForecastFeatures& features) {
  const std::int64_t version = object.at("version").count();
  if (version != format.features_version) {
    features.left_out.push_back("format " + std::string(format.name) + " has version " +
                                std::to_string(version) + " in " + features.source +
                                ", this program " + std::to_string(format.features_version));
    return;
  }
  object.allow_only(Names{"version", "layouts"});
  const std::vector<Layout> layouts = usual_layouts_of(format);
  const JsonPlace list = object.at("layouts");
  const std::vector<JsonPlace> places = list.elements();
  if (places.size() != layouts.size()) {
    list.refuse("expected " + std::to_string(layouts.size()) + " layouts, found " +
                std::to_string(places.size()));
  }
  if (format.count != nullptr && !features.features.format_counts.contains(format.name)) {
    object.refuse("its counts are missing in features.format_counts");
  }
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    features.layouts.push_back(read_layout(places[k], layouts[k], features));
  }
}

/// Those that this program has; the others are of a later one.
void read_formats(const JsonPlace& object, ForecastFeatures& features) {
  Names known;
  for (const Format* format : formats()) {
    if (format->may_pay == nullptr) continue;
    known.emplace_back(format->name);
    if (const auto place = object.find(known.back())) {
      read_format(*place, *format, features);
    } else {
      features.left_out.push_back(features.source + " says nothing of format " + known.back());
    }
  }
  for (const std::string& key : object.keys()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    features.left_out.push_back("format " + brief(key) + " in " + features.source +
                                " is not known to this program");
  }
}

GpuShape read_gpu(const JsonPlace& object) {
  object.allow_only(Names{"multiprocessors", "l2_bytes", "shared_bytes_per_block"});
  return {small_count(object.at("multiprocessors"), 1), object.at("l2_bytes").count(),
          object.at("shared_bytes_per_block").count()};
}

/// The launch follows from the size, as for whoever counted.
CountedPersistent read_persistent(const JsonPlace& object, const MatrixFeatures& matrix) {
  object.allow_only(Names{"gpu", "block", "precision", "clustered", "window_bytes", "fits",
                          "balanced", "chosen", "steps", "most_steps", "resident_share", "halo",
                          "largest_halo", "moved_bytes", "most_halo_lines", "most_moved_bytes"});
  CountedPersistent kernel;
  kernel.gpu = read_gpu(object.at("gpu"));
  kernel.precision = read_precision(object.at("precision"));
  PersistentExecution& execution = kernel.execution;
  const JsonPlace block = object.at("block");
  const std::vector<int> sizes = persistent_block_sizes();
  if (std::ranges::find(sizes, block.count()) == sizes.end()) {
    block.refuse("there are no persistent kernels for such blocks");
  }
  execution.block_size = static_cast<int>(block.count());
  const PersistentShape shape =
      persistent_shape(persistent_segment(matrix, execution.block_size), kernel.gpu, CudaPolicy{});
  execution.blocks = shape.blocks;
  execution.threads = shape.threads;
  execution.lanes = shape.lanes;
  execution.clustered = object.at("clustered").truth();
  execution.window_bytes = object.at("window_bytes").amount();
  execution.fits = object.at("fits").truth();
  if (!execution.fits) return kernel;
  execution.balanced = object.at("balanced").truth();
  execution.chosen = object.at("chosen").truth();
  execution.steps = object.at("steps").amount();
  execution.most_steps = object.at("most_steps").amount();
  execution.resident_share = object.at("resident_share").amount();
  execution.halo = object.at("halo").amount();
  execution.largest_halo = object.at("largest_halo").amount();
  execution.moved_bytes = object.at("moved_bytes").amount();
  if (const auto lines = object.find("most_halo_lines")) {
    execution.most_halo_lines = lines->amount();
  }
  if (const auto bytes = object.find("most_moved_bytes")) {
    execution.most_moved_bytes = bytes->amount();
  }
  return kernel;
}

/// Says what a file of ours is that is none of features.
void refuse_other_kinds(const JsonPlace& top) {
  if (top.kind() != JsonTree::Kind::object || top.find("features")) return;
  if (top.find("precisions")) {
    top.refuse("is a profile; give it as the profile, and " + std::string(what_it_is) +
               ", or a matrix, here");
  }
  if (top.find("iteration")) {
    top.refuse("is a schedule; give it as the schedule, and " + std::string(what_it_is) +
               ", or a matrix, here");
  }
}

ForecastFeatures read_members(const JsonPlace& top, const std::string& source) {
  refuse_other_kinds(top);
  // The version first: of another one nothing else is known.
  const JsonPlace schema = top.at("schema");
  if (schema.count() != schema_version) {
    schema.refuse("version " + std::to_string(schema.count()) + " is unknown; expected " +
                  std::to_string(schema_version) +
                  "; count the matrix again with this version: " + how_to_count("", ""));
  }
  top.allow_only(Names{"schema", "matrix", "renumbering", "features", "access", "devices",
                       "formats", "persistent", "counts"});
  ForecastFeatures features;
  features.source = source;
  features.name = top.at("matrix").text();
  features.renumbering = read_renumbering(top.at("renumbering"));
  features.features = read_features(top.at("features"));
  if (features.features.rows != features.features.columns || features.features.rows == 0) {
    top.at("features").refuse("expected a square matrix with rows");
  }
  features.access = read_access(top.at("access"), block_sizes);
  for (const JsonPlace& place : top.at("devices").elements()) {
    const int least = features.devices.empty() ? 2 : features.devices.back() + 1;
    features.devices.push_back(small_count(place, least));
  }
  read_formats(top.at("formats"), features);
  for (const JsonPlace& place : top.at("persistent").elements()) {
    features.persistent.push_back(read_persistent(place, features.features));
  }
  if (const auto counts = top.find("counts")) {
    for (const JsonPlace& place : counts->elements()) {
      features.counts.push_back(read_iteration_count(place));
    }
  }
  return features;
}

}  // namespace

bool is_features_file(const std::filesystem::path& path) {
  if (is_standard_input(path)) return false;
  if (path.filename().string().ends_with(".features.json")) return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  char first = 0;
  return in >> first && first == '{';
}

std::string how_to_count(const std::string& options, const std::string& arguments) {
  return "sparsecast inspect MATRIX --features FILE" + options +
         ", or from Python count_features(A" + arguments + ')';
}

std::string features_to_json(const ForecastFeatures& features) {
  JsonObject formats;
  for (const Format* format : sparsecast::formats()) {
    JsonArray layouts;
    for (const CountedLayout& counted : features.layouts) {
      if (counted.layout.format == format->name) layouts.add(to_json(counted));
    }
    if (layouts.text() == JsonArray().text()) continue;  // one that was left out when read
    formats.add(format->name,
                JsonObject{{"version", format->features_version}, {"layouts", layouts}});
  }
  JsonArray persistent;
  for (const CountedPersistent& kernel : features.persistent) persistent.add(to_json(kernel));
  JsonObject file{{"schema", schema_version},
                  {"matrix", features.name},
                  {"renumbering", to_string(features.renumbering)},
                  {"features", to_json(features.features)},
                  {"access", to_json(features.access, block_sizes)},
                  {"devices", features.devices},
                  {"formats", formats},
                  {"persistent", persistent}};
  if (!features.counts.empty()) {
    JsonArray counts;
    for (const IterationCount& count : features.counts) counts.add(to_json(count));
    file.add("counts", counts);
  }
  return file.wrapped();
}

ForecastFeatures parse_features(std::string_view json, const std::string& source) {
  const JsonTree tree = parse_json_tree(json, source, what_it_is);
  return read_members(JsonPlace(tree, source), source);
}

ForecastFeatures read_features_file(const std::filesystem::path& path) {
  return parse_features(read_file(path, largest_features_file), path.string());
}

}  // namespace sparsecast
