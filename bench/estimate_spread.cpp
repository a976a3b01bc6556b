/// How far forecasts from a guessed access pattern are from those of the matrix's own: the numbers
/// of `predict/forecast/traffic/estimate_spread.cpp`. No device: both sides are the traffic
/// model's, of generated matrices of all families that calibration knows, fitted and held out.
///
///   estimate_spread PROFILE [MOST_NONZEROS] > cases.csv
///
/// Cases go to standard output; 5 %, 50 % and 95 % quantiles of own / guessed time, by
/// launch mode and stratum of the working set, to standard error.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/plan/matrix_families.hpp"
#include "core/base/error.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "model/profile/profile_file.hpp"
#include "model/working_set.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/unasked_layouts.hpp"
#include "predict/validation/summary/statistics.hpp"

namespace {

using namespace sparsecast;

class GuessComparison {
 public:
  explicit GuessComparison(DeviceProfile profile) : profile_(std::move(profile)) {}

  void add(const MatrixRecipe& recipe) {
    const CsrMatrix<double> matrix = recipe.generate(0);
    const MatrixFeatures features = compute_features(matrix.view());
    for (const auto& [precision, of_precision] : profile_.precisions) {
      for (const BlockFeatures& blocks : features.blocks) {
        // Nobody keeps mostly zeros.
        if (blocks.block_density < 0.5) continue;
        const Layout layout = block_layout(blocks.block_size);
        PredictionRequest request;
        request.precision = precision;
        request.layouts = {layout};
        if (!knows_products(profile_, precision, layout)) continue;
        const auto own = predict_matrix(matrix.view(), features, profile_, request);
        const auto guessed =
            predict_numbers(static_cast<double>(features.rows),
                            static_cast<double>(blocks.block_elements), layout, profile_, request);
        for (const Prediction& mine : own) {
          const auto other = std::ranges::find(guessed, mine.launch, &Prediction::launch);
          if (other != guessed.end()) add(recipe, mine, *other);
        }
      }
    }
  }

  void print() const {
    for (const auto& [kind, ratios] : ratios_) {
      const auto& [launch, stratum] = kind;
      std::fprintf(stderr, "%s, stratum %zu: n %zu, %.3f %.3f %.3f\n", launch.c_str(), stratum,
                   ratios.size(), quantile(ratios, 0.05), quantile(ratios, 0.5),
                   quantile(ratios, 0.95));
    }
  }

 private:
  void add(const MatrixRecipe& recipe, const Prediction& own, const Prediction& guessed) {
    const double ratio = own.seconds_per_iteration / guessed.seconds_per_iteration;
    const double bytes = working_set_bytes(built_in(own.schedule).schedule,
                                           guessed.traffic->segment.shape, own.precision);
    const std::size_t stratum = working_set_stratum(bytes);
    const std::string launch(to_string(*own.launch));
    ratios_[{launch, stratum}].push_back(ratio);
    std::printf("%s,%s,%s,%s,%zu,%.6g,%.6g,%.4f\n", recipe.description.c_str(),
                std::string(to_string(own.precision)).c_str(), to_string(own.layout).c_str(),
                launch.c_str(), stratum, own.seconds_per_iteration, guessed.seconds_per_iteration,
                ratio);
  }

  DeviceProfile profile_;
  std::map<std::pair<std::string, std::size_t>, std::vector<double>> ratios_;
};

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 2) throw Error("usage: estimate_spread PROFILE [MOST_NONZEROS]");
    const double most = count > 2 ? std::atof(arguments[2]) : 3e7;
    GuessComparison comparison(read_profile(arguments[1]));
    constexpr int sizes = 7;
    constexpr double least = 1e4;
    std::printf("matrix,precision,layout,launch,stratum,own_seconds,guessed_seconds,ratio\n");
    for (const auto& families : {fitted_families(), held_out_families(), unequal_families(),
                                 held_out_unequal_families()}) {
      for (const MatrixRecipe& recipe : matrices_of(families, least, most, sizes, 20240701)) {
        comparison.add(recipe);
      }
    }
    comparison.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "estimate_spread: %s\n", error.what());
    return 1;
  }
}
