#include "cli/commands/bench/fusion/fusion_solvers.hpp"

#include "cli/commands/bench/fusion/late_decisions.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast::cli {
namespace {

FusionSolver shipped(std::string_view name, const char* method_name, Execution execution) {
  const Method& method = shipped_method(method_name);
  return {name.data(), &method, execution,
          with_late_decisions(lower(method, known_parameters(method), execution))};
}

}  // namespace

const std::vector<FusionSolver>& fusion_solvers() {
  static const std::vector<FusionSolver> all{
      shipped(six_kernels, "cg-plain", Execution::step_by_step),
      shipped(pipelined, "pipelined-cg", Execution::fused),
      {ours.data(), nullptr, Execution::fused, fused_cg()}};
  return all;
}

}  // namespace sparsecast::cli
