// Reads the Matrix Market file that it is given and prints how far its memory rose, and what the
// matrix takes, in bytes. A process of its own, in which nobody has left memory free: what is freed
// to an allocator that already keeps much does not go back to the system.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/matrix/files/market/matrix_market.hpp"

namespace {

/// A line of /proc/self/status in bytes.
std::int64_t memory_status(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::atoll(line.c_str() + key.size() + 1) * 1024;
  }
  return -1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return 2;
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
  const std::int64_t before = memory_status("VmRSS");
  const auto file = sparsecast::read_matrix_market(arguments[1], {.threads = 2});
  const std::int64_t peak = memory_status("VmHWM") - before;
  const std::int64_t matrix = 12 * file.matrix.nonzeros() + 8 * (file.matrix.rows + 1);
  std::printf("%lld %lld\n", static_cast<long long>(peak), static_cast<long long>(matrix));
}
