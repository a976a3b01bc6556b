#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/precision.hpp"
#include "core/schedule.hpp"
#include "model/device_profile.hpp"

namespace sparsecast {

/// One measured number of seconds and all that is needed to fit it again without the device.
struct Sample {
  Precision precision = Precision::f64;

  /// What ran: the step's name in schedules ("CG1" ... "CG5", "Red", "SpMV"), "Load/4/fixed",
  /// "Mixed/2r1w", "Iteration" (a whole one of Algorithm 1), "Exchange", "Barrier" or "Convert"
  /// (from the caller's CSR to the layout).
  std::string kernel;
  std::string layout;  ///< "csr", "bcsr4"; empty without a matrix
  std::string matrix;  ///< the generator's call, as "laplacian27 40x40x40"; empty without a matrix
  int devices = 1;

  SegmentShape shape;   ///< of the whole system
  double nonzeros = 0;  ///< 0 without a matrix
  double elements = 0;  ///< transferred elements m of the paper; 0 for a barrier
  BytesByKind bytes;    ///< of one run

  double seconds = 0;          ///< median, of one run
  double relative_spread = 0;  ///< interquartile range of the rounds over the median
  double relative_error = 0;   ///< half width of the median's 95 % interval over the median
  std::int64_t repeats = 0;    ///< runs in a round
  int rounds = 0;
  bool stable = false;  ///< the noise target was reached

  /// Standard error of `seconds`, relative; unstable samples are charged their whole spread.
  double relative_noise() const;
};

/// Where the samples of a file come from.
struct SampleOrigin {
  std::string device;  ///< for people: "AMD EPYC, 2 threads"
  DeviceProfile::Kind kind = DeviceProfile::Kind::cpu;
  std::int64_t memory_bytes = 0;
  int device_count_max = 0;
  std::map<std::string, std::string> environment;  ///< date, compiler, instruction set, ...

  friend bool operator==(const SampleOrigin&, const SampleOrigin&) = default;
};

/// The raw data of a profile: `NAME.samples.csv`.
struct SampleFile {
  SampleOrigin origin;
  std::string plan;      ///< name of the plan that was measured: "default", "quick"
  bool partial = false;  ///< the plan was not finished
  std::vector<Sample> samples;
};

/// The schema version that this program writes and reads.
inline constexpr int sample_schema_version = 1;

/// CSV text: comment lines `# key: value` with schema version and origin, a header line, one line a
/// sample. Numbers are written such that reading gives the same bits. Throws `Error` for a text
/// field with a comma, quote or line break.
std::string samples_to_csv(const SampleFile& file);

/// The inverse. `name` is used in errors, which are "NAME:LINE: what is wrong; what was expected":
/// no or unknown schema version, damaged comment, other columns, wrong numbers of fields, no
/// numbers, numbers that make no sense, unknown precision.
SampleFile parse_samples(std::string_view text, const std::string& name);

SampleFile read_samples(const std::filesystem::path& path);
void write_samples(const std::filesystem::path& path, const SampleFile& file);

}  // namespace sparsecast
