#include "cli/commands/report/matrix_forecast.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/forecast_subject.hpp"
#include "cli/html/pattern_picture.hpp"
#include "cli/kept_warnings.hpp"
#include "cli/own_schedule.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast::cli {

MatrixForecast forecast_matrix(const CommandLine& line, const std::string& path,
                               const ReportRequest& request) {
  const KeptWarnings kept;
  ForecastSubject subject(path, Renumbering::none);
  MatrixForecast result;
  result.name = file_name(path);
  result.features = subject.features();
  require_system(result.features.rows, result.features.columns);
  if (const auto pattern = subject.pattern()) result.picture = pattern_picture(*pattern);

  PredictionRequest wanted;
  wanted.layouts = request.layouts;
  wanted.precision = request.precision;
  Forecast& forecast = result.forecast;
  if (request.counting) {
    SolversToCount solvers = request.solvers;
    forecast.counts =
        subject.counts(line, *request.counting, solvers, std::array{request.precision});
    ask_for_solution(counted_solvers(forecast.counts, solvers), wanted);
  } else {
    if (request.own) {
      wanted.own = {*request.own};
      wanted.schedules = {request.own->name()};
    }
    subject.check_needs(wanted.own, false);
  }

  forecast.subject = subject.text();
  forecast.worthwhile = subject.worthwhile();
  std::vector<ProfileForecast> of_profiles;
  for (const DeviceProfile& profile : request.profiles) {
    wanted.devices = advised_devices(profile, request.max_devices);
    of_profiles.push_back({&profile, subject.predict(profile, wanted)});
    std::ranges::copy(of_profiles.back().predictions, std::back_inserter(forecast.predictions));
  }
  try {
    forecast.best = best_choice(forecast.predictions);
    result.advice = advise(of_profiles, {});
  } catch (const Error& error) {
    (forecast.best ? result.no_advice : forecast.no_best) = error.what();
  }
  result.warnings = kept.texts();
  return result;
}

}  // namespace sparsecast::cli
