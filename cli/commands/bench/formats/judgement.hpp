#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/bench/formats/statements.hpp"

namespace sparsecast::cli {

/// What is found of a statement on a device.
struct Judgement {
  const Statement* statement;
  std::string device;  ///< its description; empty where there is none to judge on
  Finding finding;
};

/// All statements, each on its devices in the order of the measurements. Those of the structured
/// set are judged at the paper's size, or the next larger one where that says nothing; what other
/// sizes say stands behind. What lacks a measurement is not comparable.
std::vector<Judgement> judge_statements(std::span<const FormatMeasurement> all);

}  // namespace sparsecast::cli
