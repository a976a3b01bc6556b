#pragma once

#include <cmath>
#include <string>

#include "calibrate/sample.hpp"

namespace sparsecast::testing {

/// Times of a device that follows T = T0 + s*m/nu, in f64.
inline SampleFile samples_of_a_law() {
  SampleFile file;
  file.origin.device = "made up";
  file.plan = "quick";
  for (const char* kernel : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "SpMV"}) {
    for (int i = 6; i < 26; ++i) {
      Sample sample;
      sample.kernel = kernel;
      if (sample.kernel == "SpMV") {
        sample.layout = "csr";
        sample.matrix = "m" + std::to_string(i);
      }
      sample.elements = std::exp2(i);
      // A few per cent of scatter that no random number is needed for.
      sample.seconds = (1e-6 + 8 * sample.elements / 20e9) * (1 + 0.03 * std::sin(7.0 * i));
      sample.repeats = 10;
      sample.rounds = 5;
      sample.stable = true;
      file.samples.push_back(sample);
    }
  }
  return file;
}

}  // namespace sparsecast::testing
