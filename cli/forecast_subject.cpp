#include "cli/forecast_subject.hpp"

#include <algorithm>
#include <string_view>

#include "cli/command.hpp"
#include "cli/matrix_source.hpp"
#include "cli/reports/printable.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "predict/features/features_file.hpp"
#include "predict/features/predict_features.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/unasked_layouts.hpp"
#include "predict/unfit_solvers.hpp"

namespace sparsecast::cli {

ForecastFeatures read_features(const std::string& path) {
  ForecastFeatures features = read_features_file(path);
  for (const std::string& why : features.left_out) {
    warn(why + "; left out: write the file again with this version to have it");
  }
  return features;
}

std::string subject_name(const std::string& path) {
  std::string name = matrix_name(path);
  for (const std::string_view ending : {".json", ".features"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

ForecastSubject::ForecastSubject(const std::string& path, Renumbering how)
    : path_(file_label(path)), orders_so_far_{how} {
  if (is_features_file(path)) {
    refuse_order_of_features(how);
    counted_ = read_features(path);
    orders_so_far_ = {counted_->renumbering};
  } else {
    file_ = read_square_matrix(path);
    const Phase phase("counting what decides the speed of " + path_);
    features_ = compute_features(file_.matrix.view());
    orders_.emplace(file_.matrix.view(), *features_, how);
  }
}

void ForecastSubject::check_needs(std::vector<Solver>& solvers, bool leave_out) const {
  if (leave_out && !features().symmetric) {
    std::string names;
    std::erase_if(solvers, [&](const Solver& solver) {
      const bool needs_more = solver.needs != MatrixKind::square;
      if (needs_more) names += (names.empty() ? "" : ", ") + solver.name();
      return needs_more;
    });
    if (!names.empty()) {
      warn(path_ + " is not symmetric: left out, as they cannot solve with it: " + names);
    }
  }
  for (const std::string& warning : unfit_warnings(path_, features(), solvers)) warn(warning);
}

std::vector<IterationCount> ForecastSubject::counts(const CommandLine& line,
                                                    const CountOptions& options,
                                                    SolversToCount& solvers,
                                                    std::span<const Precision> precisions) const {
  if (!features().symmetric) leave_out_symmetric(path_, solvers);
  std::vector<IterationCount> counts =
      counted_ ? find_counts(line, options.rules, *counted_, solvers, precisions)
               : count_iterations(line, options, file_.matrix.view(), solvers, precisions);
  warn_of_counts(path_, counts);
  require_one_solves(path_, counts);
  return counts;
}

void ForecastSubject::refuse_order_of_features(Renumbering how) const {
  if (how == Renumbering::none) return;
  throw UsageError("--renumber " + std::string(to_string(how)) + ": " + path_ +
                   " has no entries to order; write one of that order where the matrix is: "
                   "sparsecast inspect MATRIX --renumber " +
                   std::string(to_string(how)) + " --features FILE");
}

void ForecastSubject::renumber(Renumbering how) {
  if (counted_) return refuse_order_of_features(how);
  order_seconds_ = order_seconds();
  orders_so_far_.push_back(how);
  orders_.emplace(file_.matrix.view(), *features_, how);
}

std::vector<OrderSeconds> ForecastSubject::order_seconds() const {
  std::vector<OrderSeconds> all = order_seconds_;
  if (orders_ && orders_->seconds() > 0) all.push_back({orders_->how(), orders_->seconds()});
  return all;
}

const MatrixFeatures& ForecastSubject::features() const {
  return counted_ ? counted_->features : *features_;
}

std::optional<PatternView> ForecastSubject::pattern() const {
  if (counted_) return std::nullopt;
  return file_.matrix.view().pattern();
}

std::string ForecastSubject::text() const {
  return printable_line(path_) + ": " + format_count(features().rows) + " unknowns, " +
         format_count(features().nonzeros) + " nonzeros" + order_text(orders_so_far_);
}

std::vector<Layout> ForecastSubject::worthwhile() const {
  std::vector<Layout> layouts;
  for (const Layout& layout : usual_layouts()) {
    if (counted_ && counted_->find(layout) == nullptr) continue;
    if (is_forecast_unasked(features().numbers(layout.format), layout)) layouts.push_back(layout);
  }
  return layouts;
}

std::vector<Prediction> ForecastSubject::predict(const DeviceProfile& profile,
                                                 const PredictionRequest& request) {
  const Phase phase("forecasting for " + profile.name);
  return counted_ ? predict_features(*counted_, profile, request)
                  : predict_matrix(*orders_, profile, request);
}

Advice ForecastSubject::advise(std::span<const DeviceProfile> profiles,
                               const AdviceRequest& request) {
  const Phase phase("comparing devices");
  return counted_ ? sparsecast::advise(*counted_, profiles, request)
                  : sparsecast::advise(*orders_, profiles, request);
}

}  // namespace sparsecast::cli
