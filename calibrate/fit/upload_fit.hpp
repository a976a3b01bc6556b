#pragma once

#include <optional>
#include <span>

#include "calibrate/sample.hpp"

namespace sparsecast {

/// What copying a matrix to the device costs, as a back end does it.
struct UploadCost {
  double seconds = 0;            ///< whatever its size
  double seconds_per_start = 0;  ///< of each of `upload_starts`
  double gbps = 0;
};

/// Nothing without samples of at least 8 MB.
std::optional<UploadCost> fit_upload(std::span<const Sample> samples);

}  // namespace sparsecast
