#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/forecast_subject.hpp"
#include "cli/reports/table.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast::cli {

/// What was asked for, and a line that says of what.
struct Forecast {
  std::string subject;
  double unknowns = 0;
  double nonzeros = 0;  ///< of numbers alone, the elements that the layout stores
  std::vector<Prediction> predictions;
  /// For an explanation: what there is besides, whatever was asked for.
  std::vector<Prediction> alternatives;
  /// Those that a forecast is worth, of a matrix that is at hand.
  std::vector<Layout> worthwhile;
  std::vector<IterationCount> counts{};  ///< of times to solution
  std::optional<BestChoice> best{};
  std::string no_best{};  ///< why there is none
  /// What the orders of the unknowns that are forecast took to make here: not in any time.
  std::vector<OrderSeconds> order_seconds{};
};

/// How a prediction compares: "best", "+3.2 %, tie", "+41 %", "does not fit", "to compare".
struct MarkedPrediction {
  const Prediction* prediction;
  std::string mark;
};
/// The best first, then the others by their times, then what does not fit or is only compared.
std::vector<MarkedPrediction> ranked(const Forecast& forecast);

/// Times, in that order, with the columns about which something is known.
Table times_table(const Forecast& forecast);

/// One of the predictions, explained.
struct ExplainedPrediction {
  std::size_t index = 0;
  Explanation explanation;
};

/// For people: times, the fastest first; where they go; the best choice, how close the others come
/// and why; what the profiles do not know; and the explanation.
void print_forecast(std::ostream& out, const Forecast& forecast,
                    const std::vector<DeviceProfile>& profiles, const PredictionRequest& request,
                    const std::optional<ExplainedPrediction>& explained, TableStyle style);

}  // namespace sparsecast::cli
