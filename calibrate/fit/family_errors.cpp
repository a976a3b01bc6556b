#include "calibrate/fit/family_errors.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "calibrate/fit/median.hpp"
#include "calibrate/fit/plain_regression.hpp"
#include "calibrate/fit/traffic_calibration.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/workload/launch_mode.hpp"

namespace sparsecast {
namespace {

/// By matrix.
using Errors = std::map<std::string, std::vector<double>>;

struct FamilyCases {
  Errors iterations;
  Errors products;
  Errors regression_iterations;
  Errors regression_products;

  void merge(FamilyCases& other) {
    iterations.merge(other.iterations);
    products.merge(other.products);
    regression_iterations.merge(other.regression_iterations);
    regression_products.merge(other.regression_products);
  }
};

MatrixErrors summary_of(const Errors& errors) {
  MatrixErrors summary;
  summary.matrices = errors.size();
  if (errors.empty()) return summary;
  std::vector<double> means;
  for (const auto& [matrix, of_matrix] : errors) means.push_back(mean(of_matrix));
  summary.mean = mean(means);
  summary.p95 = quantile(means, 0.95);
  summary.median = median(std::move(means));
  return summary;
}

FamilyErrors line_of(std::string family, const FamilyCases& cases) {
  return {std::move(family), summary_of(cases.iterations), summary_of(cases.products),
          summary_of(cases.regression_iterations), summary_of(cases.regression_products)};
}

bool is_judged_iteration(const Sample& sample) {
  return sample.devices == 1 && sample.kernel == "Iteration" && sample.schedule != "vendor" &&
         (sample.launch.empty() || sample.launch == to_string(LaunchMode::graph) ||
          sample.launch == to_string(LaunchMode::persistent));
}

bool is_judged_product(const Sample& sample) {
  return sample.devices == 1 && (sample.kernel == "SpMV" || sample.kernel == "SpMVDot");
}

FamilyCases forecast(const SampleFile& file, const std::string& family,
                     const TrafficProfile& profile, const PlainRegression& regression) {
  FamilyCases cases;
  for (const Sample& sample : file.samples) {
    if (!sample.trusted() || sample.matrix.empty() || family_of(sample.matrix) != family) continue;
    const bool iterates = is_judged_iteration(sample);
    if (!iterates && !is_judged_product(sample)) continue;
    const auto point = traffic_point(sample, profile.cpu_threads);
    if (!point) continue;
    double error = 0;
    try {
      error = traffic_error(*point, profile.gpu, profile.parameters);
    } catch (const Error&) {
      continue;  // of a kernel that no other family has
    }
    (iterates ? cases.iterations : cases.products)[sample.matrix].push_back(error);
    const auto seconds =
        regression.seconds({point->schedule, sample.launch, point->segment.layout, sample.shape,
                            sample.nonzeros, *sample.access, sample.precision});
    if (!seconds) continue;
    (iterates ? cases.regression_iterations : cases.regression_products)[sample.matrix].push_back(
        std::abs(*seconds / sample.seconds - 1));
  }
  return cases;
}

}  // namespace

std::vector<FamilyErrors> leave_families_out(const SampleFile& file,
                                             const TrafficFitOptions& options,
                                             const std::function<void(double)>& fitted) {
  std::set<std::string> families;
  for (const Sample& sample : file.samples) {
    const bool judged = is_judged_iteration(sample) || is_judged_product(sample);
    if (judged && !sample.matrix.empty()) families.insert(family_of(sample.matrix));
  }
  if (families.size() < 2) {
    throw Error("samples of '" + file.origin.device +
                "' are of fewer than two families of matrices; there is none to leave out");
  }
  std::vector<FamilyErrors> lines;
  FamilyCases all;
  double done = 0;
  for (const std::string& family : families) {
    SampleFile others = file;
    std::erase_if(others.samples, [&family](const Sample& sample) {
      return !sample.matrix.empty() && family_of(sample.matrix) == family;
    });
    const auto fit = fit_samples(others, options);
    if (!fit) {
      throw Error("samples of '" + file.origin.device + "' have no traffic model without '" +
                  family + "'");
    }
    FamilyCases cases = forecast(file, family, fit->profile, PlainRegression(others.samples));
    lines.push_back(line_of(family, cases));
    all.merge(cases);
    done += 1 / static_cast<double>(families.size());
    if (fitted) fitted(done);
  }
  lines.push_back(line_of("all", all));
  return lines;
}

}  // namespace sparsecast
