#include "predict/advice/advice_json.hpp"

#include "predict/interval_json.hpp"

namespace sparsecast {

namespace {

JsonObject to_json(const DeviceChoice& choice) {
  const Prediction& prediction = choice.prediction;
  return {{"profile", choice.profile},
          {"estimated", prediction.estimated},
          {"gpus", choice.gpus()},
          {"devices", prediction.devices},
          {"renumbering", to_string(prediction.renumbering)},
          {"layout", to_string(prediction.layout)},
          {"schedule", prediction.schedule},
          {"precision", to_string(prediction.precision)},
          {"launch", prediction.launch ? JsonValue(to_string(*prediction.launch)) : JsonValue()},
          {"seconds_per_iteration", prediction.seconds_per_iteration},
          {"count", prediction.count ? JsonValue(to_json(*prediction.count)) : JsonValue()},
          {"compared_seconds", choice.seconds},
          {"interval_seconds", to_json(choice.interval_seconds)},
          {"efficiency", choice.efficiency},
          {"device_seconds", choice.device_seconds()},
          {"bytes_per_device", prediction.bytes_per_device},
          {"fits", prediction.fits},
          {"warnings", prediction.warnings}};
}

}  // namespace

JsonObject to_json(const Advice& advice) {
  JsonArray ties;
  for (const std::size_t tie : advice.ties) ties.add(to_json(advice.choices[tie]));
  JsonArray choices;
  for (const DeviceChoice& choice : advice.choices) choices.add(to_json(choice));
  return {{"recommended", to_json(advice.choices[advice.recommended])},
          {"reason", advice.reason},
          {"speedup_end", advice.speedup_end.empty() ? JsonValue() : JsonValue(advice.speedup_end)},
          {"fewest_that_fit", to_json(advice.choices[advice.fewest])},
          {"ties", ties},
          {"setup_included", advice.setup_included},
          {"choices", choices}};
}

std::vector<JsonObject> choices_to_json(const Advice& advice) {
  std::vector<JsonObject> all;
  for (std::size_t i = 0; i < advice.choices.size(); ++i) {
    all.push_back(to_json(advice.choices[i]));
    all.back().add("recommended", i == advice.recommended);
  }
  return all;
}

}  // namespace sparsecast
