#include "core/cpu/run/cpu_memory.hpp"

#include "core/base/error.hpp"
#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/machine.hpp"

namespace sparsecast {
namespace {

/// "1.3 GB", rounded up.
std::string gigabytes(std::int64_t bytes) {
  const std::string digits = std::to_string(bytes / 100'000'000 + 1);
  return (digits.size() > 1 ? digits.substr(0, digits.size() - 1) : "0") + "." + digits.back() +
         " GB";
}

}  // namespace

template <class T>
void require_memory(const std::string& schedule, std::span<const CsrView<T>* const> matrices,
                    const Layout& layout, std::span<const Segment> segments,
                    std::int64_t vector_bytes) {
  const auto matrix_bytes = [&](bool counted) {
    std::int64_t bytes = 0;
    for (const CsrView<T>* matrix : matrices) {
      for (const Segment& segment : segments) {
        bytes += cpu_format<T>(layout).bytes_bound(*matrix, segment, layout, counted);
      }
    }
    return bytes;
  };
  // What is stored is counted only if a bound without does not suffice.
  std::int64_t needed = vector_bytes + matrix_bytes(false);
  constexpr std::int64_t never_too_much = 64 << 20;
  if (needed <= never_too_much) return;
  const std::int64_t free = describe_cpu().available_bytes;
  if (free <= 0 || needed <= free) return;
  needed = vector_bytes + matrix_bytes(true);
  if (needed > free) {
    throw Error("schedule '" + schedule + "' in layout " + to_string(layout) + " needs " +
                gigabytes(needed) + " of memory, " + gigabytes(free) +
                " are free; use f32, or a layout with fewer stored elements");
  }
}

template void require_memory<float>(const std::string& schedule,
                                    std::span<const CsrView<float>* const> matrices,
                                    const Layout& layout, std::span<const Segment> segments,
                                    std::int64_t vector_bytes);
template void require_memory<double>(const std::string& schedule,
                                     std::span<const CsrView<double>* const> matrices,
                                     const Layout& layout, std::span<const Segment> segments,
                                     std::int64_t vector_bytes);

}  // namespace sparsecast
