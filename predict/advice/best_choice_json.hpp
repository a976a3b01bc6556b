#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/text/json_text.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/prediction.hpp"

namespace sparsecast {

/// What is to be said of each prediction beside the others: its rank, from 1, the best; and, of
/// those behind it, how they compare with the best, and in what parts of an iteration they differ.
/// Null where a prediction does not fit or is for comparison.
std::vector<JsonObject> ranks_to_json(std::span<const Prediction> predictions,
                                      const std::optional<BestChoice>& best);

}  // namespace sparsecast
