#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "model/cache_effect.hpp"
#include "model/interval_ratios.hpp"
#include "model/link_costs.hpp"
#include "model/throughput_curve.hpp"
#include "model/traffic_parameters.hpp"

namespace sparsecast {

/// How a curve was fitted; absent for curves from publications.
struct FitQuality {
  /// Covariance of (mu, sigma, log nu) of the average curve, row major.
  std::array<double, 9> covariance{};
  double median_relative_error = 0;  ///< of time, over the fit's own samples
  int samples = 0;
  double elements_min = 0;  ///< measured range of m
  double elements_max = 0;
  /// Share of samples at or below the maximum curve, per decade of m (key: floor(log10 m)).
  std::map<int, double> maximum_coverage;
};

/// A kernel's throughput: average (the fit) and maximum (its 95 % envelope).
struct KernelCurve {
  ThroughputCurve average;
  ThroughputCurve maximum;
  std::optional<FitQuality> quality;
};

/// What it costs to bring a matrix from CSR into a layout, on the host:
/// `seconds_per_nonzero * nonzeros + seconds_per_element * e`. For "csr" it is the copy (and change
/// of precision) that a back end makes of the caller's arrays.
struct ConversionCost {
  double seconds_per_nonzero = 0;
  double seconds_per_element = 0;  ///< per value that the layout stores, zeros included
};

/// Everything calibrated in one precision.
struct PrecisionProfile {
  /// Keys: step names of schedules ("CG1" ... "CG5", "Red"); for products the layout is part of the
  /// key: "SpMV/csr", "SpMV/bcsr4", "SpMVDot/csr".
  std::map<std::string, KernelCurve> curves;
  /// Keys: layouts ("csr", "bcsr4").
  std::map<std::string, IntervalRatios> intervals;
  /// Keys: layouts; empty where it was not measured.
  std::map<std::string, ConversionCost> conversion;
};

/// The law by which exchanged elements grow with the number n of devices (equation 11).
enum class ExchangeLaw {
  staged,   ///< through host memory, a bus for all: x * n elements
  peer,     ///< device to device: x elements, as the paper counts
  ingress,  ///< over links of each device's own: (n - 1) * x / n elements reach each
};

/// Throughput of the exchange of a whole vector, alone, over the elements that its law counts.
struct ExchangeCurve {
  KernelCurve curve;
  ExchangeLaw law = ExchangeLaw::ingress;
};

/// Links and synchronisation of n devices.
struct Link {
  KernelCurve exchange;  ///< throughput over exchanged elements
  ExchangeLaw law = ExchangeLaw::staged;
  double sync_seconds = 0;  ///< one synchronisation of all devices
  /// The devices share one memory bus (thread groups of a CPU): n of them together are as fast as
  /// one, so a device alone has curves scaled to B(n*m)/n.
  bool shared_bus = false;
  /// Of GPUs: every way of exchanging that was measured, by precision ("f64/peer", "f32/staged");
  /// `exchange` is the fastest, of both precisions together.
  std::map<std::string, ExchangeCurve> curves;
  std::optional<LinkCosts> costs;  ///< for the traffic model; of GPUs
};

/// The calibrated description of one kind of device and its links: `profiles/NAME.json`.
struct DeviceProfile {
  enum class Kind { cpu, gpu };
  enum class Origin {
    measured,   ///< by `sparsecast calibrate`
    published,  ///< constants of a publication
    estimated,  ///< from equations 4 and 5
  };

  std::string name;  ///< file name without .json
  Kind kind = Kind::gpu;
  Origin origin = Origin::measured;
  std::string device;             ///< "NVIDIA GTX280"
  std::int64_t memory_bytes = 0;  ///< of one device; 0: unknown
  int device_count_max = 0;       ///< devices in one machine, forecasts of more say so; 0: unknown
  std::map<std::string, std::string> environment;  ///< driver, clocks, compiler, date, ...
  std::string notes;

  std::map<Precision, PrecisionProfile> precisions;
  /// Absent where calibration saw none, and in the paper.
  std::optional<CacheEffect> cache;
  /// Of a device that was calibrated for the traffic model.
  std::optional<TrafficProfile> traffic;
  std::map<int, Link> links;  ///< by number of devices, 2 and more
  /// Host to device, GB/s; absent where unknown and for a CPU, which has nothing to upload.
  std::optional<double> upload_gbps;

  /// f64 where the profile has it, else f32. Throws `Error` if it has none.
  Precision default_precision() const;
  /// Throws `Error` that names profile and what it has instead.
  const PrecisionProfile& at(Precision precision) const;
  const KernelCurve& curve(Precision precision, std::string_view key) const;
  /// The link for n devices; for an n that was not measured, that of the nearest n (of two equally
  /// near, the smaller). Throws `Error` if the profile has no link at all.
  const Link& link(int devices) const;
  /// The number of devices that it was measured with.
  int devices_of_link(int devices) const;

  /// The model that prices with this profile: "traffic" (`model/traffic_pricer.hpp`), "paper"
  /// (equations 3 to 11) or "cache" (the same with `CacheEffect`).
  std::string_view model() const { return traffic ? "traffic" : cache ? "cache" : "paper"; }
  /// The same profile for equations 3 to 11 alone: without traffic model and cache, and without the
  /// intervals that were measured with a cache.
  DeviceProfile for_paper_model() const;
  /// The same profile, reduced to what one of these models uses; empty: its best. Throws `Error`
  /// for another name, and for a model that the profile does not have.
  DeviceProfile for_model(std::string_view model) const;
};

/// "SpMVDot/bcsr4": the key of the curve of a kernel that multiplies, in a layout.
std::string product_curve_key(std::string_view kernel, std::string_view layout);
/// "SpMV/csr", "SpMV/bcsr4": that of SpMV.
std::string spmv_curve_key(std::string_view layout);

/// The schema version that this program writes and reads.
inline constexpr int profile_schema_version = 1;

/// The file of a profile. `name_or_path` is a path (it has a '/' or ends in .json), or the name of
/// a shipped profile ("gtx280"), looked up in the folder $SPARSECAST_PROFILES, in the share folder
/// of the prefix that the running program lies in, beside the sources and in the share folder that
/// the build was configured for. Throws `Error` with the names there are for one that there is not.
std::filesystem::path find_profile(const std::string& name_or_path);

/// Reads the profile in that file. Throws `Error` with file and reason: damaged JSON (line and
/// column), missing, unknown or wrong fields (their path), unknown schema version, numbers that
/// make no sense.
DeviceProfile read_profile(const std::string& name_or_path);

/// The same from text; `name` becomes the profile's name, `source` stands for the file in messages
/// (empty: the name).
DeviceProfile parse_profile(std::string_view json_text, const std::string& name,
                            const std::string& source = "");

/// JSON text of a profile, and writing it whole or not at all. Both throw `Error` for a profile
/// that could not be read back.
std::string profile_to_json(const DeviceProfile& profile);
void write_profile(const std::filesystem::path& path, const DeviceProfile& profile);

/// Equations 4 and 5, for a device nobody has measured.
struct DeviceSpecification {
  std::string name;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;  ///< 1024 on the paper's GTX280
  double bandwidth_gbps = 0;           ///< of the device's memory
  std::int64_t memory_bytes = 0;
};
double estimated_mu(const DeviceSpecification& device);     ///< equation 4
double estimated_sigma(const DeviceSpecification& device);  ///< equation 5
/// A profile with the same estimated curve for every kernel of Algorithm 1 and every layout, in
/// both precisions, marked as an estimate. It knows nothing of links: one device only. Throws
/// `Error` where a number of the specification is not positive.
DeviceProfile estimated_profile(const DeviceSpecification& device);

}  // namespace sparsecast
