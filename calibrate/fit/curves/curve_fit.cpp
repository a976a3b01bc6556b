#include "calibrate/fit/curves/curve_fit.hpp"

#include <cmath>

#include "calibrate/fit/formatted.hpp"

namespace sparsecast {

namespace {

/// Seconds in a unit that fits.
std::string seconds_text(double seconds) {
  if (seconds < 1e-6) return formatted("%.3g ns", seconds * 1e9);
  if (seconds < 1e-3) return formatted("%.3g us", seconds * 1e6);
  return formatted("%.3g ms", seconds * 1e3);
}

}  // namespace

std::string_view to_string(FitStatus status) {
  switch (status) {
    case FitStatus::ok:
      return "ok";
    case FitStatus::too_few_samples:
      return "too few samples";
    case FitStatus::span_too_small:
      return "span too small";
    case FitStatus::invalid_sample:
      return "invalid sample";
    case FitStatus::not_converged:
      return "not converged";
    case FitStatus::at_bound:
      return "at a bound";
    case FitStatus::undetermined:
      return "undetermined";
  }
  return "unknown";
}

std::array<double, 3> CurveFit::standard_errors() const {
  return {std::sqrt(covariance[0]), std::sqrt(covariance[4]), std::sqrt(covariance[8])};
}

std::string CurveFit::brief() const {
  if (!ok()) return "refused (" + std::string(to_string(status)) + "): " + reason;
  return formatted("mu %.2f, sigma %.3f%s, nu %.4g GB/s; median error %.1f %%, %d samples",
                   curve.mu, curve.sigma, latency_bandwidth_law ? " (latency-bandwidth law)" : "",
                   curve.nu, 100 * median_relative_error, samples);
}

std::string CurveFit::full() const {
  std::string report = "status   " + std::string(to_string(status)) + '\n';
  if (!reason.empty()) report += "reason   " + reason + '\n';
  report += formatted("samples  %d, m from %.4g to %.4g\n", samples, elements_min, elements_max);
  if (ok()) {
    const auto [mu_error, sigma_error, log_nu_error] = standard_errors();
    report += formatted("mu       %.3f +- %.3f   half performance at %.4g elements\n", curve.mu,
                        mu_error, half_performance_elements(curve));
    report +=
        latency_bandwidth_law
            ? formatted("sigma    %.4f, its lower bound 1/ln 2: T = T0 + s*m/nu\n", curve.sigma)
            : formatted("sigma    %.4f +- %.4f\n", curve.sigma, sigma_error);
    report += at_peak ? formatted("nu       %.4g GB/s, the memory's peak\n", curve.nu)
                      : formatted("nu       %.4g GB/s +- %.1f %%\n", curve.nu, 100 * log_nu_error);
    if (curve.memory_nu > 0) {
      report += formatted("memory   %.4g GB/s for what misses the cache\n", curve.memory_nu);
    }
    report += "T0       " + seconds_text(fixed_seconds(curve, 4)) + " in f32, " +
              seconds_text(fixed_seconds(curve, 8)) + " in f64\n";
    report += formatted("error    median %.1f %%, robust standard deviation %.1f %%, %d outliers\n",
                        100 * median_relative_error, 100 * scatter, outliers);
  }
  if (!solver_message.empty()) {
    report += formatted("solver   %d iterations; ", solver_iterations) + solver_message + '\n';
  }
  return report;
}

}  // namespace sparsecast
