#include "core/cpu/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fstream>
#include <optional>

#include "core/base/threads/thread_team.hpp"
#include "core/cpu/instruction_sets.hpp"

namespace sparsecast {
namespace {

/// The text behind `key` and its separator in a file of "key : value" or "key=value" lines.
std::string value_of(const char* file, const std::string& key, char separator) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t split = line.find(separator);
    if (split == std::string::npos) continue;
    if (line.find_first_not_of(" \t", key.size()) != split) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", split + 1);
    if (begin == std::string::npos) continue;
    return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
  }
  return "";
}

/// "1024K", "32M", "16 kB", "4096" -> bytes.
std::optional<std::int64_t> parse_size(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  auto [unit, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{}) return std::nullopt;
  while (unit != end && *unit == ' ') ++unit;
  if (unit == end) return number;
  switch (*unit) {
    case 'k':
    case 'K':
      return number << 10;
    case 'M':
      return number << 20;
    case 'G':
      return number << 30;
    default:
      return number;
  }
}

std::optional<std::int64_t> read_size(const std::string& file) {
  std::ifstream in(file);
  std::string text;
  if (!std::getline(in, text)) return std::nullopt;
  return parse_size(text);
}

/// Size of the first CPU's data or unified cache of a level, 0 if unknown.
std::int64_t cache_bytes(int level) {
  for (int index = 0; index < 16; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + '/';
    if (read_size(folder + "level") != level) continue;
    std::string type;
    std::ifstream(folder + "type") >> type;
    if (type == "Instruction") continue;
    if (const auto bytes = read_size(folder + "size")) return *bytes;
  }
  return 0;
}

std::int64_t memory_info(const char* key) {
  return parse_size(value_of("/proc/meminfo", key, ':')).value_or(0);
}

}  // namespace

CpuDescription describe_cpu() {
  CpuDescription cpu;
  cpu.name = value_of("/proc/cpuinfo", "model name", ':');
  if (cpu.name.empty()) {
    utsname system{};
    cpu.name = uname(&system) == 0 ? std::string(system.machine) + " CPU" : "unknown CPU";
  }
  cpu.threads = allowed_threads();
  cpu.instruction_set = instruction_sets().back();
  cpu.l2_bytes = cache_bytes(2);
  cpu.l3_bytes = cache_bytes(3);
  cpu.memory_bytes = memory_info("MemTotal");
  cpu.available_bytes = memory_info("MemAvailable");
  // A control group may allow less than the machine has.
  if (const auto limit = read_size("/sys/fs/cgroup/memory.max")) {
    const std::int64_t used = read_size("/sys/fs/cgroup/memory.current").value_or(0);
    cpu.memory_bytes = std::min(cpu.memory_bytes, *limit);
    cpu.available_bytes = std::min(cpu.available_bytes, std::max<std::int64_t>(*limit - used, 0));
  }
  return cpu;
}

Environment describe_environment() {
  Environment environment;
  environment.operating_system = value_of("/etc/os-release", "PRETTY_NAME", '=');
  utsname system{};
  if (uname(&system) == 0) {
    if (!environment.operating_system.empty()) environment.operating_system += ", ";
    environment.operating_system += std::string(system.sysname) + ' ' + system.release;
  }
#if defined(__clang__)
  environment.compiler = "Clang " + std::to_string(__clang_major__) + '.' +
                         std::to_string(__clang_minor__) + '.' +
                         std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
  environment.compiler = "GCC " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) +
                         '.' + std::to_string(__GNUC_PATCHLEVEL__);
#else
  environment.compiler = "unknown";
#endif
  environment.program_version = SPARSECAST_VERSION;
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2000-01-01T00:00:00Z"];
  if (std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0) environment.date = text;
  return environment;
}

}  // namespace sparsecast
