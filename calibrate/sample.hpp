#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/preparation_kinds.hpp"
#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_work.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// `Sample::exchange` of one device.
inline constexpr std::string_view measured_alone = "alone";

/// One measured number of seconds and all that is needed to fit it again without the device.
struct Sample {
  Precision precision = Precision::f64;

  /// What ran: the step's name in schedules ("CG1" ... "CG5", "Red", "SpMV"), "Load/4/fixed",
  /// "Mixed/2r1w", "Iteration" (a whole one of `schedule`), "Exchange", "Barrier", "Convert" (from
  /// the caller's CSR to the layout, and to what a persistent kernel needs), "Upload" (of the
  /// caller's CSR) or "UploadVector".
  std::string kernel;
  std::string schedule;  ///< of an iteration: "algorithm1", "fused", "vendor"; else empty
  std::string launch;    ///< as in `core/workload/launch_mode.hpp`; empty on a CPU
  std::string layout;    ///< "csr", "dia"; empty without a matrix
  std::string matrix;  ///< the generator's call, as "laplacian27 40x40x40"; empty without a matrix
  int devices = 1;
  /// How several GPUs exchanged (`core/workload/exchange_mode.hpp`); `measured_alone` for one GPU
  /// that was measured to compare several with. Else empty.
  std::string exchange;

  SegmentShape shape;                     ///< of the whole system
  double nonzeros = 0;                    ///< 0 without a matrix
  double elements = 0;                    ///< transferred elements m of the paper; 0 for a barrier
  BytesByKind bytes;                      ///< of one run
  std::optional<AccessPattern> access;    ///< of a sample with a matrix
  std::optional<GpuExecution> execution;  ///< of one with a matrix on a GPU
  std::vector<SegmentWork> segments;      ///< of one with a matrix on several GPUs
  /// Of a matrix that is kept for the intervals: no constant of a GPU is fitted to it.
  bool held_out = false;

  double seconds = 0;          ///< median, of one run
  double relative_spread = 0;  ///< interquartile range of the rounds over the median
  double relative_error = 0;   ///< half width of the median's 95 % interval over the median
  std::int64_t repeats = 0;    ///< runs in a round
  int rounds = 0;
  /// Of how many visits (`core/base/visits.hpp`) this is the fastest, and the second fastest's
  /// `seconds`; 0: there was one.
  int visits = 1;
  double second_seconds = 0;
  bool stable = false;           ///< the noise target was reached
  double core_clock_mhz = 0;     ///< of a GPU when it was measured; 0: unknown, or a CPU
  std::string throttle_reasons;  ///< as `GpuState`; empty: none, or a CPU

  /// Standard error of `seconds`, relative; unstable samples are charged their whole spread, and
  /// all half of what the second fastest visit takes more.
  double relative_noise() const;

  /// Whether fits may use it: it was not taken while the device was throttled, and its rounds do
  /// not spread by more than twice their median. What is merely noisy counts by its
  /// `relative_noise`.
  bool trusted() const;
};

/// Whether errors of a few per cent can be learned from a sample with this `relative_noise`.
inline bool is_precise(double relative_noise) {
  return relative_noise < 0.1;
}

/// Where the samples of a file come from.
struct SampleOrigin {
  std::string device;  ///< for people: "AMD EPYC, 2 threads"
  DeviceProfile::Kind kind = DeviceProfile::Kind::cpu;
  std::int64_t memory_bytes = 0;
  int device_count_max = 0;
  std::map<std::string, std::string> environment;  ///< date, compiler, instruction set, ...

  friend bool operator==(const SampleOrigin&, const SampleOrigin&) = default;
};

/// The raw data of a profile: `NAME.samples.csv`, or the same compressed by gzip.
struct SampleFile {
  SampleOrigin origin;
  std::string plan;      ///< name of the plan that was measured: "default", "quick"
  bool partial = false;  ///< the plan was not finished
  std::vector<Sample> samples;
};

/// The schema version that this program writes. It reads version 1 too, which knew no GPU (there a
/// whole iteration is one of Algorithm 1, and held out), 2, which knew only one, 3, which
/// counts no visits, and 4, where every layout stores row offsets of 8 bytes.
inline constexpr int sample_schema_version = 5;

/// CSV text: comment lines `# key: value` with schema version and origin, a header line, one line a
/// sample. Numbers are written such that reading gives the same bits. Throws `Error` for a text
/// field with a comma, quote or line break.
std::string samples_to_csv(const SampleFile& file);

/// The inverse. `name` is used in errors, which are "NAME:LINE: what is wrong; what was expected":
/// no or unknown schema version, damaged comment, other columns, wrong numbers of fields, no
/// numbers, numbers that make no sense, unknown precision.
SampleFile parse_samples(std::string_view text, const std::string& name);

/// What identifies a sample: all that was chosen, nothing that was measured.
std::string sample_id(const Sample& sample);

/// Appends a sample, or adds it as a visit to the one that is there (`places`, by id).
void add_visit(Sample sample, std::map<std::string, std::size_t>& places,
               std::vector<Sample>& samples);

/// Several calibrations of one device as one: of each sample the fastest. `names` are used in
/// errors; partial is what all of them are. At least one. Throws `Error` where devices or plans
/// differ.
SampleFile merge_samples(std::vector<SampleFile> runs, std::span<const std::string> names);

/// A file that is plain or compressed by gzip (`core/base/files/text_file.hpp`).
SampleFile read_samples(const std::filesystem::path& path);
/// Compressed if its name ends in .gz.
void write_samples(const std::filesystem::path& path, const SampleFile& file);

}  // namespace sparsecast
