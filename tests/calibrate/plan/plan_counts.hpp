#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "calibrate/plan/measurement_plan.hpp"

namespace sparsecast {

/// What a plan measures in a layout beside CSR and blocks: "kernel/schedule", and "/held out".
inline std::map<std::string, int> counts_in(const MeasurementPlan& plan, const Layout& layout) {
  std::map<std::string, int> count;
  for (const Measurement& each : plan.measurements) {
    if (each.layout != layout) continue;
    EXPECT_LE(each.most_fill, most_other_fill);
    ++count[each.kernel + '/' + each.schedule + (each.held_out ? "/held out" : "")];
  }
  return count;
}

}  // namespace sparsecast
