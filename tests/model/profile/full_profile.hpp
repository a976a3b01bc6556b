#pragma once

#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// A profile with every field in use.
inline DeviceProfile full_profile() {
  KernelCurve curve;
  curve.average = {20.123456789012345, 1.4426950408889634, 1.0 / 3};
  curve.maximum = {19.5, 1.5, 12.25};
  FitQuality quality;
  quality.covariance = {1e-3, -2e-4, 3e-5, -2e-4, 5e-3, 1e-7, 3e-5, 1e-7, 2e-3};
  quality.median_relative_error = 0.034;
  quality.samples = 57;
  quality.elements_min = 1024;
  quality.elements_max = 3.2e7;
  quality.maximum_coverage = {{3, 0.9}, {4, 1.0}};
  curve.quality = quality;

  DeviceProfile profile;
  profile.name = "machine";
  profile.kind = DeviceProfile::Kind::cpu;
  profile.origin = DeviceProfile::Origin::measured;
  profile.device = "a CPU \"with quotes\" and µ";
  profile.memory_bytes = 16'000'000'000;
  profile.device_count_max = 4;
  profile.environment = {{"compiler", "GCC 12.2"}, {"date", "2026-01-02T03:04:05Z"}};
  profile.notes = "one\ntwo";
  PrecisionProfile precision;
  precision.curves["SpMV/bcsr4"] = curve;
  precision.curves["CG4"] = {curve.maximum, curve.maximum, {}};
  precision.intervals["bcsr4"] = {0.8, 1.3, 24, 1.125};
  precision.intervals["bcsr4/2"] = {0.7, 1.4, 24};
  precision.conversion["bcsr4"] = {0, 3e-9, 1.5e-9, 0};
  precision.conversion["csr/persistent"] = {2e-4, 3e-9, 0, 9e-9, 6e-9};
  profile.precisions[Precision::f64] = precision;
  Link link;
  link.exchange = curve;
  link.law = ExchangeLaw::peer;
  link.sync_seconds = 3e-6;
  link.shared_bus = true;
  link.curves["f64/peer"] = {curve, ExchangeLaw::ingress};
  LinkCosts costs;
  costs.sum_seconds = {2.5e-6, 1e-7};
  costs.exchanges[ExchangeMode::halo] = {{3e-6, 2e-7}, {310, 4}, {0.25, 0.1}};
  costs.samples = 41;
  costs.median_error = 0.02;
  costs.intervals["iteration/2"] = {0.9, 1.1, 30};
  link.costs = costs;
  profile.links[2] = link;
  profile.upload_gbps = 12.5;
  profile.upload_seconds = 1.5e-4;
  profile.upload_seconds_per_start = 1.1e-4;
  profile.upload_seconds_of_matrix = 9e-5;
  profile.upload_small_gbps = 4.5;
  return profile;
}

}  // namespace sparsecast
