#include "predict/prediction_json.hpp"

#include <cmath>

#include "predict/interval_json.hpp"

namespace sparsecast {

namespace {

template <class Mode>
JsonValue name_of(const std::optional<Mode>& mode) {
  return mode ? JsonValue(to_string(*mode)) : JsonValue();
}

JsonObject to_json(const TimeParts& parts) {
  return {{"spmv", parts.spmv},
          {"vector_kernels", parts.vector_kernels},
          {"reductions", parts.reductions},
          {"exchange", parts.exchange},
          {"synchronisation", parts.synchronisation}};
}

JsonObject to_json(const LibraryForecast& library) {
  return {{"name", library.library},
          {"calls", library.calls.calls},
          {"waits", library.calls.waits},
          {"host_call_seconds", library.host_call_seconds},
          {"measured", library.measured}};
}

}  // namespace

JsonObject to_json(const Prediction& prediction) {
  JsonObject json{{"profile", prediction.profile},
                  {"estimated", prediction.estimated},
                  {"layout", to_string(prediction.layout)},
                  {"devices", prediction.devices},
                  {"renumbering", to_string(prediction.renumbering)},
                  {"precision", to_string(prediction.precision)},
                  {"model", prediction.model},
                  {"schedule", prediction.schedule},
                  {"launch", name_of(prediction.launch)},
                  {"exchange", name_of(prediction.exchange)}};
  if (prediction.library) json.add("library", to_json(*prediction.library));
  if (prediction.traffic) json.add("estimated_pattern", prediction.estimated_pattern);
  json.add_members({{"seconds_per_iteration", prediction.seconds_per_iteration},
                    {"interval_seconds", to_json(prediction.interval_seconds)}});
  if (!prediction.traffic) {
    json.add("measured_over_predicted", prediction.measured_over_predicted);
  }
  const std::optional<double>& payoff = prediction.pays_after_iterations;
  json.add_members({{"raw_gflops", prediction.raw_gflops},
                    {"effective_gflops", prediction.effective_gflops},
                    {"speedup", prediction.speedup},
                    {"bytes_per_device", prediction.bytes_per_device},
                    {"fits", prediction.fits},
                    {"parts", to_json(prediction.parts)},
                    {"conversion_seconds", prediction.conversion_seconds},
                    {"upload_seconds", prediction.upload_seconds},
                    {"pays_after_iterations",
                     payoff && std::isinf(*payoff) ? JsonValue("never") : JsonValue(payoff)}});
  if (prediction.iterations > 0 || prediction.count) {
    json.add_members({{"iterations", prediction.iterations},
                      {"iterations_seconds", prediction.iterations_seconds},
                      {"iterations_interval", to_json(prediction.iterations_interval)},
                      {"total_seconds", prediction.total_seconds},
                      {"total_interval", to_json(prediction.total_interval)}});
  }
  if (prediction.count) {
    json.add_members(
        {{"start_seconds", prediction.start_seconds}, {"count", to_json(*prediction.count)}});
  }
  return json.add("warnings", prediction.warnings);
}

}  // namespace sparsecast
