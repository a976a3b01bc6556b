#include "predict/advice/best_choice_json.hpp"

#include <cstddef>

#include "predict/advice/time_difference.hpp"

namespace sparsecast {
namespace {

JsonObject compared(const Prediction& other, const SlowerChoice& choice, const Prediction& best) {
  JsonArray parts;
  for (const TimeDifference& each : time_differences(other, best)) {
    parts.add(JsonObject{
        {"part", each.part}, {"seconds", each.seconds}, {"amount_ratio", each.amount_ratio}});
  }
  return {{"slower_by", choice.margin}, {"tie", choice.tie}, {"parts", parts}};
}

}  // namespace

std::vector<JsonObject> ranks_to_json(std::span<const Prediction> predictions,
                                      const std::optional<BestChoice>& best) {
  std::vector<std::optional<std::size_t>> ranks(predictions.size());
  std::vector<JsonValue> comparisons(predictions.size());
  if (best) {
    std::size_t rank = 1;
    ranks[best->index] = rank;
    for (const SlowerChoice& other : best->others) {
      ranks[other.index] = ++rank;
      comparisons[other.index] =
          compared(predictions[other.index], other, predictions[best->index]);
    }
  }
  std::vector<JsonObject> all;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    all.push_back({{"rank", ranks[i]}, {"against_best", comparisons[i]}});
  }
  return all;
}

}  // namespace sparsecast
