#include "cli/manual/option_values.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "cli/generated_kinds.hpp"
#include "cli/ranks.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/table4.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "model/estimate/data_sheet.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/map/performance_map.hpp"

namespace sparsecast::cli {
namespace {

using Words = std::vector<std::string>;

template <class Value>
Words names_of(const Value& values) {
  Words words;
  for (const auto& value : values) words.emplace_back(to_string(value));
  return words;
}

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words blocks() {
  Words words;
  for (const int size : block_sizes) words.push_back(std::to_string(size));
  return words;
}

Words gpus() {
  Words words;
  for (const DataSheet& sheet : data_sheets()) words.push_back(sheet.name);
  return words;
}

Words table4_names() {
  Words words;
  for (const Table4Matrix& matrix : table4_matrices()) words.emplace_back(matrix.name);
  return words;
}

Words launches() {
  return names_of(std::initializer_list<LaunchMode>{LaunchMode::host, LaunchMode::plain,
                                                    LaunchMode::graph, LaunchMode::persistent});
}

/// Of those with a number one each.
Words preconditioners() {
  return {"none", "jacobi", "block-jacobi3", "chebyshev3"};
}

/// Solvers that come with the program.
Words solvers() {
  return with(shipped_names(), {fused_cg().name().c_str()});
}

/// Options mean the same in all commands, but for those of `only_there`.
const std::map<std::string, OptionValues>& everywhere() {
  static const OptionValues file{{}, false, true};
  static const OptionValues precision{{"f32", "f64"}};
  static const OptionValues profile{profile_names(), false, true};
  static const OptionValues order{names_of(all_renumberings)};
  static const std::map<std::string, OptionValues> all{
      {"matrix", file},
      {"profile", profile},
      {"for", profile},
      {"like", profile},
      {"check", profile},
      {"compare", profile},
      {"gpu", {gpus()}},
      {"layout", {names_of(all_layouts()), true}},
      {"block", {blocks(), true}},
      {"precision", precision},
      {"device", {{"cpu", "cuda:0"}, true}},
      {"count-on", {{"cpu", "cuda:0"}}},
      {"solver", {with(solvers(), {"all"}), true}},
      {"precondition", {with(preconditioners(), {"all"}), true}},
      {"execution", {{"fused", "step-by-step"}}},
      {"launch", {with(launches(), {"auto"})}},
      {"exchange",
       {names_of(std::initializer_list<ExchangeMode>{ExchangeMode::staged, ExchangeMode::peer,
                                                     ExchangeMode::halo, ExchangeMode::nccl,
                                                     ExchangeMode::gpu_aware})}},
      {"renumber", order},
      {"order", order},
      {"curve", {{"average", "maximum"}}},
      {"model", {{model_names.begin(), model_names.end()}}},
      {"quantity",
       {names_of(std::initializer_list<MapQuantity>{MapQuantity::speedup, MapQuantity::raw,
                                                    MapQuantity::effective})}},
      {"stop", {{"residual", "preconditioned"}}},
      {"families", {{"related", "unrelated"}}},
      {"instructions", {{"baseline", "avx2", "avx512"}}},
      {"differences", {{"upwind", "central"}}},
      {"element", {{"p1", "p2"}}},
      {"kind", {generated_kinds()}},
      {"name", {table4_names()}},
      {"what", {{"spmv", "cg", "formats", "blocks", "fusion"}}},
      {"x", {{"l1", "l2"}, true}},
      {"rhs", {{"ones", "random"}, false, true}},
      {"schedule", {built_in_names(), false, true}},
      {"out", file},
      {"in", file},
      {"csv", file},
      {"history", file},
      {"html", file},
      {"ginkgo", file},
      {"extra-p", file},
      {"features", file},
      {"plot", file},
      {"scatter", file},
      {"chart", file},
      {"figure2", file},
      {"figure9", file},
      {"points", file},
      {"measured", file},
      {"regression", file},
      {"from", file},
      {"folder", file},
      {"refit", file},
      {"leave-families-out", file},
  };
  return all;
}

/// By command and option.
const std::map<std::pair<std::string, std::string>, OptionValues>& only_there() {
  static const OptionValues file{{}, false, true};
  static const OptionValues one_layout{names_of(all_layouts())};
  static const std::map<std::pair<std::string, std::string>, OptionValues> all{
      {{"calibrate", "launch"}, {launches(), true}},
      {{"predict", "launch"}, {launches()}},
      {{"predict", "renumber"}, {with(names_of(all_renumberings), {"all"}), true}},
      {{"predict", "schedule"}, {with(built_in_names(), {"all"}), false, true}},
      {{"map", "layout"}, one_layout},
      {{"map", "solver"}, {solvers()}},
      {{"map", "precondition"}, {preconditioners()}},
      {{"inspect", "layout"}, one_layout},
      {{"solve", "layout"}, one_layout},
      {{"solve", "renumber"}, {with(names_of(all_renumberings), {ptscotch_order})}},
      {{"solve", "schedule"}, {our_names(), false, true}},
      {{"bench", "precision"}, {{"f32", "f64", "both"}}},
      {{"bench", "renumber"}, {{"none", "rcm", "random"}, true}},
      {{"validate", "precision"}, {{"f32", "f64"}, true}},
      {{"validate", "launch"}, {with(launches(), {"all"}), true}},
      {{"validate", "exchange"}, {{"halo", "peer", "staged"}}},
      {{"validate", "renumber"}, {with(names_of(all_renumberings), {"all"}), true}},
      {{"validate", "schedule"}, {with(built_in_names(), {"spmv", "all"}), true, true}},
      {{"generate", "points"}, {{"3", "5", "7", "9", "27"}}},
      // Solvers of one's own alone: ours are their default.
      {{"advise", "schedule"}, file},
      {{"inspect", "schedule"}, file},
      {{"map", "schedule"}, file},
      {{"bench", "set"}, {{"structured", "unstructured"}, true}},
  };
  return all;
}

}  // namespace

OptionValues values_of(const std::string& command, const std::string& option) {
  if (const auto found = only_there().find({command, option}); found != only_there().end()) {
    return found->second;
  }
  const auto found = everywhere().find(option);
  return found == everywhere().end() ? OptionValues{} : found->second;
}

}  // namespace sparsecast::cli
