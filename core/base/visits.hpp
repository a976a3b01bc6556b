#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// @file
/// How often a CPU is asked for one time. Neighbours on the same machine, or on the other half of a
/// core, slow it down for seconds, which no repetition at once can see: everything is measured
/// twice, minutes apart, and again where the two do not agree. The fastest counts. Runs of the
/// program on several days are further visits.

namespace sparsecast {

/// Times of the same things, measured again and again.
class Visits {
 public:
  static constexpr int of_all = 2;
  static constexpr int most = 4;

  void add(const std::string& what, double seconds);

  /// Whether there is a time of it. What could not be measured has none.
  bool knows(const std::string& what) const { return fastest_.contains(what); }

  /// Whether two of its times agree, within 5 %, on what is the fastest. (Nothing is confirmed by
  /// being slow twice: only the fastest two count.)
  bool confirmed(const std::string& what) const;

  /// The same of the fastest two times of anything; `second` is 0 while there is one.
  static bool agree(double fastest, double second);

 private:
  std::map<std::string, std::array<double, 2>> fastest_;  ///< the second is 0 before it is
};

/// Of two results for the same thing keeps the faster one as `kept`, with the visits of both. A
/// result has its time in `seconds`, the half width of that median's 95 % interval, relative, in
/// `error`, how many visits it is the fastest of in `visits`, and the time of the second fastest in
/// `second_seconds`, which is 0 for a single visit. What is uncertain by a quarter may be too fast,
/// and counts for nothing beside what is not.
template <class Result>
void keep_fastest(Result& kept, Result other, double Result::*seconds, double Result::*error) {
  constexpr double most_error = 0.25;
  const bool certain = kept.*error <= most_error;
  if (certain != (other.*error <= most_error)) {
    if (!certain) kept = std::move(other);
    return;
  }
  const int visits = kept.visits + other.visits;
  if (other.*seconds < kept.*seconds) std::swap(kept, other);
  kept.visits = visits;
  kept.second_seconds =
      kept.second_seconds > 0 ? std::min(kept.second_seconds, other.*seconds) : other.*seconds;
}

/// Appends a result, or adds it as a visit to the one of the same key in the list: `places` says
/// where each key's is.
template <class Result>
void add_visit(Result result, const std::string& key, double Result::*seconds,
               double Result::*error, std::map<std::string, std::size_t>& places,
               std::vector<Result>& results) {
  const auto [place, first] = places.try_emplace(key, results.size());
  if (first) {
    results.push_back(std::move(result));
  } else {
    keep_fastest(results[place->second], std::move(result), seconds, error);
  }
}

/// What a result's time is uncertain by: by how much the second fastest visit takes longer,
/// relative. 0 for a single visit.
template <class Result>
double disagreement(const Result& result, double Result::*seconds) {
  return result.visits > 1 ? result.second_seconds / (result.*seconds) - 1 : 0;
}

/// Of runs that count as one: adds what another one says of itself (date, program, ...) to what is
/// said already. Values that differ are listed, with "; " between them, and "runs" says how many
/// runs there are.
void add_run(std::map<std::string, std::string>& about,
             const std::map<std::string, std::string>& another);

}  // namespace sparsecast
