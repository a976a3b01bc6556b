#include "model/profile/curve_fields.hpp"

namespace sparsecast {
namespace {

constexpr NumberRange mu_range{0, 64};
constexpr NumberRange sigma_range{0.1, 100};

}  // namespace

void list_fields(ProfileFields& fields, ThroughputCurve& curve) {
  fields.number("mu", curve.mu, mu_range);
  fields.number("sigma", curve.sigma, sigma_range);
  fields.number("nu", curve.nu, gbps_range);
  if (fields.optional_number("memory_nu", curve.memory_nu, gbps_range)) {
    fields.require(curve.memory_nu <= curve.nu, "is above nu");
  }
}

void list_fields(ProfileFields& fields, FitQuality& quality) {
  fields.numbers("covariance", quality.covariance, any_number);
  fields.number("median_relative_error", quality.median_relative_error, not_negative);
  fields.whole_number("samples", quality.samples);
  fields.number("elements_min", quality.elements_min, not_negative);
  fields.number("elements_max", quality.elements_max, not_negative);
  fields.require(quality.elements_max >= quality.elements_min, "is below elements_min");
  fields.entries("maximum_coverage", quality.maximum_coverage,
                 NumberKeys{0, 18, "a decade from 0 to 18"},
                 [&fields](const std::string& decade, double& covered) {
                   fields.number(decade, covered, share);
                 });
}

void list_fields(ProfileFields& fields, KernelCurve& curve) {
  fields.object("average", curve.average);
  fields.object("maximum", curve.maximum);
  fields.optional_object("quality", curve.quality);
}

void list_fields(ProfileFields& fields, CacheEffect& cache) {
  fields.number("capacity_bytes", cache.capacity_bytes, positive);
  fields.number("sharpness", cache.sharpness, positive);
}

void list_fields(ProfileFields& fields, IntervalRatios& ratios) {
  fields.number("low", ratios.low, positive);
  fields.number("high", ratios.high, positive);
  fields.require(ratios.high >= ratios.low, "is below low");
  if (fields.optional_number("median", ratios.median, positive)) {
    fields.require(ratios.median >= ratios.low && ratios.median <= ratios.high,
                   "is not between low and high");
  }
  fields.whole_number("samples", ratios.samples);
  if (fields.has("largest_bytes", ratios.largest_bytes > 0)) {
    fields.number("largest_bytes", ratios.largest_bytes, positive);
  }
}

}  // namespace sparsecast
