#pragma once

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/engine/solve.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/csr.hpp"
#include "core/open_backend.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/counting/count_iterations.hpp"
#include "predict/counting/count_outcomes.hpp"
#include "predict/features/features_file.hpp"
#include "predict/features/predict_features.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"

/// @file
/// All that a program with matrices of its own needs: views of its arrays, features, profiles,
/// forecasts, maps and advice, and the solver that they are about. Link `sparsecast::predict`.
/// ```
/// using namespace sparsecast;
/// std::vector<int> row_offsets, columns;     // yours; offsets may be std::int64_t too
/// std::vector<double> values, b, x;          // x: the start value
/// const CsrView<double> matrix{n, n, row_offsets, columns, values};  // nothing is copied
/// check_csr(matrix);                         // throws Error: one line that names the bad row
/// const MatrixFeatures features = compute_features(matrix);
/// const DeviceProfile h200 = read_profile("nvidia-h200");            // or a path
/// const auto forecasts = predict_matrix(matrix, features, h200, {});
/// const Prediction& best = forecasts[best_choice(forecasts).index];
/// std::printf("%.1f us per iteration\n", 1e6 * best.seconds_per_iteration);
/// const auto device = open_backend("cuda:0");                        // or "cpu"
/// const auto solved = solve(*device, matrix, b, x, {.layout = best.layout});
/// std::printf("%s\n", solved.brief().c_str());
/// ```
