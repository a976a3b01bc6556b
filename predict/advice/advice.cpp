#include "predict/advice/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/compared_time.hpp"
#include "predict/features/predict_features.hpp"
#include "predict/marked_name.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast {

namespace {

std::string two_digits(double number) {
  return short_number(number, 2);
}

std::string percent(double share) {
  return std::to_string(std::lround(100 * share)) + " %";
}

std::string name_of(const DeviceChoice& choice) {
  const std::string profile = marked_name(choice.profile, choice.prediction.estimated);
  if (choice.is_one_cpu()) return "the CPU (" + profile + ")";
  return std::to_string(choice.prediction.devices) + " x " + profile;
}

bool tie(const DeviceChoice& a, const DeviceChoice& b) {
  return is_tie(a.seconds, a.interval_seconds, b.seconds, b.interval_seconds);
}

double computing(const TimeParts& parts) {
  return parts.spmv + parts.vector_kernels + parts.reductions;
}

/// What keeps `more` from being as many times faster than `base` as it has more devices.
std::string limit_of(const DeviceChoice& more, const DeviceChoice& base) {
  const Prediction& prediction = more.prediction;
  if (prediction.total_seconds && more.seconds == *prediction.total_seconds) {
    const double before = *prediction.total_seconds - prediction.iterations_seconds.value_or(0);
    if (2 * before >= more.seconds) {
      return "conversion and upload take " + percent(before / more.seconds) + " of its solve";
    }
  }
  const TimeParts& parts = prediction.parts;
  const double ideal =
      computing(base.prediction.parts) * base.prediction.devices / prediction.devices;
  const double size_loss = computing(parts) - ideal;
  const double share = 1 / std::max(parts.total(), std::numeric_limits<double>::min());
  if (size_loss >= std::max(parts.exchange, parts.synchronisation)) {
    return "each device's share of the work is too small to run at full throughput";
  }
  if (parts.exchange >= parts.synchronisation) {
    return "the exchange takes " + percent(parts.exchange * share) + " of its iteration";
  }
  return "synchronisation takes " + percent(parts.synchronisation * share) + " of its iteration";
}

/// The largest part of an iteration, for a choice on other hardware.
std::string largest_part(const TimeParts& parts) {
  const std::array<std::pair<double, const char*>, 5> all{
      {{parts.spmv, "SpMV takes "},
       {parts.vector_kernels, "the vector kernels take "},
       {parts.reductions, "the reductions take "},
       {parts.exchange, "the exchange takes "},
       {parts.synchronisation, "synchronisation takes "}}};
  const auto& [seconds, words] = *std::ranges::max_element(all);
  return words + percent(seconds / std::max(parts.total(), std::numeric_limits<double>::min())) +
         " of its iteration";
}

/// "1.3 times as long": how a slower choice compares.
std::string comparison(const DeviceChoice& other, const DeviceChoice& recommended) {
  const double ratio = other.seconds / recommended.seconds;
  if (ratio >= 1.1) return "would take " + two_digits(ratio) + " times as long";
  if (ratio >= 1) return "would be no faster";
  if (ratio > 0.9) return "would be only " + percent(1 / ratio - 1) + " faster";
  return "would be " + two_digits(1 / ratio) + " times as fast";
}

std::string reason_for(const Advice& advice, const AdviceRequest& request) {
  const DeviceChoice& chosen = advice.choices[advice.recommended];
  const DeviceChoice* next = nullptr;   // the next number of the same devices
  const DeviceChoice* base = nullptr;   // what efficiency is counted from
  const DeviceChoice* rival = nullptr;  // the fastest of the other profiles
  bool fewer_do_not_fit = false;
  for (const DeviceChoice& choice : advice.choices) {
    const bool same = choice.profile == chosen.profile && choice.kind == chosen.kind;
    const int devices = choice.prediction.devices;
    if (same) {
      if (!choice.fits()) {
        fewer_do_not_fit = fewer_do_not_fit || devices < chosen.prediction.devices;
        continue;
      }
      if (base == nullptr || devices < base->prediction.devices) base = &choice;
      if (devices > chosen.prediction.devices &&
          (next == nullptr || devices < next->prediction.devices)) {
        next = &choice;
      }
    } else if (choice.fits() && (rival == nullptr || choice.seconds < rival->seconds)) {
      rival = &choice;
    }
  }

  std::string reason;
  if (fewer_do_not_fit && base == &chosen) {
    reason = "fewer " + marked_name(chosen.profile, chosen.prediction.estimated) +
             " do not hold the matrix, and ";
  }
  if (next != nullptr) {
    reason += name_of(*next) + ' ' + comparison(*next, chosen);
    if (tie(*next, chosen)) reason += " (a tie)";
    if (next->efficiency < request.min_efficiency) {
      reason += " at an efficiency of " + two_digits(next->efficiency) +
                " (asked for: " + two_digits(request.min_efficiency) + ')';
    }
    return reason + ": " + limit_of(*next, *base);
  }
  if (chosen.prediction.devices > 1) {
    return reason + name_of(chosen) + " still reach an efficiency of " +
           two_digits(chosen.efficiency) + ", and more were not considered";
  }
  if (rival != nullptr) {
    reason += name_of(*rival) + ' ' + comparison(*rival, chosen);
    if (tie(*rival, chosen)) reason += " (a tie)";
    return reason + ": " + largest_part(rival->prediction.parts);
  }
  return reason + name_of(chosen) + " is the only choice that was considered; " +
         largest_part(chosen.prediction.parts);
}

/// `Advice::speedup_end`.
std::string speedup_end_of(const Advice& advice) {
  constexpr std::size_t numbers_to_see_an_end = 5;
  std::vector<const DeviceChoice*> of_profile;  // by devices
  for (const DeviceChoice& choice : advice.choices) {
    if (choice.profile == advice.choices[advice.recommended].profile && choice.fits()) {
      of_profile.push_back(&choice);
    }
  }
  if (of_profile.size() < numbers_to_see_an_end) return "";
  const auto fastest = std::ranges::min_element(
      of_profile, {}, [](const DeviceChoice* choice) { return choice->seconds; });
  const auto next = fastest + 1;
  if (next == of_profile.end()) return "";
  const DeviceChoice& least = *of_profile.front();
  const std::string why =
      ": with " + std::to_string((*next)->prediction.devices) + ", " + limit_of(**next, **fastest);
  if (*fastest == &least) return "there is no speedup over " + name_of(least) + why;
  return "speedup ends at " + name_of(**fastest) + ", " +
         two_digits(least.seconds / (*fastest)->seconds) + " times as fast as " + name_of(least) +
         why;
}

using Forecast =
    std::function<std::vector<Prediction>(const DeviceProfile&, const PredictionRequest&)>;

DeviceChoice priced(const DeviceProfile& profile, const Prediction& prediction,
                    ComparedTime compared) {
  DeviceChoice choice;
  choice.profile = profile.name;
  choice.kind = profile.kind;
  choice.prediction = prediction;
  choice.seconds = seconds_of(prediction, compared);
  choice.interval_seconds = interval_of(prediction, compared);
  return choice;
}

/// For every profile and number of devices the fastest solver and layout that fit, if any fit.
std::vector<DeviceChoice> best_of_each(std::span<const ProfileForecast> forecasts,
                                       ComparedTime compared) {
  std::vector<DeviceChoice> choices;
  for (const ProfileForecast& forecast : forecasts) {
    std::map<int, DeviceChoice> best;
    for (const Prediction& prediction : forecast.predictions) {
      DeviceChoice choice = priced(*forecast.profile, prediction, compared);
      const auto [place, first] = best.try_emplace(prediction.devices, choice);
      if (first) continue;
      const DeviceChoice& so_far = place->second;
      const bool better =
          choice.fits() != so_far.fits() ? choice.fits() : choice.seconds < so_far.seconds;
      if (better) place->second = std::move(choice);
    }
    for (auto& [devices, choice] : best) choices.push_back(std::move(choice));
  }
  return choices;
}

/// Those in which a solver converged. Throws `Error` where none did.
std::vector<Precision> precisions_of(std::span<const CountedSolver> counted) {
  std::vector<Precision> precisions;
  for (const CountedSolver& each : counted) {
    if (!each.count.solves()) continue;
    if (std::ranges::count(precisions, each.count.precision) > 0) continue;
    precisions.push_back(each.count.precision);
  }
  if (precisions.empty()) throw Error(why_none_solves(counted));
  return precisions;
}

Advice advise_with(const Forecast& forecast, std::span<const DeviceProfile> profiles,
                   const AdviceRequest& request) {
  if (profiles.empty()) throw Error("advice: no profile; expected at least one");
  if (request.max_devices && *request.max_devices < 1) {
    throw Error("advice: at most " + std::to_string(*request.max_devices) +
                " devices; expected at least 1");
  }
  if (!(request.min_efficiency > 0 && request.min_efficiency <= 1)) {
    throw Error("advice: minimum efficiency " + two_digits(request.min_efficiency) +
                "; expected more than 0 and at most 1");
  }
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (std::ranges::find(profiles.first(i), profiles[i].name, &DeviceProfile::name) !=
        profiles.first(i).end()) {
      throw Error("advice: two profiles are named '" + profiles[i].name + "'; rename one");
    }
  }
  std::vector<ProfileForecast> forecasts;
  for (const DeviceProfile& profile : profiles) {
    PredictionRequest wanted;
    wanted.layouts = request.layouts;
    wanted.precision = request.precision;
    wanted.curve = request.curve;
    wanted.iterations = request.iterations;
    wanted.devices = advised_devices(profile, request.max_devices);
    if (request.own) {
      wanted.own = {*request.own};
      wanted.schedules = {request.own->name()};
    }
    ProfileForecast of_profile{&profile, {}};
    if (request.counted.empty()) {
      of_profile.predictions = forecast(profile, wanted);
    } else {
      for (const Precision precision : precisions_of(request.counted)) {
        wanted.precision = precision;
        ask_for_solution(request.counted, wanted);
        std::ranges::move(forecast(profile, wanted), std::back_inserter(of_profile.predictions));
      }
    }
    forecasts.push_back(std::move(of_profile));
  }
  return advise(forecasts, request);
}

}  // namespace

std::vector<int> advised_devices(const DeviceProfile& profile, std::optional<int> max_devices) {
  if (!prices_several_devices(profile)) return {1};
  constexpr int where_unknown = 8;
  constexpr int on_network = 1024;
  const int usual = profile.network                ? on_network
                    : profile.device_count_max > 0 ? profile.device_count_max
                                                   : where_unknown;
  const int most = max_devices.value_or(usual);
  std::vector<int> counts;
  for (int devices = 1; devices < most; devices *= 2) counts.push_back(devices);
  counts.push_back(most);
  return counts;
}

Advice choose_devices(std::vector<DeviceChoice> choices, const AdviceRequest& request) {
  Advice advice;
  advice.choices = std::move(choices);
  auto& all = advice.choices;

  for (DeviceChoice& choice : all) {
    const DeviceChoice* base = nullptr;
    for (const DeviceChoice& other : all) {
      if (other.profile != choice.profile || !other.fits()) continue;
      if (base == nullptr || other.prediction.devices < base->prediction.devices) base = &other;
    }
    if (base == nullptr) continue;
    choice.efficiency =
        base->seconds * base->prediction.devices / (choice.seconds * choice.prediction.devices);
  }

  // Fewer GPUs first, of CPUs fewer of them, then the faster one.
  const auto simpler = [&](std::size_t a, std::size_t b) {
    const auto order = [&](const DeviceChoice& choice) {
      return std::tuple(choice.gpus(), choice.prediction.devices, choice.seconds);
    };
    return order(all[a]) < order(all[b]);
  };
  std::optional<std::size_t> fewest;
  std::optional<std::size_t> fastest;
  // A device compared with itself has efficiency 1 up to rounding.
  const auto eligible = [&](const DeviceChoice& choice) {
    return choice.fits() && choice.efficiency >= request.min_efficiency * (1 - 1e-12);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].fits()) continue;
    if (!fewest || simpler(i, *fewest)) fewest = i;
    if (eligible(all[i]) && (!fastest || all[i].seconds < all[*fastest].seconds)) fastest = i;
  }
  if (!fewest) {
    const auto least = std::ranges::min_element(
        all, {}, [](const DeviceChoice& choice) { return choice.prediction.bytes_per_device; });
    throw Error(least == all.end() ? std::string("advice: no choice to compare")
                : has_too_many_rows(least->prediction)
                    ? std::string("the matrix fits on none of the devices: ") + too_many_rows
                    : "the matrix fits on none of the devices: even " + name_of(*least) + " need " +
                          short_bytes(static_cast<double>(least->prediction.bytes_per_device)) +
                          " each; allow more devices or choose a profile with more memory");
  }
  advice.fewest = *fewest;

  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (eligible(all[i]) && tie(all[i], all[*fastest])) good.push_back(i);
  }
  advice.recommended = *std::ranges::min_element(good, simpler);
  std::erase(good, advice.recommended);
  advice.ties = std::move(good);
  advice.reason = reason_for(advice, request);
  advice.speedup_end = speedup_end_of(advice);
  return advice;
}

Advice advise(std::span<const ProfileForecast> forecasts, const AdviceRequest& request) {
  ComparedTime compared = ComparedTime::whole_solve;
  for (const ProfileForecast& forecast : forecasts) {
    compared = std::min(compared, compared_time(forecast.predictions));
  }
  Advice advice = choose_devices(best_of_each(forecasts, compared), request);
  advice.setup_included = compared == ComparedTime::whole_solve;
  return advice;
}

Advice advise(const CsrView<double>& matrix, const MatrixFeatures& features,
              std::span<const DeviceProfile> profiles, const AdviceRequest& request) {
  MatrixOrders as_given(matrix, features);
  return advise(as_given, profiles, request);
}

Advice advise(MatrixOrders& orders, std::span<const DeviceProfile> profiles,
              const AdviceRequest& request) {
  return advise_with(
      [&](const DeviceProfile& profile, const PredictionRequest& wanted) {
        return predict_matrix(orders, profile, wanted);
      },
      profiles, request);
}

Advice advise(const ForecastFeatures& features, std::span<const DeviceProfile> profiles,
              const AdviceRequest& request) {
  return advise_with(
      [&](const DeviceProfile& profile, const PredictionRequest& wanted) {
        return predict_features(features, profile, wanted);
      },
      profiles, request);
}

Advice advise_numbers(double unknowns, double elements, const Layout& layout,
                      std::span<const DeviceProfile> profiles, const AdviceRequest& request,
                      const RowNumbers& rows) {
  return advise_with(
      [&](const DeviceProfile& profile, const PredictionRequest& wanted) {
        return predict_numbers(unknowns, elements, layout, profile, wanted, rows);
      },
      profiles, request);
}

}  // namespace sparsecast
