#include "model/profile/device_profile.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/text/name_list.hpp"
#include "core/workload/device_arrays.hpp"
#include "core/workload/linked_devices.hpp"

namespace sparsecast {

namespace {

/// "a, b, c", or "none".
template <class Range, class Name>
std::string listed(const Range& range, Name name) {
  std::string text;
  for (const auto& entry : range) {
    if (!text.empty()) text += ", ";
    text += name(entry);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string one_of_models() {
  return one_of(std::vector<std::string>(model_names.begin(), model_names.end()));
}

std::string product_curve_key(std::string_view kernel, std::string_view layout) {
  return std::string(kernel) + '/' + std::string(layout);
}

namespace {

double seconds_of(const UploadTerms& terms, const DeviceProfile& profile) {
  return profile.upload_seconds * terms.arrays + profile.upload_seconds_per_start * terms.starts +
         1e-9 * (terms.threads_bytes / *profile.upload_gbps +
                 terms.driver_bytes / profile.upload_small_gbps.value_or(*profile.upload_gbps));
}

}  // namespace

double DeviceProfile::seconds_of_upload(std::span<const double> array_bytes) const {
  return upload_seconds_of_matrix + seconds_of(upload_terms(array_bytes, true), *this);
}

double DeviceProfile::seconds_of_vector_upload(double bytes) const {
  return seconds_of(upload_terms(std::span(&bytes, 1), false), *this);
}

std::string conversion_key(std::string_view layout, std::optional<LaunchMode> launch) {
  const bool persistent = launch == LaunchMode::persistent;
  return std::string(layout) + (persistent ? "/persistent" : "");
}

std::string spmv_curve_key(std::string_view layout) {
  return product_curve_key("SpMV", layout);
}

Precision DeviceProfile::default_precision() const {
  if (precisions.contains(Precision::f64)) return Precision::f64;
  at(Precision::f32);
  return Precision::f32;
}

const PrecisionProfile& DeviceProfile::at(Precision precision) const {
  const auto found = precisions.find(precision);
  if (found != precisions.end()) return found->second;
  throw Error(
      "profile '" + name + "' has no precision " + std::string(to_string(precision)) + "; it has " +
      listed(precisions, [](const auto& entry) { return std::string(to_string(entry.first)); }));
}

const KernelCurve& DeviceProfile::curve(Precision precision, std::string_view key) const {
  const auto& curves = at(precision).curves;
  const auto found = curves.find(std::string(key));
  if (found != curves.end()) return found->second;
  throw Error("profile '" + name + "' has no curve '" + std::string(key) + "' in " +
              std::string(to_string(precision)) + "; it has " +
              listed(curves, [](const auto& entry) { return entry.first; }));
}

int DeviceProfile::devices_of_link(int devices) const {
  if (links.empty()) {
    throw Error("profile '" + name +
                "' has no links between devices; it can price one device only");
  }
  const auto nearest = std::ranges::min_element(
      links, {}, [devices](const auto& entry) { return std::abs(entry.first - devices); });
  return nearest->first;
}

const Link& DeviceProfile::link(int devices) const {
  return links.at(devices_of_link(devices));
}

bool DeviceProfile::is_on_network(int devices) const {
  if (!network || devices < 2) return false;
  if (devices > std::min(network->ranks_per_host, most_linked_devices)) return true;
  return links.empty() || !link(devices).costs;
}

const IntervalRatios* DeviceProfile::iteration_ratios(Precision precision,
                                                      const std::string& layout,
                                                      int devices) const {
  const auto& intervals = at(precision).intervals;
  auto found = intervals.end();
  if (devices > 1) {
    found = intervals.find(layout + '/' + std::to_string(devices_of_link(devices)));
  }
  if (found == intervals.end()) found = intervals.find(layout);
  return found == intervals.end() ? nullptr : &found->second;
}

DeviceProfile DeviceProfile::for_paper_model() const {
  DeviceProfile paper = *this;
  paper.traffic.reset();
  if (!paper.cache) return paper;
  paper.cache.reset();
  for (auto& [precision, calibrated] : paper.precisions) calibrated.intervals.clear();
  return paper;
}

std::string_view DeviceProfile::model() const {
  if (traffic) return traffic->parameters.residuals.empty() ? "traffic" : "hybrid";
  return cache ? "cache" : "paper";
}

DeviceProfile DeviceProfile::for_model(std::string_view asked) const {
  if (asked.empty() || asked == model()) return *this;
  if (std::ranges::count(model_names, asked) == 0) {
    throw Error("unknown model '" + std::string(asked) + "'; expected " + one_of_models());
  }
  if (asked == "paper") return for_paper_model();
  if (asked == "traffic" && traffic) {
    DeviceProfile physical = *this;
    physical.traffic->parameters.residuals.clear();
    physical.traffic->intervals = std::move(physical.traffic->physical_intervals);
    physical.traffic->physical_intervals.clear();
    return physical;
  }
  if (asked == "hybrid" || asked == "traffic" || !cache) {
    throw Error("profile '" + name + "' has no model '" + std::string(asked) + "'; its best is '" +
                std::string(model()) + "'");
  }
  DeviceProfile reduced = *this;
  reduced.traffic.reset();
  return reduced;
}

}  // namespace sparsecast
