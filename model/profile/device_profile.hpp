#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/cache_effect.hpp"
#include "model/estimate/data_sheet.hpp"
#include "model/interval_ratios.hpp"
#include "model/links/link.hpp"
#include "model/network/network.hpp"
#include "model/paper/kernel_curve.hpp"
#include "model/traffic/traffic_parameters.hpp"

namespace sparsecast {

/// What it costs, once, to bring a matrix from CSR into the form in which it is multiplied: the sum
/// of these, each times its number. For "csr" it is the copy (and change of precision) that a back
/// end makes of the caller's arrays; for a persistent kernel, how the host shares out the matrix.
struct ConversionCost {
  double seconds = 0;  ///< whatever the size
  double seconds_per_nonzero = 0;
  double seconds_per_element = 0;  ///< per value that the layout stores, zeros included
  double seconds_per_row = 0;
  /// Per vector value that a segment of a persistent kernel looks up in others.
  double seconds_per_halo = 0;

  double of(double nonzeros, double elements, double rows, double halo) const {
    return seconds + seconds_per_nonzero * nonzeros + seconds_per_element * elements +
           seconds_per_row * rows + seconds_per_halo * halo;
  }
};

/// Everything calibrated in one precision.
struct PrecisionProfile {
  /// Keys: step names of schedules ("CG1" ... "CG5", "Red"); for products the layout is part of the
  /// key: "SpMV/csr", "SpMV/bcsr4", "SpMVDot/csr".
  std::map<std::string, KernelCurve> curves;
  /// Of whole iterations of Algorithm 1 by the average curves. Keys: layouts ("csr", "bcsr4") on
  /// one device; with a number of devices behind it ("csr/2") on several, where that is known.
  std::map<std::string, IntervalRatios> intervals;
  /// Keys: `conversion_key`; empty where it was not measured.
  std::map<std::string, ConversionCost> conversion;
};

/// What a profile was estimated from (`model/estimate/relative_profile.hpp`).
struct EstimateSource {
  std::string like;  ///< name of the relative's profile
  DataSheet from;    ///< the relative's
  DataSheet to;
};

/// The calibrated description of one kind of device and its links: `profiles/NAME.json`.
struct DeviceProfile {
  enum class Kind { cpu, gpu };
  enum class Origin {
    measured,   ///< by `sparsecast calibrate`
    published,  ///< constants of a publication
    estimated,  ///< from equations 4 and 5, or from a relative
    /// Device constants by `sparsecast calibrate --like`, all else from a relative.
    measured_in_part,
  };

  std::string name;  ///< file name without .json
  Kind kind = Kind::gpu;
  Origin origin = Origin::measured;
  std::string device;             ///< "NVIDIA GTX280"
  std::int64_t memory_bytes = 0;  ///< of one device; 0: unknown
  int device_count_max = 0;       ///< devices in one machine, forecasts of more say so; 0: unknown
  std::map<std::string, std::string> environment;  ///< driver, clocks, compiler, date, ...
  std::string notes;
  std::optional<EstimateSource> estimated;  ///< of what is from a relative, all or a part

  std::map<Precision, PrecisionProfile> precisions;
  /// Absent where calibration saw none, and in the paper.
  std::optional<CacheEffect> cache;
  /// Of a device that was calibrated for the traffic model.
  std::optional<TrafficProfile> traffic;
  std::map<int, Link> links;  ///< by number of devices, 2 and more
  /// What joins devices beyond one host, where somebody says so (`--network`); not in the file.
  std::optional<Network> network;
  /// Host to device, GB/s, of much by several threads; absent where unknown and for a CPU, which
  /// has nothing to upload.
  std::optional<double> upload_gbps;
  /// Of little, by the driver; absent: as of much.
  std::optional<double> upload_small_gbps;
  double upload_seconds = 0;            ///< of each array, beside its bytes
  double upload_seconds_per_start = 0;  ///< of each of `UploadTerms::starts`
  double upload_seconds_of_matrix = 0;  ///< of a matrix beside its arrays

  /// f64 where the profile has it, else f32. Throws `Error` if it has none.
  Precision default_precision() const;
  /// What copying the arrays of a matrix, of so many bytes, to a device takes; `upload_gbps` is
  /// known.
  double seconds_of_upload(std::span<const double> array_bytes) const;
  /// The same of a vector, whose memory is there.
  double seconds_of_vector_upload(double bytes) const;
  /// Throws `Error` that names profile and what it has instead.
  const PrecisionProfile& at(Precision precision) const;
  const KernelCurve& curve(Precision precision, std::string_view key) const;
  /// The link for n devices; for an n that was not measured, that of the nearest n (of two equally
  /// near, the smaller). Throws `Error` if the profile has no link at all.
  const Link& link(int devices) const;
  /// The number of devices that it was measured with.
  int devices_of_link(int devices) const;
  /// Whether so many devices, 2 or more, work together over the network: there is one, and they are
  /// of several hosts, more than kernels link, or no link was measured for the traffic model.
  bool is_on_network(int devices) const;
  /// Whether so many devices are processes of their own, 2 or more, each with its part alone: there
  /// is a network, though what lies within a host may take the profile's links.
  bool are_ranks(int devices) const { return traffic && network && devices > 1; }
  /// Of `PrecisionProfile::intervals` those of a layout on so many devices: of the number whose
  /// link stands for theirs, else of one device. Null where the profile has none. Throws `Error`
  /// where it lacks the precision, and for several devices without a link.
  const IntervalRatios* iteration_ratios(Precision precision, const std::string& layout,
                                         int devices) const;

  /// The model that prices with this profile, one of `model_names`.
  std::string_view model() const;
  /// The same profile for equations 3 to 11 alone: without traffic model and cache, and without the
  /// intervals that were measured with a cache.
  DeviceProfile for_paper_model() const;
  /// The same profile, reduced to what one of these models uses; empty: its best. Throws `Error`
  /// for another name, and for a model that the profile does not have.
  DeviceProfile for_model(std::string_view model) const;
};

/// All models, the best first: "traffic" is of physical terms alone
/// (`model/traffic/traffic_pricer.hpp`), "hybrid" adds what these left of the calibration's own
/// cases (`model/traffic/residual.hpp`); "paper" is equations 3 to 11, "cache" the same with
/// `CacheEffect`.
inline constexpr std::array<std::string_view, 4> model_names{"hybrid", "traffic", "cache", "paper"};
/// "hybrid, traffic, cache or paper".
std::string one_of_models();

/// "csr", "csr/persistent": the key of what it costs to make a matrix ready to be multiplied so,
/// for single kernels, or for those and a persistent one.
std::string conversion_key(std::string_view layout, std::optional<LaunchMode> launch);

/// "SpMVDot/bcsr4": the key of the curve of a kernel that multiplies, in a layout.
std::string product_curve_key(std::string_view kernel, std::string_view layout);
/// "SpMV/csr", "SpMV/bcsr4": that of SpMV.
std::string spmv_curve_key(std::string_view layout);

}  // namespace sparsecast
