#pragma once

#include <string>
#include <utility>

#include "core/base/precision.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "model/profile/device_profile.hpp"
#include "model/step_kinds.hpp"
#include "model/traffic/cpu_example.hpp"
#include "model/traffic/gpu_pricer.hpp"

namespace sparsecast::testing {

/// A profile of a made-up device with this traffic model, whose forecasts of iterations hold within
/// a quarter.
inline DeviceProfile profile_of(DeviceProfile::Kind kind, TrafficProfile traffic) {
  for (int stratum = 0; stratum < 4; ++stratum) {
    traffic.intervals["iteration/" + std::to_string(stratum)] = {0.8, 1.25, 100};
  }
  DeviceProfile profile;
  profile.name = "made-up";
  profile.kind = kind;
  profile.device = kind == DeviceProfile::Kind::gpu ? "a made-up GPU" : "a made-up CPU";
  profile.memory_bytes = 100'000'000'000;
  profile.precisions[Precision::f32];
  profile.precisions[Precision::f64];
  profile.traffic = std::move(traffic);
  return profile;
}

/// A made-up CPU with a traffic model for CSR.
inline DeviceProfile made_up_cpu_profile(int threads) {
  TrafficProfile traffic;
  traffic.cpu_threads = threads;
  traffic.parameters = example_cpu_parameters();
  return profile_of(DeviceProfile::Kind::cpu, std::move(traffic));
}

/// A made-up GPU with a traffic model for CSR, 3 x 3 blocks and the vendor's library: kernels cost
/// 2 us, products 3, and all speeds are plausible.
inline DeviceProfile made_up_traffic_profile() {
  TrafficProfile traffic;
  traffic.gpu.multiprocessors = 132;
  traffic.gpu.l2_bytes = 50'000'000;
  traffic.gpu.shared_bytes_per_block = 232'448;
  TrafficParameters& parameters = traffic.parameters;
  traffic.layouts = {"f32/bcsr3", "f32/csr", "f64/bcsr3", "f64/csr"};
  for (const char* kind : {"vector", "library", "library-multiply"}) parameters.kernels[kind];
  for (const char* kind : {"csr", "bcsr", "bcsr-stream", "cusparseSpMV"}) parameters.products[kind];
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const char* key : {"csr", "bcsr3"}) parameters.persistent_steps[precision][key];
  }
  parameters.persistent.emplace();
  for (const char* key : {"grid", "cluster"}) parameters.persistent_sums[key];
  // What is not set below has no effect.
  for (const TrafficParameter& each : parameter_list(parameters)) *each.value = each.neutral;

  DeviceCosts& device = parameters.device;
  device.wait_seconds = 1e-5;
  device.graph_seconds = 1e-7;
  device.plain_seconds = 1e-6;
  device.skipped_seconds = 1e-6;
  device.memory_read_gbps = 4200;
  device.memory_write_gbps = 3500;
  device.cache_bytes = 4e7;
  device.cache_sharpness = 4;
  device.overlap = 3;
  device.product_seconds = 3e-6;
  device.library_seconds = 3e-6;
  device.sum_seconds = 1e-6;
  device.sector_seconds = 5e-12;
  device.cache_read_gbps = device.cache_write_gbps = 9000;
  for (auto& [name, kernel] : parameters.kernels) {
    kernel.fixed_seconds = 2e-6;
    kernel.values = 1000;
    kernel.gbps = 9000;
  }
  for (auto& [key, product] : parameters.products) {
    product.pass_seconds = 5e-7;
    product.step_seconds = 2e-8;
    product.gbps = 8000;
  }
  parameters.products.at("cusparseSpMV").byte_seconds = 3e-11;
  parameters.persistent->warp_seconds = 5e-7;
  parameters.persistent->load_seconds = 3e-7;
  parameters.persistent->sector_seconds = 1e-9;
  for (auto& [key, sums] : parameters.persistent_sums) sums = {3e-6, 5e-9};
  for (auto& [precision, kinds] : parameters.persistent_steps) {
    for (auto& [key, steps] : kinds) steps.step_seconds = 2e-9;
  }
  for (int stratum = 0; stratum < 4; ++stratum) {
    traffic.intervals["persistent/" + std::to_string(stratum)] = {0.8, 1.25, 100};
  }
  return profile_of(DeviceProfile::Kind::gpu, std::move(traffic));
}

/// The same device, which was calibrated in diagonals too: as if they were CSR.
inline DeviceProfile with_dia(DeviceProfile profile) {
  TrafficParameters& parameters = profile.traffic->parameters;
  for (const char* kind : {"dia", "dia-few-rows", "dia-few-rows-many-diagonals"}) {
    if (!parameters.cpu) parameters.products[kind] = parameters.products.at("csr");
  }
  if (!parameters.cpu) {
    profile.traffic->layouts.insert(profile.traffic->layouts.end(), {"f32/dia", "f64/dia"});
  }
  for (auto& [precision, products] : parameters.cpu_products) products["dia"] = products.at("csr");
  return profile;
}

/// The same device, which was calibrated in the layouts that are for comparisons, too: kernels of
/// SELL and CSR-Adaptive, as which some are priced, as if they were CSR.
inline DeviceProfile with_compared(DeviceProfile profile) {
  TrafficParameters& parameters = profile.traffic->parameters;
  for (const Layout& layout : compared_layouts()) {
    if (!parameters.cpu) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        profile.traffic->layouts.push_back(layout_key(precision, layout));
      }
    }
    for (auto& [precision, products] : parameters.cpu_products) {
      products[to_string(layout)] = products.at("csr");
    }
  }
  for (const char* kind : {"sell", "csr-adaptive"}) {
    if (!parameters.cpu) parameters.products[kind] = parameters.products.at("csr");
  }
  return profile;
}

/// The same GPU with links of two: an exchange 5 us, a sum 2 us, 300 GB/s.
inline DeviceProfile with_link(DeviceProfile profile) {
  Link link;
  link.exchange.average = link.exchange.maximum = {20, 1.4427, 300};
  link.law = ExchangeLaw::ingress;
  link.sync_seconds = 3e-6;
  LinkCosts costs;
  costs.sum_seconds = {2e-6, 1e-7};
  costs.exchanges[ExchangeMode::halo] = {{5e-6, 1e-7}, {300, 5}, {0.5, 0.1}};
  for (int stratum = 0; stratum < 4; ++stratum) {
    costs.intervals["iteration/" + std::to_string(stratum)] = {0.75, 1.3, 50};
  }
  link.costs = costs;
  profile.links[2] = link;
  return profile;
}

}  // namespace sparsecast::testing
