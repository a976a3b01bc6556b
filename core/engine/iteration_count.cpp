#include "core/engine/iteration_count.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/precision_json.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view out_of_time_name = "out of time";

Outcome read_outcome(const JsonPlace& place) {
  if (place.text() == out_of_time_name) return Outcome::iteration_limit;
  for (const Outcome outcome : outcomes) {
    if (place.text() == to_string(outcome)) return outcome;
  }
  place.refuse("expected an outcome of a solve, as converged; found " + in_quotes(place.text()));
}

int read_small(const JsonPlace& place) {
  constexpr std::int64_t most = 1'000'000;
  if (place.count() > most) place.refuse("expected at most " + std::to_string(most));
  return static_cast<int>(place.count());
}

}  // namespace

std::string amount_text(double amount) {
  if (amount == std::floor(amount)) return std::to_string(std::llround(amount));
  return short_number(amount, amount < 100 ? 3 : 4);
}

double IterationCount::expected() const {
  return converged > 0 ? (fewest + most) / 2 : amount;
}

std::string_view IterationCount::outcome_name() const {
  const bool ran_out = out_of_time && outcome == Outcome::iteration_limit;
  return ran_out ? out_of_time_name : to_string(outcome);
}

bool IterationCount::is_stable() const {
  if (!solves() || runs < 2) return false;
  return most - fewest <= std::max(1.0, 0.1 * amount);
}

std::string IterationCount::text() const {
  std::string text = amount_text(amount);
  if (fewest < most) text += " (" + amount_text(fewest) + " to " + amount_text(most) + ')';
  return text;
}

JsonObject to_json(const IterationCount& count) {
  JsonObject settings;
  for (const auto& [name, value] : count.settings) settings.add(name, value);
  return {{"solver", count.solver},
          {"settings", settings},
          {"precision", to_string(count.precision)},
          {"tolerance", count.tolerance},
          {"right_hand_side", count.right_hand_side},
          {"outcome", count.outcome_name()},
          {"iterations", count.iterations},
          {"cycle_steps", count.cycle_steps},
          {"amount", count.amount},
          {"fewest", count.fewest},
          {"most", count.most},
          {"runs", count.runs},
          {"converged", count.converged},
          {"out_of_time", count.out_of_time},
          {"relative_residual", count.relative_residual}};
}

IterationCount read_iteration_count(const JsonPlace& object) {
  object.allow_only(std::vector<std::string>{"solver", "settings", "precision", "tolerance",
                                             "right_hand_side", "outcome", "iterations",
                                             "cycle_steps", "amount", "fewest", "most", "runs",
                                             "converged", "out_of_time", "relative_residual"});
  IterationCount count;
  count.solver = object.at("solver").text();
  const JsonPlace settings = object.at("settings");
  for (const std::string& name : settings.keys()) {
    count.settings[name] = settings.at(name).number();
  }
  count.precision = read_precision(object.at("precision"));
  count.tolerance = object.at("tolerance").amount();
  count.right_hand_side = object.at("right_hand_side").text();
  count.outcome = read_outcome(object.at("outcome"));
  count.iterations = object.at("iterations").count();
  const JsonPlace steps = object.at("cycle_steps");
  if (steps.kind() != JsonTree::Kind::null) count.cycle_steps = steps.count();
  count.amount = object.at("amount").amount();
  count.fewest = object.at("fewest").amount();
  count.most = object.at("most").amount();
  count.runs = read_small(object.at("runs"));
  count.converged = read_small(object.at("converged"));
  count.out_of_time = object.at("out_of_time").truth();
  // A residual that is not finite is null.
  const JsonPlace residual = object.at("relative_residual");
  count.relative_residual = residual.kind() == JsonTree::Kind::null ? NAN : residual.amount();
  const auto iterations = static_cast<double>(count.iterations);
  bool in_order = count.converged <= count.runs && count.amount <= iterations &&
                  (count.amount >= iterations - 1 || count.iterations == 0);
  if (count.outcome == Outcome::converged) {
    in_order = in_order && count.converged >= 1 && count.fewest <= count.amount &&
               count.amount <= count.most;
  }
  if (!in_order) object.refuse("its numbers contradict each other; count again");
  return count;
}

}  // namespace sparsecast
