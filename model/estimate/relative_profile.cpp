#include "model/estimate/relative_profile.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text/name_list.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/workload/access_pattern.hpp"
#include "model/estimate/transfer_cost.hpp"
#include "model/interval_key.hpp"

namespace sparsecast {
namespace {

bool is_time(const TrafficParameter& parameter) {
  return std::string_view(parameter.unit) == "s";
}

/// What a multiprocessor takes of what the L2 cache delivers at a rate, bytes a clock. 8, 16, 32
/// and 64 multiprocessors of an H100 write 404, 805, 1600 and 2880 GB/s there (132: 3660), and
/// gather 15.8, 31.6, 63 and 126 sectors a nanosecond (132: 137).
double bytes_per_clock(const TrafficParameter& rate) {
  constexpr double written = 25;
  if (is_time(rate)) return sector_bytes;
  return rate.name == "device/l2_write" ? written : streamed_bytes_per_clock;
}

/// By how much numbers of a data sheet grow from the relative to the GPU.
class Ratios {
 public:
  Ratios(const DataSheet& from, const DataSheet& to)
      : from_(from),
        to_(to),
        memory_(to.bandwidth_gbps / from.bandwidth_gbps),
        l2_(to.l2_mb / from.l2_mb),
        clock_(to.clock_mhz / from.clock_mhz),
        multiprocessors_(static_cast<double>(to.multiprocessors) / from.multiprocessors),
        whole_multiprocessors_(static_cast<double>(multiprocessors_of_whole(to)) /
                               multiprocessors_of_whole(from)) {}

  double l2_capacity() const { return l2_; }

  /// Of what a parameter follows.
  double operator()(const TrafficParameter& parameter) const {
    switch (parameter.scaling) {
      case Scaling::none:
        return 1;
      case Scaling::memory_bandwidth:
        return memory_;
      case Scaling::l2_capacity:
        return l2_;
      case Scaling::l2_rate:
        return l2_rate(parameter);
      case Scaling::all_multiprocessors:
        return multiprocessors_ * clock_;
      case Scaling::clock:
        return clock_;
    }
    return 1;
  }

 private:
  /// Of one of the relative: no more is taken than the cache delivers, and no more delivered than
  /// is taken. One beyond what is taken is not the cache's but the multiprocessors'.
  double l2_rate(const TrafficParameter& rate) const {
    constexpr double nano = 1e-9;
    const double gbps = is_time(rate) ? nano * sector_bytes / *rate.value : *rate.value;
    const double taken = bytes_per_clock(rate);
    if (gbps >= taken_gbps(from_, taken)) return multiprocessors_ * clock_;
    return std::min(whole_multiprocessors_ * clock_, taken_gbps(to_, taken) / gbps);
  }

  const DataSheet& from_;
  const DataSheet& to_;
  double memory_;
  double l2_;
  double clock_;
  double multiprocessors_;
  double whole_multiprocessors_;
};

void scale(TrafficParameters& parameters, const Ratios& ratios) {
  for (const TrafficParameter& each : parameter_list(parameters)) {
    const double ratio = ratios(each);
    const double scaled = is_time(each) ? *each.value / ratio : *each.value * ratio;
    *each.value = std::clamp(scaled, each.least, each.most);
  }
}

/// A rate that grows while the fixed cost of equation 3, `2^mu / nu`, stays.
void scale(ThroughputCurve& curve, double ratio) {
  curve.nu *= ratio;
  curve.memory_nu *= ratio;
  curve.mu += std::log2(ratio);
}

void scale(KernelCurve& curve, double ratio) {
  scale(curve.average, ratio);
  scale(curve.maximum, ratio);
}

void scale(Link& link, double ratio) {
  // Through the host's memory nothing changes.
  if (link.law != ExchangeLaw::staged) scale(link.exchange, ratio);
  for (auto& [name, curve] : link.curves) {
    if (curve.law != ExchangeLaw::staged) scale(curve.curve, ratio);
  }
  if (!link.costs) return;
  for (auto& [mode, costs] : link.costs->exchanges) {
    if (mode == ExchangeMode::staged) continue;
    costs.gbps.value *= ratio;
    costs.gbps.error *= ratio;
  }
}

/// From which GPU to which.
struct Pair {
  const DataSheet& from;
  const DataSheet& to;
  Transfer transfer;

  IntervalRatios spread(std::string_view kind) const {
    return transfer_spread(from, to, kind, transfer);
  }
};

void widen(std::map<std::string, IntervalRatios>& intervals, const Pair& pair) {
  for (auto& [key, ratios] : intervals) ratios = widened(ratios, pair.spread(interval_kind(key)));
}

/// Those that `to` has, which may be fewer.
std::map<int, Link> scaled_links(std::map<int, Link> links, const Pair& pair) {
  const DataSheet& to = pair.to;
  if (!(to.link_gbps > 0 && pair.from.link_gbps > 0)) return {};
  std::erase_if(links, [&to](const auto& entry) {
    return to.link_devices > 0 && entry.first > to.link_devices;
  });
  for (auto& [devices, link] : links) {
    scale(link, to.link_gbps / pair.from.link_gbps);
    if (link.costs) widen(link.costs->intervals, pair);
  }
  return links;
}

void scale(TrafficProfile& traffic, const Pair& pair) {
  const DataSheet& to = pair.to;
  const Ratios ratios(pair.from, to);
  traffic.gpu.multiprocessors = to.multiprocessors;
  traffic.gpu.l2_bytes =
      std::llround(static_cast<double>(traffic.gpu.l2_bytes) * ratios.l2_capacity());
  traffic.gpu.shared_bytes_per_block = to.shared_bytes_per_block;
  if (!has_clusters(to)) {
    traffic.parameters.persistent_sums.erase("cluster");
    std::erase_if(traffic.log_errors,
                  [](const auto& entry) { return entry.first.starts_with("persistent-cluster/"); });
  }
  scale(traffic.parameters, ratios);
  widen(traffic.intervals, pair);
  widen(traffic.physical_intervals, pair);
}

std::string notes_of(const DeviceProfile& relative, const Pair& pair) {
  const auto& [from, to, transfer] = pair;
  std::string notes =
      transfer == Transfer::estimated
          ? "Estimated from " + relative.name +
                " by the data sheets of both: nobody has measured it. Launches, waits, sums and "
                "residuals are the relative's."
          : "Measured in part: its device constants, and how far kernel constants differ from "
            "those "
            "of " +
                relative.name + ". Residuals, links and host are the relative's.";
  if (from.compute_capability != to.compute_capability) {
    notes += " From compute capability " + from.compute_capability + " to " +
             to.compute_capability + " nobody has tried it: the interval is an assumption.";
  }
  if (!has_clusters(to)) {
    notes += " Small persistent kernels, which the relative runs as a cluster, are not forecast.";
  }
  return notes;
}

void check(const DataSheet& gpu) {
  const auto require = [](double number, const char* what) {
    if (!(number > 0 && std::isfinite(number))) {
      throw Error(std::string("data sheet: ") + what + " must be positive");
    }
  };
  require(gpu.multiprocessors, "the number of multiprocessors");
  require(gpu.clock_mhz, "the clock");
  require(gpu.bandwidth_gbps, "the bandwidth");
  require(gpu.l2_mb, "the L2 cache");
  require(gpu.memory_gb, "the memory");
  require(static_cast<double>(gpu.shared_bytes_per_block), "the shared memory of a thread block");
}

DeviceProfile scaled_profile(const DeviceProfile& relative, const Pair& pair,
                             const std::string& name) {
  const auto& [from, gpu, transfer] = pair;
  check(gpu);
  DeviceProfile profile = relative;
  profile.name = name;
  profile.origin = DeviceProfile::Origin::estimated;
  profile.estimated = {relative.name, from, gpu};
  profile.device = gpu.device.empty() ? name : gpu.device;
  profile.memory_bytes =
      std::llround(static_cast<double>(relative.memory_bytes) * gpu.memory_gb / from.memory_gb);
  profile.environment.clear();
  profile.notes = notes_of(relative, pair);
  const double bandwidth = streamed_gbps(gpu) / streamed_gbps(from);
  for (auto& [precision, calibrated] : profile.precisions) {
    for (auto& [key, curve] : calibrated.curves) scale(curve, bandwidth);
    for (auto& [layout, ratios] : calibrated.intervals) {
      ratios = widened(ratios, pair.spread("iteration"));
    }
  }
  profile.links = scaled_links(relative.links, pair);
  if (profile.links.empty()) {
    profile.device_count_max = 1;
  } else if (gpu.link_devices > 0) {
    profile.device_count_max = std::min(profile.device_count_max, gpu.link_devices);
  }
  scale(*profile.traffic, pair);
  return profile;
}

}  // namespace

void require_relative(const DeviceProfile& relative) {
  const auto refuse = [&relative](const std::string& why) {
    throw Error("profile '" + relative.name + "' " + why);
  };
  if (relative.kind == DeviceProfile::Kind::cpu) {
    refuse("is of a CPU; a relative of a GPU is a GPU that was calibrated");
  }
  if (!relative.traffic) {
    refuse("has no traffic model, whose constants data sheets scale; name one of a GPU that was " +
           std::string("calibrated"));
  }
  if (relative.origin == DeviceProfile::Origin::estimated) {
    refuse("is an estimate itself; name the profile of a GPU that was calibrated");
  }
  if (relative.origin == DeviceProfile::Origin::measured_in_part) {
    refuse("is measured in part itself; name the profile of a GPU that was calibrated");
  }
}

const DataSheet& data_sheet_of_relative(const DeviceProfile& relative) {
  require_relative(relative);
  const auto refuse = [&relative](const std::string& why) {
    throw Error("profile '" + relative.name + "' " + why);
  };
  const DataSheet* sheet = find_data_sheet_of(relative.device);
  if (sheet == nullptr) {
    std::vector<std::string> known;
    for (const DataSheet& each : data_sheets()) known.push_back(each.device);
    refuse("is of " + in_quotes(relative.device) + ", of which no data sheet is known; there are " +
           "those of " + one_of(known));
  }
  if (sheet->multiprocessors != relative.traffic->gpu.multiprocessors) {
    refuse("is of " + std::to_string(relative.traffic->gpu.multiprocessors) +
           " multiprocessors, where the data sheet says " + std::to_string(sheet->multiprocessors) +
           ": calibrate a whole GPU");
  }
  return *sheet;
}

DeviceProfile relative_profile(const DeviceProfile& relative, const DataSheet& gpu,
                               const std::string& name) {
  return scaled_profile(relative, {data_sheet_of_relative(relative), gpu, Transfer::estimated},
                        name);
}

DeviceProfile relative_of_device(const DeviceProfile& relative, const DescribedDevice& gpu) {
  require_relative(relative);
  const DataSheet from =
      device_sheet({relative.name, relative.device, relative.memory_bytes, relative.environment});
  DataSheet to = device_sheet(gpu);
  // What it does is measured.
  if (to.f64_per_clock == 0) to.f64_per_clock = from.f64_per_clock;
  DeviceProfile profile =
      scaled_profile(relative, {from, to, Transfer::measured_in_part}, gpu.name);
  profile.origin = DeviceProfile::Origin::measured_in_part;
  profile.memory_bytes = gpu.memory_bytes;
  profile.environment = gpu.environment;
  return profile;
}

}  // namespace sparsecast
