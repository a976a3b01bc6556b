// A caller with CSR arrays of its own, with row offsets of 32 or of 64 bits: forecasts the matrix,
// takes the best layout and solves.
#include <sparsecast/sparsecast.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class Offset>
struct Arrays {
  std::vector<Offset> row_offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(row_offsets.size()) - 1; }
  sparsecast::CsrView<double> view() const {
    return {rows(), rows(), row_offsets, columns, values};
  }
};

// Three unknowns a node of a grid of 30 x 20, each coupled with those of the node and of its four
// neighbours, weaker the farther; diagonally dominant.
template <class Offset>
Arrays<Offset> elastic_grid() {
  constexpr int width = 30, height = 20, unknowns = 3;
  Arrays<Offset> arrays;
  for (int node = 0; node < width * height; ++node) {
    const int column = node % width, row = node / width;
    for (int i = 0; i < unknowns; ++i) {
      for (const int other : {node - width, node - 1, node, node + 1, node + width}) {
        const bool beside =
            (other == node - 1 && column == 0) || (other == node + 1 && column == width - 1) ||
            (other == node - width && row == 0) || (other == node + width && row == height - 1);
        if (beside) continue;
        for (int j = 0; j < unknowns; ++j) {
          arrays.columns.push_back(other * unknowns + j);
          const bool diagonal = other == node && i == j;
          arrays.values.push_back(diagonal ? 7.5 + node % 7 : (i == j ? -1 : -0.25));
        }
      }
      arrays.row_offsets.push_back(static_cast<Offset>(arrays.columns.size()));
    }
  }
  return arrays;
}

struct Results {
  std::vector<double> forecasts;  // seconds per iteration
  std::string recommended;
  std::vector<double> x;
  std::string brief;
};

Results forecast_and_solve(const sparsecast::CsrView<double>& matrix) {
  sparsecast::check_csr(matrix);
  const auto features = sparsecast::compute_features(matrix);
  const std::vector profiles{sparsecast::read_profile(PROFILES "/gtx280.json"),
                             sparsecast::read_profile(PROFILES "/amd-epyc-zen4-2cores.json")};
  Results results;
  std::size_t best = 0;
  std::vector<sparsecast::Prediction> predictions;
  for (const auto& profile : profiles) {
    sparsecast::PredictionRequest request;
    request.precision = sparsecast::Precision::f32;
    request.devices =
        profile.kind == sparsecast::DeviceProfile::Kind::gpu ? std::vector{1, 2} : std::vector{1};
    predictions = sparsecast::predict_matrix(matrix, features, profile, request);
    best = sparsecast::best_choice(predictions).index;
    for (const auto& prediction : predictions) {
      results.forecasts.push_back(prediction.seconds_per_iteration);
    }
  }
  sparsecast::AdviceRequest request;
  request.precision = sparsecast::Precision::f32;
  const auto advice = sparsecast::advise(matrix, features, profiles, request);
  results.recommended = advice.choices.at(advice.recommended).profile;

  const auto cpu = sparsecast::open_backend("cpu", 1);
  std::vector<double> b;
  for (std::int64_t row = 0; row < matrix.rows; ++row) b.push_back(1 + row % 5);
  results.x.assign(b.size(), 0.0);
  sparsecast::SolveOptions options;
  options.layout = predictions.at(best).layout;
  const auto solved = sparsecast::solve(*cpu, matrix, b, results.x, options);
  if (solved.outcome != sparsecast::Outcome::converged) throw std::runtime_error(solved.brief());
  results.brief = solved.brief();
  return results;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("not as expected: " + what);
}

// That bad arrays are refused in one line, which begins so.
template <class Offset>
void expect_refused(const Arrays<Offset>& arrays, const std::string& start) {
  std::string line;
  try {
    sparsecast::check_csr(arrays.view());
  } catch (const sparsecast::Error& error) {
    line = error.what();
  }
  expect(line.starts_with(start) && line.find('\n') == std::string::npos, "'" + line + "'");
}

template <class Offset>
void expect_bad_arrays_refused() {
  auto outside = elastic_grid<Offset>();
  outside.columns[outside.row_offsets[8] - 1] = static_cast<std::int32_t>(outside.rows());
  expect_refused(outside, "CSR matrix: row 7: column index 1800 lies outside");
  auto falling = elastic_grid<Offset>();
  falling.row_offsets[5] = 0;
  expect_refused(falling, "CSR matrix: row 4: offsets 39 and 0");
}

}  // namespace

int main() try {
  const auto narrow = elastic_grid<std::int32_t>();
  const auto wide = elastic_grid<std::int64_t>();
  const Results of_narrow = forecast_and_solve(narrow.view());
  const Results of_wide = forecast_and_solve(wide.view());
  expect(!of_wide.forecasts.empty() && same_bits(of_narrow.forecasts, of_wide.forecasts),
         "the same forecasts");
  expect(of_narrow.recommended == of_wide.recommended, "the same advice");
  expect(same_bits(of_narrow.x, of_wide.x), "the same solution");
  expect_bad_arrays_refused<std::int32_t>();
  expect_bad_arrays_refused<std::int64_t>();
  std::printf("%s; gtx280: %.1f us per iteration; advised: %s\n", of_wide.brief.c_str(),
              1e6 * of_wide.forecasts.at(0), of_wide.recommended.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
