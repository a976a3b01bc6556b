/// How far forecasts from numbers alone are from those of the matrix's own pattern: the numbers of
/// `predict/forecast/traffic/estimate_spread.cpp`. No device: both sides are the traffic model's,
/// of generated matrices of all families that calibration knows, fitted and held out.
///
///   estimate_spread PROFILE [MOST_NONZEROS [SEED]] > cases.csv
///
/// Cases go to standard output; to standard error, by what is known beside the size: mean, median
/// and 95 % error of the patterns' mean errors, and 5 %, 50 % and 95 % quantiles of own / guessed
/// time by launch mode and stratum of the working set.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/plan/matrix_families.hpp"
#include "core/analysis/matrix_numbers.hpp"
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

/// What is told of the rows, from nothing to all.
std::vector<std::pair<std::string, RowNumbers>> told(const RowNumbers& all) {
  RowNumbers lengths;
  lengths.deviation = all.deviation;
  lengths.longest = all.longest;
  RowNumbers columns = lengths;
  columns.mean_distance = all.mean_distance;
  columns.neighbours = all.neighbours;
  return {{"sizes", {}}, {"row lengths", lengths}, {"columns", columns}, {"similarity", all}};
}

/// The zeros of blocks count as entries of their rows.
RowNumbers with_fill(RowNumbers numbers, double fill, double rows, double elements) {
  numbers.deviation *= fill;
  numbers.longest = std::clamp(numbers.longest * fill, std::min(rows, elements / rows), rows);
  return numbers;
}

class GuessComparison {
 public:
  explicit GuessComparison(DeviceProfile profile) : profile_(std::move(profile)) {}

  void add(const MatrixRecipe& recipe) {
    const CsrMatrix<double> matrix = recipe.generate(0);
    const MatrixFeatures features = compute_features(matrix.view());
    const RowNumbers numbers = count_row_numbers(matrix.view().pattern());
    const auto rows = static_cast<double>(features.rows);
    for (const auto& [precision, of_precision] : profile_.precisions) {
      for (const BlockFeatures& blocks : features.blocks) {
        // Nobody keeps mostly zeros.
        if (blocks.block_density < 0.5) continue;
        const Layout layout = block_layout(blocks.block_size);
        PredictionRequest request;
        request.precision = precision;
        request.layouts = {layout};
        if (!knows_products(profile_, precision, layout)) continue;
        const auto elements = static_cast<double>(blocks.block_elements);
        const RowNumbers filled = with_fill(numbers, 1 / blocks.block_density, rows, elements);
        const auto own = predict_matrix(matrix.view(), features, profile_, request);
        for (const auto& [known, of_rows] : told(filled)) {
          const auto guessed = predict_numbers(rows, elements, layout, profile_, request, of_rows);
          for (const Prediction& mine : own) {
            const auto other = std::ranges::find(guessed, mine.launch, &Prediction::launch);
            if (other != guessed.end()) add(recipe, known, mine, *other);
          }
        }
      }
    }
  }

  void print() const {
    for (const auto& [known, by_matrix] : errors_) {
      std::vector<double> means;
      for (const auto& [matrix, errors] : by_matrix) means.push_back(mean(errors));
      std::fprintf(stderr, "%s: patterns %zu, error %.3f mean, %.3f median, %.3f at 95 %%\n",
                   known.c_str(), means.size(), mean(means), quantile(means, 0.5),
                   quantile(means, 0.95));
    }
    for (const auto& [kind, ratios] : ratios_) {
      const auto& [known, launch, stratum] = kind;
      std::fprintf(stderr, "%s, %s, stratum %zu: n %zu, %.3f %.3f %.3f\n", known.c_str(),
                   launch.c_str(), stratum, ratios.size(), quantile(ratios, 0.05),
                   quantile(ratios, 0.5), quantile(ratios, 0.95));
    }
  }

 private:
  void add(const MatrixRecipe& recipe, const std::string& known, const Prediction& own,
           const Prediction& guessed) {
    const double ratio = own.seconds_per_iteration / guessed.seconds_per_iteration;
    const double bytes = working_set_bytes(built_in(own.schedule).schedule,
                                           guessed.traffic->segment.shape, own.precision);
    const std::size_t stratum = working_set_stratum(bytes);
    const std::string launch(to_string(*own.launch));
    ratios_[{known, launch, stratum}].push_back(ratio);
    errors_[known][recipe.description].push_back(std::abs(1 / ratio - 1));
    std::printf("%s,%s,%s,%s,%s,%zu,%.6g,%.6g,%.4f\n", recipe.description.c_str(), known.c_str(),
                std::string(to_string(own.precision)).c_str(), to_string(own.layout).c_str(),
                launch.c_str(), stratum, own.seconds_per_iteration, guessed.seconds_per_iteration,
                ratio);
  }

  DeviceProfile profile_;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<double>> ratios_;
  std::map<std::string, std::map<std::string, std::vector<double>>> errors_;
};

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 2) throw Error("usage: estimate_spread PROFILE [MOST_NONZEROS [SEED]]");
    const double most = count > 2 ? std::atof(arguments[2]) : 3e7;
    const std::uint64_t seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 20240701;
    GuessComparison comparison(read_profile(arguments[1]));
    constexpr int sizes = 7;
    constexpr double least = 1e4;
    std::printf("matrix,known,precision,layout,launch,stratum,own_seconds,guessed_seconds,ratio\n");
    for (const auto& families : {fitted_families(), held_out_families(), unequal_families(),
                                 held_out_unequal_families()}) {
      for (const MatrixRecipe& recipe : matrices_of(families, least, most, sizes, seed)) {
        comparison.add(recipe);
      }
    }
    comparison.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "estimate_spread: %s\n", error.what());
    return 1;
  }
}
