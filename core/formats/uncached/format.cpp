#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/formats/registry.hpp"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// The formats of Bell and Garland 2008 with the vector past the L1 cache, for comparisons: all but
/// the products are those of the layout within. Nothing forecasts them.

namespace sparsecast {

extern const Format uncached_format;

namespace {

/// An empty map where the layout within counts nothing.
std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int threads, const CudaPolicy& policy) {
  const Layout within = cached_layout(layout);
  const Format& format = format_of(within);
  if (format.count == nullptr) return {};
  return format.count(matrix, segment, within, threads, policy);
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  const Layout within = cached_layout(layout);
  return format_of(within).shape(numbers, within);
}

std::string refusal_of(const PatternNumbers& numbers, const Layout& layout) {
  const Layout within = cached_layout(layout);
  const Format& format = format_of(within);
  return format.refusal == nullptr ? "" : format.refusal(numbers, within);
}

Buffer<std::int64_t> weights_of(const PatternView& matrix, const Layout& layout) {
  const Layout within = cached_layout(layout);
  return format_of(within).weights(matrix, within);
}

}  // namespace

const Format uncached_format{.name = "uncached",
                             .layouts =
                                 [] {
                                   std::vector<Layout> layouts;
                                   for (const char* within : {"dia", "ell", "csr-scalar",
                                                              "csr-vector", "coo", "hyb-paper"}) {
                                     layouts.push_back({.format = "uncached", .variant = within});
                                   }
                                   return layouts;
                                 },
                             .count = count,
                             .shape = shape_of,
                             .refusal = refusal_of,
                             .weights = weights_of};

}  // namespace sparsecast
