#pragma once

#include <memory>
#include <string>

#include "core/base/precision.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast::cli {

/// A device that is measured on, and what is said of it with every measurement.
struct BenchedDevice {
  std::string name;
  std::unique_ptr<Backend> backend;
  double peak_bytes_per_second = 0;  ///< of its memory, as data sheets count; 0: not known
  double cache_bytes = 0;            ///< of its last-level cache; 0: not known
  double peak_flops_f32 = 0;         ///< multiply-adds count as two; 0: not known
  double peak_flops_f64 = 0;

  double peak_flops(Precision precision) const {
    return precision == Precision::f32 ? peak_flops_f32 : peak_flops_f64;
  }
};

/// `threads` of a CPU (0: all). Throws `Error` without such a device.
BenchedDevice open_benched(const std::string& name, int threads);

}  // namespace sparsecast::cli
