#include "python/bindings/predictions.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/best_choice_json.hpp"
#include "predict/advice/compared_time.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/advice/explanation_json.hpp"
#include "predict/features/predict_features.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/prediction_json.hpp"
#include "predict/prediction_request.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/counting.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

/// What a call asks for beside its solvers.
PredictionRequest request_of(const Arguments& arguments,
                             const std::vector<DeviceProfile>& profiles) {
  PredictionRequest request;
  arguments.read("layouts", request.layouts);
  read_devices(arguments, "devices", request.devices);
  for (const DeviceProfile& profile : profiles) require_devices(request.devices, profile);
  request.precision = precision_for(arguments, profiles);
  request.curve = curve_of(arguments, profiles);
  request.iterations = iterations_of(arguments);
  if (arguments.has("launches")) {
    for (const py::object& each : several_of("launches", arguments.at("launches"))) {
      request.launches.push_back(Arguments::parsed("launches", each, parse_launch_mode));
    }
  }
  return request;
}

/// Asks for the time of an iteration of these.
void ask_for(const ChosenSolvers& chosen, PredictionRequest& request) {
  request.schedules = chosen.built_in;
  for (const OwnSchedule& own : chosen.own) {
    request.own.push_back(own.priced());
    request.schedules.push_back(request.own.back().name());
  }
}

/// Those of each profile by `predict_one(profile)`, one after the other, behind a share of the work
/// that is done.
template <class Predict>
std::vector<Prediction> predict_each(Watch& watch, double share_before,
                                     const std::vector<DeviceProfile>& profiles,
                                     const Predict& predict_one) {
  std::vector<Prediction> all;
  double done = 0;
  for (const DeviceProfile& profile : profiles) {
    watch.update(share_before + (1 - share_before) * done / static_cast<double>(profiles.size()));
    std::ranges::move(predict_one(profile), std::back_inserter(all));
    ++done;
  }
  watch.update(1);
  return all;
}

/// Predictions, and of times to solution what was counted.
std::pair<std::vector<Prediction>, std::vector<IterationCount>> predict(
    py::handle given_subject, const std::vector<const DeviceProfile*>& given_profiles,
    const py::dict& given, py::object progress) {
  const Subject subject = subject_of(given_subject);
  const std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  const Arguments arguments(given);
  PredictionRequest request = request_of(arguments, profiles);
  ChosenSolvers chosen = chosen_solvers(arguments);
  const std::optional<Counting> counting = counting_of(arguments, subject, profiles);
  const Renumbering how = order_of(arguments, subject);
  Counted counted;
  std::vector<Prediction> predictions = without_lock(std::move(progress), [&](Watch& watch) {
    const auto turn = turn_of(subject);
    double share_before = 0;
    if (counting) {
      share_before = share_of_counting(subject);
      SolversToCount solvers = solvers_to_count(std::move(chosen));
      counted = counts_of(subject, *counting, solvers, std::array{request.precision}, watch,
                          share_before);
      ask_for_solution(counted_solvers_of(subject, counted, solvers), request);
    } else {
      counted.warnings = leave_out_unfit(subject, chosen);
      ask_for(chosen, request);
    }
    return predict_each(watch, share_before, profiles, [&](const DeviceProfile& profile) {
      return subject.features != nullptr
                 ? predict_features(*subject.features, profile, request)
                 : predict_matrix(subject.matrix->orders(how), profile, request);
    });
  });
  for (const std::string& warning : counted.warnings) warn_in_python(warning);
  return {std::move(predictions), std::move(counted.counts)};
}

std::vector<Prediction> predict_from_numbers(
    const std::vector<const DeviceProfile*>& given_profiles, const py::dict& given) {
  const std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  const Arguments arguments(given);
  const SystemNumbers numbers = system_numbers(arguments);
  PredictionRequest request = request_of(arguments, profiles);
  ask_for(chosen_solvers(arguments), request);
  return without_lock(py::none(), [&](Watch& watch) {
    return predict_each(watch, 0, profiles, [&](const DeviceProfile& profile) {
      check_numbers(numbers.unknowns, numbers.elements, numbers.layout, profile, numbers.rows);
      return predict_numbers(numbers.unknowns, numbers.elements, numbers.layout, profile, request,
                             numbers.rows);
    });
  });
}

/// What the program prints of predictions that stand beside each other.
py::object predictions_to_list(const std::vector<Prediction>& predictions) {
  std::optional<BestChoice> best;
  try {
    best = best_choice(predictions);
  } catch (const Error&) {  // none fits: there are no ranks
  }
  const std::vector<JsonObject> ranks = ranks_to_json(predictions, best);
  JsonArray all;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    all.add(to_json(predictions[i]).add_members(ranks[i]));
  }
  return from_json(all);
}

/// Of each the time by which all are compared, in seconds, with its interval, and what that time is
/// of; NaN where it is not known of one that is only compared.
py::tuple compared_times(const std::vector<Prediction>& predictions) {
  const ComparedTime time = compared_time(predictions);
  std::vector<std::pair<double, std::optional<Interval>>> times;
  for (const Prediction& each : predictions) {
    const bool known =
        time == ComparedTime::iteration ||
        (time == ComparedTime::iterations ? each.iterations_seconds : each.total_seconds);
    if (known) {
      times.emplace_back(seconds_of(each, time), interval_of(each, time));
    } else {
      times.emplace_back(std::numeric_limits<double>::quiet_NaN(), std::nullopt);
    }
  }
  const bool counted = std::ranges::any_of(
      predictions, [](const Prediction& each) { return each.count.has_value(); });
  return py::make_tuple(times, time == ComparedTime::iteration ? "time of an iteration"
                               : counted                       ? "time to solution"
                                                               : "time of all iterations");
}

void bind_prediction(py::module_& module) {
  py::class_<Interval>(module, "Interval", R"(
Where to expect a time, in seconds: with probability 90 %.

>>> low, high = sparsecast.predict(A, "nvidia-h200").best.interval_seconds
>>> low < high
True
)")
      .def_readonly("low", &Interval::low, "Seconds.")
      .def_readonly("high", &Interval::high, "Seconds.")
      .def("__iter__",
           [](const Interval& self) { return py::iter(py::make_tuple(self.low, self.high)); })
      .def("__repr__", [](const Interval& self) {
        return "<sparsecast.Interval " + short_number(self.low) + " to " + short_number(self.high) +
               " s>";
      });

  py::class_<TimeParts>(module, "TimeParts", R"(
Where the time of one iteration goes, in seconds.

>>> sparsecast.predict(A, "nvidia-h200").best.parts.exchange
0.0
)")
      .def_readonly("spmv", &TimeParts::spmv, "Products of matrix and vector.")
      .def_readonly("vector_kernels", &TimeParts::vector_kernels, "Passes over vectors.")
      .def_readonly("reductions", &TimeParts::reductions, "Sums.")
      .def_readonly("exchange", &TimeParts::exchange, "Between devices.")
      .def_readonly("synchronisation", &TimeParts::synchronisation, "Of devices.");

  py::class_<Prediction>(module, "Prediction", R"(
The forecast for one layout, number of devices, schedule and launch mode.

>>> best = sparsecast.predict(A, "nvidia-h200").best
>>> best.profile, best.devices, best.fits
('nvidia-h200', 1, True)
)")
      .def_readonly("profile", &Prediction::profile, "The profile's name.")
      .def_readonly("estimated", &Prediction::estimated, "Whether nobody has measured the device.")
      .def_property_readonly(
          "layout", [](const Prediction& self) { return name_of(self.layout); },
          "How the matrix is stored: \"csr\", \"bcsr3\", ...")
      .def_readonly("devices", &Prediction::devices, "How many.")
      .def_property_readonly(
          "renumbering", [](const Prediction& self) { return name_of(self.renumbering); },
          "What made the order of the unknowns that is priced.")
      .def_property_readonly(
          "precision", [](const Prediction& self) { return name_of(self.precision); },
          "\"f32\" or \"f64\".")
      .def_readonly("model", &Prediction::model, "What priced it.")
      .def_readonly("schedule", &Prediction::schedule, "The solver.")
      .def_property_readonly(
          "launch", [](const Prediction& self) { return name_of(self.launch); },
          "The launch mode on GPUs by the traffic model; else None.")
      .def_property_readonly(
          "exchange", [](const Prediction& self) { return name_of(self.exchange); },
          "How several GPUs exchange vectors; else None.")
      .def_readonly("only_compared", &Prediction::only_compared,
                    "Shown beside our own: never the best choice.")
      .def_readonly("estimated_pattern", &Prediction::estimated_pattern,
                    "Whether the matrix was not there to count gathers.")
      .def_readonly("seconds_per_iteration", &Prediction::seconds_per_iteration, "Seconds.")
      .def_readonly("interval_seconds", &Prediction::interval_seconds,
                    "90 % interval of it; None where the profile knows none.")
      .def_readonly("measured_over_predicted", &Prediction::measured_over_predicted,
                    "By models of curves: what calibration measured over what they say; else "
                    "None.")
      .def_readonly("raw_gflops", &Prediction::raw_gflops, "GFlop/s of all stored elements.")
      .def_readonly("effective_gflops", &Prediction::effective_gflops,
                    "GFlop/s of nonzeros only; None where their number is unknown.")
      .def_readonly("speedup", &Prediction::speedup,
                    "Over our fastest on one device in the same layout and precision; None where "
                    "it is unknown.")
      .def_readonly("bytes_per_device", &Prediction::bytes_per_device,
                    "Bytes of matrix and vectors on the fullest device.")
      .def_readonly("fits", &Prediction::fits,
                    "Whether the device's memory holds it; None where that is unknown.")
      .def_readonly("memory_bytes", &Prediction::memory_bytes,
                    "Bytes of memory of one device; 0: unknown.")
      .def_readonly("parts", &Prediction::parts, "Where the time goes.")
      .def_readonly("warnings", &Prediction::warnings, "A sentence each.")
      .def_readonly(
          "conversion_seconds", &Prediction::conversion_seconds,
          "Seconds to bring the matrix into the layout, and of a persistent kernel to share "
          "it out; None: unknown.")
      .def_readonly("upload_seconds", &Prediction::upload_seconds,
                    "Seconds to send it to the devices; None: unknown.")
      .def_readonly("pays_after_iterations", &Prediction::pays_after_iterations,
                    "From how many iterations on the layout is better than CSR, setup included; "
                    "infinity: never; None: unknown.")
      .def_readonly(
          "iterations", &Prediction::iterations,
          "As requested, or expected by the count: its middle, rounded up; 0: of one iteration.")
      .def_readonly("count", &Prediction::count,
                    "Of a time to solution what was counted of the solver; else None.")
      .def_readonly("start_seconds", &Prediction::start_seconds,
                    "Seconds before the first iteration, of a time to solution; else None.")
      .def_readonly("iterations_seconds", &Prediction::iterations_seconds,
                    "Seconds of the start and all iterations; None where they were not requested.")
      .def_readonly("iterations_interval", &Prediction::iterations_interval,
                    "90 % interval of the start and all iterations, with how far counts lie apart; "
                    "None where it is unknown.")
      .def_readonly("total_seconds", &Prediction::total_seconds,
                    "Seconds of setup and all iterations: the time to solution; None where they "
                    "were not requested or setup is unknown.")
      .def_readonly("total_interval", &Prediction::total_interval,
                    "90 % interval of total_seconds; None where it is unknown.")
      .def(
          "to_dict", [](const Prediction& self) { return from_json(to_json(self)); },
          "The keys of `sparsecast predict --json`, but for those that compare predictions.")
      .def("__repr__", [](const Prediction& self) {
        return "<sparsecast.Prediction " + choice_text(self) + ">";
      });
  set_module<Interval, TimeParts, Prediction>();
}

void bind_choice(py::module_& module) {
  py::class_<SlowerChoice>(module, "SlowerChoice", R"(
A prediction behind the best.

>>> choice = sparsecast.best_choice(sparsecast.predict(A, "nvidia-h200"))
>>> all(other.margin >= 0 for other in choice.others)
True
)")
      .def_readonly("index", &SlowerChoice::index, "Its place among the predictions.")
      .def_readonly("margin", &SlowerChoice::margin,
                    "How much slower than the best it is (0.1: by 10 %).")
      .def_readonly("tie", &SlowerChoice::tie, "Whether the two cannot be told apart.");
  py::class_<BestChoice>(module, "BestChoice", R"(
The fastest prediction that fits, and how close the others come.

>>> predictions = sparsecast.predict(A, "nvidia-h200")
>>> predictions[sparsecast.best_choice(predictions).index].fits
True
)")
      .def_readonly("index", &BestChoice::index, "Its place among the predictions.")
      .def_readonly("others", &BestChoice::others, "All others that fit, the fastest first.");

  py::class_<ExplainedPart>(module, "ExplainedPart", R"(
A part of an iteration's time.

>>> predictions = sparsecast.predict(A, "nvidia-h200")
>>> parts = sparsecast.explain(predictions.best, predictions).parts
>>> all(part.seconds >= 0 for part in parts)
True
)")
      .def_readonly("name", &ExplainedPart::name, "A step, or what lies between steps.")
      .def_readonly("seconds", &ExplainedPart::seconds, "Seconds.")
      .def_readonly("floor_seconds", &ExplainedPart::floor_seconds,
                    "Seconds of its bytes from and to memory, at the memory's speed.")
      .def_readonly("memory_bytes", &ExplainedPart::memory_bytes,
                    "Bytes that move from and to memory.")
      .def_readonly("cache_bytes", &ExplainedPart::cache_bytes,
                    "Bytes that only the last-level cache moves.")
      .def_readonly("gathered_bytes", &ExplainedPart::gathered_bytes,
                    "Of these, gathered sectors of the vector.")
      .def_readonly("bound", &ExplainedPart::bound, "What binds it.");
  py::class_<Explanation>(module, "Explanation", R"(
Where the time of a forecast goes, and what can be done about it.

>>> predictions = sparsecast.predict(A, "nvidia-h200")
>>> 0 < sparsecast.explain(predictions.best, predictions).bound_share <= 1
True
)")
      .def_readonly("parts", &Explanation::parts, "Their seconds add up to the iteration's.")
      .def_readonly("bound", &Explanation::bound,
                    "What binds the parts that take most of the time together.")
      .def_readonly("bound_share", &Explanation::bound_share, "Of the time, in parts so bound.")
      .def_readonly("advice", &Explanation::advice, "A sentence each.")
      .def(
          "to_dict", [](const Explanation& self) { return from_json(to_json(self)); },
          "The keys of `sparsecast predict --explain --json`.")
      .def("__repr__", [](const Explanation& self) {
        return "<sparsecast.Explanation: " + short_number(100 * self.bound_share) + " % by " +
               self.bound + ">";
      });
  set_module<SlowerChoice, BestChoice, ExplainedPart, Explanation>();
}

}  // namespace

std::string choice_text(const Prediction& prediction) {
  constexpr double micro = 1e6;
  return name_of(prediction.layout) + ", " + prediction.schedule +
         (prediction.launch ? ", " + name_of(*prediction.launch) : "") + " on " +
         std::to_string(prediction.devices) + " x " + prediction.profile + ": " +
         short_number(micro * prediction.seconds_per_iteration) + " us";
}

void bind_predictions(py::module_& module) {
  bind_prediction(module);
  bind_choice(module);
  module.def("predict", &predict);
  module.def("predict_numbers", &predict_from_numbers);
  module.def("best_choice",
             [](const std::vector<Prediction>& predictions) { return best_choice(predictions); });
  module.def("predictions_to_list", &predictions_to_list);
  module.def("compared_times", &compared_times);
  module.def("explain", [](const Prediction& chosen, const std::vector<Prediction>& all) {
    return explain(chosen, all);
  });
}

}  // namespace sparsecast::python
