#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/device_profile.hpp"

namespace sparsecast {

namespace fs = std::filesystem;
/// What is read, where the order of fields does not matter (and a lookup is no walk); and written.
using Json = nlohmann::json;
using WrittenJson = nlohmann::ordered_json;

namespace {

template <class Value>
using Names = std::array<std::pair<std::string_view, Value>, 2>;

constexpr Names<DeviceProfile::Kind> kinds{
    {{"cpu", DeviceProfile::Kind::cpu}, {"gpu", DeviceProfile::Kind::gpu}}};
constexpr std::array<std::pair<std::string_view, DeviceProfile::Origin>, 3> origins{
    {{"measured", DeviceProfile::Origin::measured},
     {"published", DeviceProfile::Origin::published},
     {"estimated", DeviceProfile::Origin::estimated}}};
constexpr std::array<std::pair<std::string_view, ExchangeLaw>, 3> exchange_laws{
    {{"staged", ExchangeLaw::staged},
     {"peer", ExchangeLaw::peer},
     {"ingress", ExchangeLaw::ingress}}};
constexpr std::array<std::pair<std::string_view, ExchangeMode>, 3> exchange_modes{
    {{"staged", ExchangeMode::staged}, {"peer", ExchangeMode::peer}, {"halo", ExchangeMode::halo}}};
constexpr Names<Precision> precision_names{{{"f32", Precision::f32}, {"f64", Precision::f64}}};

template <class Value, std::size_t count>
std::string name_of(const std::array<std::pair<std::string_view, Value>, count>& names,
                    Value value) {
  for (const auto& [name, named] : names) {
    if (named == value) return std::string(name);
  }
  throw Error("a profile's value has no name");
}

/// Values beyond these are mistakes; within them no price overflows.
struct Range {
  double min = 0;
  double max = std::numeric_limits<double>::max();
};
constexpr Range mu_range{0, 64};
constexpr Range sigma_range{0.1, 100};
constexpr Range nu_range{1e-9, 1e9};
constexpr Range positive{std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
constexpr Range any_number{std::numeric_limits<double>::lowest(),
                           std::numeric_limits<double>::max()};
constexpr Range share{0, 1};

std::string short_text(double number) {
  std::array<char, 32> text{};
  const auto [end, status] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 6);
  return status == std::errc{} ? std::string(text.data(), end) : "a number";
}

std::string expected_text(Range range) {
  const bool bounded_below = range.min > std::numeric_limits<double>::lowest();
  const bool bounded_above = range.max < std::numeric_limits<double>::max();
  if (!bounded_below) return "a number";
  if (range.min == positive.min) return "a positive number";
  if (!bounded_above) return "a number of at least " + short_text(range.min);
  return "a number from " + short_text(range.min) + " to " + short_text(range.max);
}

/// A JSON value with its place in the file, for messages.
class Node {
 public:
  Node(const Json& json, std::string path, const std::string& source)
      : json_(&json), path_(std::move(path)), source_(&source) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(*source_ + ": " + (path_.empty() ? "" : path_ + ": ") + what);
  }

  double number(Range range) const {
    if (!json_->is_number()) fail("expected " + expected_text(range) + ", found " + kind());
    const double value = json_->get<double>();
    if (!std::isfinite(value) || value < range.min || value > range.max) {
      fail("expected " + expected_text(range) + ", found " + json_->dump());
    }
    return value;
  }

  std::int64_t whole_number(std::int64_t max = std::numeric_limits<std::int64_t>::max()) const {
    const bool fits = json_->is_number_unsigned() &&
                      json_->get<std::uint64_t>() <= static_cast<std::uint64_t>(max);
    if (!fits) {
      const std::string limit =
          max == std::numeric_limits<std::int64_t>::max() ? "" : " up to " + std::to_string(max);
      fail("expected a whole number from 0" + limit + ", found " +
           (json_->is_number() ? json_->dump() : kind()));
    }
    return json_->get<std::int64_t>();
  }
  int small_whole_number() const {
    return static_cast<int>(whole_number(std::numeric_limits<int>::max()));
  }

  std::string text() const {
    if (!json_->is_string()) fail("expected a text, found " + kind());
    return json_->get<std::string>();
  }

  bool flag() const {
    if (!json_->is_boolean()) fail("expected true or false, found " + kind());
    return json_->get<bool>();
  }

  template <class Value, std::size_t count>
  Value one_of(const std::array<std::pair<std::string_view, Value>, count>& names) const {
    const std::string value = text();
    return named(names, value);
  }
  template <class Value, std::size_t count>
  Value named(const std::array<std::pair<std::string_view, Value>, count>& names,
              const std::string& value) const {
    std::string expected;
    for (const auto& [name, meaning] : names) {
      if (name == value) return meaning;
      expected += (expected.empty() ? "" : " or ") + std::string(name);
    }
    fail("expected " + expected + ", found " + in_quotes(value));
  }

  /// The entries of an object whose keys are free.
  std::vector<std::pair<std::string, Node>> entries() const {
    require_object();
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& [key, value] : json_->items()) nodes.emplace_back(key, child(key, value));
    return nodes;
  }

  std::vector<Node> elements() const {
    if (!json_->is_array()) fail("expected an array, found " + kind());
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_->size(); ++i) {
      nodes.emplace_back((*json_)[i], path_ + "[" + std::to_string(i) + "]", *source_);
    }
    return nodes;
  }

  void require_object() const {
    if (!json_->is_object()) fail("expected an object, found " + kind());
  }
  const Json& json() const { return *json_; }
  Node child(const std::string& key, const Json& value) const {
    return {value, path_.empty() ? brief(key) : path_ + "." + brief(key), *source_};
  }

 private:
  std::string kind() const {
    switch (json_->type()) {
      case Json::value_t::null:
        return "null";
      case Json::value_t::boolean:
        return "true or false";
      case Json::value_t::string:
        return "a text";
      case Json::value_t::array:
        return "an array";
      case Json::value_t::object:
        return "an object";
      default:
        return "a number";
    }
  }

  const Json* json_;
  std::string path_;
  const std::string* source_;
};

/// The fields of an object whose keys are fixed; `done` refuses those that nobody asked for.
class Fields {
 public:
  explicit Fields(Node node) : node_(std::move(node)) { node_.require_object(); }

  std::optional<Node> optional(const std::string& key) {
    known_.insert(key);
    const auto found = node_.json().find(key);
    if (found == node_.json().end()) return std::nullopt;
    return node_.child(key, *found);
  }
  Node required(const std::string& key) {
    std::optional<Node> found = optional(key);
    if (!found) node_.fail("field '" + key + "' is missing");
    return *found;
  }
  void done() const {
    for (const auto& [key, value] : node_.json().items()) {
      if (known_.contains(key)) continue;
      std::string expected;
      for (const std::string& name : known_) expected += (expected.empty() ? "" : ", ") + name;
      node_.fail("unknown field " + in_quotes(key) + "; known are " + expected);
    }
  }

 private:
  Node node_;
  std::set<std::string> known_;
};

ThroughputCurve read_curve(const Node& node) {
  Fields fields(node);
  ThroughputCurve curve;
  curve.mu = fields.required("mu").number(mu_range);
  curve.sigma = fields.required("sigma").number(sigma_range);
  curve.nu = fields.required("nu").number(nu_range);
  if (const auto memory_nu = fields.optional("memory_nu")) {
    curve.memory_nu = memory_nu->number(nu_range);
    if (curve.memory_nu > curve.nu) memory_nu->fail("is above nu");
  }
  fields.done();
  return curve;
}

FitQuality read_quality(const Node& node) {
  Fields fields(node);
  FitQuality quality;
  const Node covariance = fields.required("covariance");
  const std::vector<Node> elements = covariance.elements();
  if (elements.size() != quality.covariance.size()) {
    covariance.fail("expected 9 numbers, found " + std::to_string(elements.size()));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    quality.covariance[i] = elements[i].number(any_number);
  }
  quality.median_relative_error = fields.required("median_relative_error").number(Range{});
  quality.samples = fields.required("samples").small_whole_number();
  quality.elements_min = fields.required("elements_min").number(Range{});
  const Node elements_max = fields.required("elements_max");
  quality.elements_max = elements_max.number(Range{});
  if (quality.elements_max < quality.elements_min) elements_max.fail("is below elements_min");
  for (const auto& [decade, coverage] : fields.required("maximum_coverage").entries()) {
    int key = 0;
    const auto [end, status] = std::from_chars(decade.data(), decade.data() + decade.size(), key);
    if (status != std::errc{} || end != decade.data() + decade.size() || key < 0 || key > 18) {
      coverage.fail("expected a decade from 0 to 18 as the key");
    }
    quality.maximum_coverage[key] = coverage.number(share);
  }
  fields.done();
  return quality;
}

KernelCurve read_kernel_curve(const Node& node) {
  Fields fields(node);
  KernelCurve curve;
  curve.average = read_curve(fields.required("average"));
  curve.maximum = read_curve(fields.required("maximum"));
  if (const auto quality = fields.optional("quality")) curve.quality = read_quality(*quality);
  fields.done();
  return curve;
}

CacheEffect read_cache(const Node& node) {
  Fields fields(node);
  CacheEffect cache;
  cache.capacity_bytes = fields.required("capacity_bytes").number(positive);
  cache.sharpness = fields.required("sharpness").number(positive);
  fields.done();
  return cache;
}

IntervalRatios read_interval(const Node& node) {
  Fields fields(node);
  IntervalRatios ratios;
  ratios.low = fields.required("low").number(positive);
  const Node high = fields.required("high");
  ratios.high = high.number(positive);
  if (ratios.high < ratios.low) high.fail("is below low");
  ratios.samples = fields.required("samples").small_whole_number();
  fields.done();
  return ratios;
}

GpuShape read_gpu_shape(const Node& node) {
  Fields fields(node);
  GpuShape gpu;
  const auto positive_number = [&](const char* field, std::int64_t most) {
    const Node found = fields.required(field);
    const std::int64_t number = found.whole_number(most);
    if (number < 1) found.fail("expected at least 1, found 0");
    return number;
  };
  constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  gpu.multiprocessors =
      static_cast<int>(positive_number("multiprocessors", std::numeric_limits<int>::max()));
  gpu.l2_bytes = positive_number("l2_bytes", most_bytes);
  gpu.shared_bytes_per_block = positive_number("shared_bytes_per_block", most_bytes);
  fields.done();
  return gpu;
}

Remainder read_remainder(const Node& node, std::string_view group) {
  Fields fields(node);
  RemainderText text{fields.required("mean").text(), fields.required("deviation").text(), {}};
  for (const Node& point : fields.required("points").elements()) {
    text.points.push_back(point.text());
  }
  fields.done();
  try {
    return parse_remainder(text, group);
  } catch (const Error& error) {
    node.fail(error.what());
  }
}

TrafficProfile read_traffic(const Node& node) {
  Fields fields(node);
  TrafficProfile traffic;
  if (const auto cpu = fields.optional("cpu")) {
    Fields shape(*cpu);
    const Node threads = shape.required("threads");
    traffic.cpu_threads = threads.small_whole_number();
    if (traffic.cpu_threads < 1) threads.fail("expected at least 1");
    shape.done();
  } else {
    traffic.gpu = read_gpu_shape(fields.required("gpu"));
  }
  const Node parameters = fields.required("parameters");
  const auto entries = parameters.entries();
  // Of a version with other terms.
  const std::string what_to_do = "; fit its samples again (calibrate --refit) or calibrate again";
  for (const auto& [name, parameter] : entries) {
    try {
      add_parameter(traffic.parameters, name);
    } catch (const Error& error) {
      parameter.fail(error.what() + what_to_do);
    }
  }
  if (traffic.parameters.cpu.has_value() != (traffic.cpu_threads > 0)) {
    parameters.fail(traffic.cpu_threads > 0 ? "expected those of a CPU"
                                            : "expected those of a GPU");
  }
  for (const TrafficParameter& each : parameter_list(traffic.parameters)) {
    const auto found = std::ranges::find(entries, each.name, &std::pair<std::string, Node>::first);
    if (found == entries.end()) {
      parameters.fail("field '" + each.name + "' is missing" + what_to_do);
    }
    Fields parameter(found->second);
    *each.value = parameter.required("value").number({each.least, each.most});
    if (parameter.required("unit").text() != each.unit) {
      found->second.fail("expected the unit '" + std::string(each.unit) + "'");
    }
    traffic.log_errors[each.name] = parameter.required("log_error").number(Range{});
    parameter.done();
  }
  traffic.samples = fields.required("samples").small_whole_number();
  traffic.median_error = fields.required("median_error").number(Range{});
  for (const auto& [key, ratios] : fields.required("intervals").entries()) {
    traffic.intervals[key] = read_interval(ratios);
  }
  if (const auto remainders = fields.optional("remainders")) {
    for (const auto& [precision, groups] : remainders->entries()) {
      auto& of_precision = traffic.parameters.remainders[groups.named(precision_names, precision)];
      for (const auto& [group, remainder] : groups.entries()) {
        of_precision[group] = read_remainder(remainder, group);
      }
    }
  }
  fields.done();
  return traffic;
}

ConversionCost read_conversion(const Node& node) {
  Fields fields(node);
  ConversionCost cost;
  cost.seconds_per_nonzero = fields.required("seconds_per_nonzero").number(Range{});
  cost.seconds_per_element = fields.required("seconds_per_element").number(Range{});
  fields.done();
  return cost;
}

PrecisionProfile read_precision(const Node& node) {
  Fields fields(node);
  PrecisionProfile precision;
  for (const auto& [key, curve] : fields.required("curves").entries()) {
    precision.curves[key] = read_kernel_curve(curve);
  }
  if (const auto intervals = fields.optional("intervals")) {
    for (const auto& [layout, ratios] : intervals->entries()) {
      precision.intervals[layout] = read_interval(ratios);
    }
  }
  if (const auto conversion = fields.optional("conversion")) {
    for (const auto& [layout, cost] : conversion->entries()) {
      precision.conversion[layout] = read_conversion(cost);
    }
  }
  fields.done();
  return precision;
}

Estimate read_estimate(const Node& node, std::string_view unit, Range range) {
  Fields fields(node);
  Estimate estimate;
  estimate.value = fields.required("value").number(range);
  if (fields.required("unit").text() != unit) {
    node.fail("expected the unit '" + std::string(unit) + "'");
  }
  estimate.error = fields.required("error").number(Range{});
  fields.done();
  return estimate;
}

LinkCosts read_link_costs(const Node& node) {
  Fields fields(node);
  LinkCosts costs;
  costs.sum_seconds = read_estimate(fields.required("sum"), "s", Range{});
  for (const auto& [mode, exchange] : fields.required("exchanges").entries()) {
    Fields of_mode(exchange);
    ExchangeCosts& one = costs.exchanges[exchange.named(exchange_modes, mode)];
    one.fixed_seconds = read_estimate(of_mode.required("fixed"), "s", Range{});
    one.gbps = read_estimate(of_mode.required("rate"), "GB/s", nu_range);
    one.hidden = read_estimate(of_mode.required("hidden"), "", share);
    of_mode.done();
  }
  costs.samples = fields.required("samples").small_whole_number();
  costs.median_error = fields.required("median_error").number(Range{});
  for (const auto& [key, ratios] : fields.required("intervals").entries()) {
    costs.intervals[key] = read_interval(ratios);
  }
  fields.done();
  return costs;
}

Link read_link(const Node& node) {
  Fields fields(node);
  Link link;
  link.exchange = read_kernel_curve(fields.required("exchange"));
  link.law = fields.required("law").one_of(exchange_laws);
  link.sync_seconds = fields.required("sync_seconds").number(Range{});
  link.shared_bus = fields.required("shared_bus").flag();
  if (const auto curves = fields.optional("curves")) {
    for (const auto& [key, curve] : curves->entries()) {
      Fields of_curve(curve);
      link.curves[key] = {read_kernel_curve(of_curve.required("curve")),
                          of_curve.required("law").one_of(exchange_laws)};
      of_curve.done();
    }
  }
  if (const auto costs = fields.optional("costs")) link.costs = read_link_costs(*costs);
  fields.done();
  return link;
}

int read_device_count(const std::string& key, const Node& node) {
  int devices = 0;
  const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), devices);
  if (status != std::errc{} || end != key.data() + key.size() || devices < 2) {
    node.fail("expected a number of devices, 2 or more, as the key");
  }
  return devices;
}

/// "line 3, column 14" of a byte counted from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? std::min(byte - 1, text.size()) : 0);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column);
}

/// Refuses a field that is there twice: which of the two is meant nobody knows.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(const std::string& source) : source_(&source) {}

  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto key = parsed.get<std::string>();
      if (!keys_.back().insert(key).second) {
        throw Error(*source_ + ": field " + in_quotes(key) + " is there twice");
      }
    }
    return true;
  }

 private:
  const std::string* source_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects that are open
};

Json parse_json(std::string_view text, const std::string& source) {
  const auto damaged = [&](std::size_t byte) {
    return Error(source + ": damaged JSON at " + line_and_column(text, byte) +
                 "; expected a profile as sparsecast calibrate writes it");
  };
  // The parser would take it for the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw damaged(zero + 1);
  }
  try {
    return Json::parse(text.begin(), text.end(), DuplicateKeys(source));
  } catch (const Json::parse_error& error) {
    throw damaged(error.byte);
  } catch (const Json::exception&) {  // a number that no double holds
    throw Error(source + ": a number is too large; expected finite numbers");
  }
}

WrittenJson to_json(const ThroughputCurve& curve) {
  WrittenJson json{{"mu", curve.mu}, {"sigma", curve.sigma}, {"nu", curve.nu}};
  if (curve.memory_nu > 0) json["memory_nu"] = curve.memory_nu;
  return json;
}

WrittenJson to_json(const KernelCurve& curve) {
  WrittenJson json{{"average", to_json(curve.average)}, {"maximum", to_json(curve.maximum)}};
  if (curve.quality) {
    const FitQuality& quality = *curve.quality;
    WrittenJson coverage = WrittenJson::object();
    for (const auto& [decade, covered] : quality.maximum_coverage) {
      coverage[std::to_string(decade)] = covered;
    }
    json["quality"] = {{"covariance", quality.covariance},
                       {"median_relative_error", quality.median_relative_error},
                       {"samples", quality.samples},
                       {"elements_min", quality.elements_min},
                       {"elements_max", quality.elements_max},
                       {"maximum_coverage", coverage}};
  }
  return json;
}

WrittenJson to_json(const IntervalRatios& ratios) {
  return {{"low", ratios.low}, {"high", ratios.high}, {"samples", ratios.samples}};
}

WrittenJson to_json(const Remainder& remainder) {
  const RemainderText text = to_text(remainder);
  return {{"mean", text.mean}, {"deviation", text.deviation}, {"points", text.points}};
}

WrittenJson to_json(const TrafficProfile& traffic) {
  WrittenJson parameters = WrittenJson::object();
  TrafficParameters copy = traffic.parameters;
  for (const TrafficParameter& each : parameter_list(copy)) {
    const auto error = traffic.log_errors.find(each.name);
    parameters[each.name] = {{"value", *each.value},
                             {"unit", each.unit},
                             {"log_error", error == traffic.log_errors.end() ? 0 : error->second}};
  }
  WrittenJson intervals = WrittenJson::object();
  for (const auto& [key, ratios] : traffic.intervals) intervals[key] = to_json(ratios);
  WrittenJson json;
  if (traffic.cpu_threads > 0) {
    json["cpu"] = {{"threads", traffic.cpu_threads}};
  } else {
    json["gpu"] = {{"multiprocessors", traffic.gpu.multiprocessors},
                   {"l2_bytes", traffic.gpu.l2_bytes},
                   {"shared_bytes_per_block", traffic.gpu.shared_bytes_per_block}};
  }
  json["parameters"] = parameters;
  json["samples"] = traffic.samples;
  json["median_error"] = traffic.median_error;
  json["intervals"] = intervals;
  for (const auto& [precision, groups] : traffic.parameters.remainders) {
    for (const auto& [group, remainder] : groups) {
      json["remainders"][std::string(to_string(precision))][group] = to_json(remainder);
    }
  }
  return json;
}

WrittenJson to_json(const PrecisionProfile& precision) {
  WrittenJson json{{"curves", WrittenJson::object()}};
  for (const auto& [key, curve] : precision.curves) json["curves"][key] = to_json(curve);
  for (const auto& [layout, ratios] : precision.intervals) {
    json["intervals"][layout] = to_json(ratios);
  }
  for (const auto& [layout, cost] : precision.conversion) {
    json["conversion"][layout] = {{"seconds_per_nonzero", cost.seconds_per_nonzero},
                                  {"seconds_per_element", cost.seconds_per_element}};
  }
  return json;
}

WrittenJson to_json(const Estimate& estimate, std::string_view unit) {
  return {{"value", estimate.value}, {"unit", unit}, {"error", estimate.error}};
}

WrittenJson to_json(const LinkCosts& costs) {
  WrittenJson exchanges = WrittenJson::object();
  for (const auto& [mode, exchange] : costs.exchanges) {
    exchanges[name_of(exchange_modes, mode)] = {{"fixed", to_json(exchange.fixed_seconds, "s")},
                                                {"rate", to_json(exchange.gbps, "GB/s")},
                                                {"hidden", to_json(exchange.hidden, "")}};
  }
  WrittenJson intervals = WrittenJson::object();
  for (const auto& [key, ratios] : costs.intervals) intervals[key] = to_json(ratios);
  return {{"sum", to_json(costs.sum_seconds, "s")},
          {"exchanges", exchanges},
          {"samples", costs.samples},
          {"median_error", costs.median_error},
          {"intervals", intervals}};
}

WrittenJson to_json(const Link& link) {
  WrittenJson json{{"exchange", to_json(link.exchange)},
                   {"law", name_of(exchange_laws, link.law)},
                   {"sync_seconds", link.sync_seconds},
                   {"shared_bus", link.shared_bus}};
  for (const auto& [key, curve] : link.curves) {
    json["curves"][key] = {{"curve", to_json(curve.curve)},
                           {"law", name_of(exchange_laws, curve.law)}};
  }
  if (link.costs) json["costs"] = to_json(*link.costs);
  return json;
}

}  // namespace

DeviceProfile parse_profile(std::string_view json_text, const std::string& name,
                            const std::string& source) {
  const std::string& place = source.empty() ? name : source;
  const Json json = parse_json(json_text, place);
  Fields fields(Node(json, "", place));
  // The version first: of another one nothing else is known.
  const Node schema = fields.required("schema");
  if (schema.whole_number() != profile_schema_version) {
    schema.fail("version " + std::to_string(schema.whole_number()) + " is unknown; expected " +
                std::to_string(profile_schema_version));
  }

  DeviceProfile profile;
  profile.name = name;
  profile.device = fields.required("device").text();
  profile.kind = fields.required("kind").one_of(kinds);
  profile.origin = fields.required("origin").one_of(origins);
  profile.memory_bytes = fields.required("memory_bytes").whole_number();
  profile.device_count_max = fields.required("device_count_max").small_whole_number();
  if (const auto environment = fields.optional("environment")) {
    for (const auto& [key, value] : environment->entries()) profile.environment[key] = value.text();
  }
  if (const auto notes = fields.optional("notes")) profile.notes = notes->text();
  for (const auto& [key, precision] : fields.required("precisions").entries()) {
    profile.precisions[precision.named(precision_names, key)] = read_precision(precision);
  }
  if (const auto links = fields.optional("links")) {
    for (const auto& [key, link] : links->entries()) {
      profile.links[read_device_count(key, link)] = read_link(link);
    }
  }
  if (const auto cache = fields.optional("cache")) profile.cache = read_cache(*cache);
  if (const auto traffic = fields.optional("traffic")) profile.traffic = read_traffic(*traffic);
  if (const auto upload = fields.optional("upload_gbps")) {
    profile.upload_gbps = upload->number(nu_range);
  }
  fields.done();
  return profile;
}

fs::path find_profile(const std::string& name_or_path) {
  const bool is_path =
      name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".json";
  if (is_path) return name_or_path;

  std::vector<fs::path> folders;
  if (const char* folder = std::getenv("SPARSECAST_PROFILES"); folder != nullptr && *folder != 0) {
    folders.emplace_back(folder);
  }
  // An installed program finds what was installed with it, wherever the prefix was moved.
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (!unknown) {
    const fs::path beside = program.parent_path() / SPARSECAST_PROFILES_FROM_PROGRAM;
    if (fs::is_directory(beside, unknown)) folders.push_back(beside.lexically_normal());
  }
  folders.emplace_back(SPARSECAST_SOURCE_PROFILES);
  folders.emplace_back(SPARSECAST_INSTALLED_PROFILES);

  std::set<std::string> known;
  std::string searched;
  for (const fs::path& folder : folders) {
    fs::path candidate = folder / (name_or_path + ".json");
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored)) return candidate;
    searched += (searched.empty() ? "" : ", ") + folder.string();
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".json") known.insert(entry.path().stem().string());
    }
  }
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw Error("no profile '" + name_or_path + "' in " + searched + "; known are " +
              (names.empty() ? "none" : names) + ", or give the path of a .json file");
}

DeviceProfile read_profile(const std::string& name_or_path) {
  const fs::path path = find_profile(name_or_path);
  return parse_profile(read_file(path), path.stem().string(), path.string());
}

std::string profile_to_json(const DeviceProfile& profile) {
  WrittenJson json;
  json["schema"] = profile_schema_version;
  json["device"] = profile.device;
  json["kind"] = name_of(kinds, profile.kind);
  json["origin"] = name_of(origins, profile.origin);
  json["memory_bytes"] = profile.memory_bytes;
  json["device_count_max"] = profile.device_count_max;
  if (!profile.environment.empty()) json["environment"] = profile.environment;
  if (!profile.notes.empty()) json["notes"] = profile.notes;
  json["precisions"] = WrittenJson::object();
  for (const auto& [precision, content] : profile.precisions) {
    json["precisions"][std::string(to_string(precision))] = to_json(content);
  }
  for (const auto& [devices, link] : profile.links) {
    json["links"][std::to_string(devices)] = to_json(link);
  }
  if (profile.cache) {
    json["cache"] = {{"capacity_bytes", profile.cache->capacity_bytes},
                     {"sharpness", profile.cache->sharpness}};
  }
  if (profile.traffic) json["traffic"] = to_json(*profile.traffic);
  if (profile.upload_gbps) json["upload_gbps"] = *profile.upload_gbps;
  std::string text = json.dump(2, ' ', false, WrittenJson::error_handler_t::replace) + '\n';
  parse_profile(text, profile.name);  // what cannot be read is not written
  return text;
}

void write_profile(const fs::path& path, const DeviceProfile& profile) {
  write_file(path, profile_to_json(profile));
}

}  // namespace sparsecast
