#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/bench/formats/format_results.hpp"
#include "cli/commands/bench/paper/judgement.hpp"

/// @file
/// What Bell and Garland (2008) state of their formats, each with a rule that says of measurements
/// whether it holds.

namespace sparsecast::cli {

/// What has to be measured before a rule can be asked: all of these matrices in all of these
/// layouts.
struct Needed {
  std::vector<std::string> matrices;
  std::vector<std::string> layouts;
  std::vector<Precision> precisions;
  std::string x = "l1";
  bool may_be_refused = false;  ///< a layout that refuses a matrix is an answer too
};

struct Statement : PaperStatement {
  std::vector<Needed> needed;
  /// `cpu`: of `JudgedOn::gpus_cpus`. All that is needed was tried.
  Finding (*judge)(const FormatResults& results, const FormatResults& cpu);
};

/// B1 to B19, in order.
const std::vector<Statement>& statements();

}  // namespace sparsecast::cli
