#pragma once

#include <cstdint>
#include <string>

namespace sparsecast {

/// The CPU that this process runs on.
struct CpuDescription {
  std::string name;             ///< "AMD EPYC 9654"
  int threads = 0;              ///< that this process may run, with others on the same cores
  std::string instruction_set;  ///< that the kernels use
  std::int64_t l2_bytes = 0;    ///< per core, 0 if unknown
  std::int64_t l3_bytes = 0;    ///< shared, 0 if unknown
  std::int64_t memory_bytes = 0;
  std::int64_t available_bytes = 0;  ///< of memory, now
};
CpuDescription describe_cpu();

/// Where and when something was measured, for profiles and benchmark files.
struct Environment {
  std::string operating_system;
  std::string compiler;
  std::string program_version;
  std::string date;  ///< UTC, ISO 8601
};
Environment describe_environment();

}  // namespace sparsecast
