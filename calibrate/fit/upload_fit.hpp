#pragma once

#include <optional>
#include <span>

#include "calibrate/sample.hpp"

namespace sparsecast {

/// What copying arrays to the device costs, as a back end does it (`UploadTerms`).
struct UploadCost {
  double seconds_per_array = 0;
  double seconds_per_start = 0;
  double seconds_of_matrix = 0;      ///< beside its arrays; 0 without samples of vectors
  double gbps = 0;                   ///< by several threads
  std::optional<double> small_gbps;  ///< by the driver; nothing without such samples
};

/// Nothing without samples of at least 8 MB.
std::optional<UploadCost> fit_upload(std::span<const Sample> samples);

}  // namespace sparsecast
