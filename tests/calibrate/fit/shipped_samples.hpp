#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/sample.hpp"

namespace sparsecast {

/// Every so many of the samples that a shipped profile was fitted to.
inline SampleFile some_samples(std::size_t every, const char* name = "nvidia-h200") {
  const std::filesystem::path profiles = SPARSECAST_SOURCE_DIR "/profiles";
  SampleFile file = read_samples(profiles / (std::string(name) + ".samples.csv.gz"));
  std::vector<Sample> some;
  for (std::size_t i = 0; i < file.samples.size(); i += every) some.push_back(file.samples[i]);
  file.samples = std::move(some);
  return file;
}

}  // namespace sparsecast
