#pragma once

#include <array>
#include <map>
#include <string>

/// @file
/// How often a CPU is asked for one time. Neighbours on the same machine, or on the other half of a
/// core, slow it down for seconds, which no repetition at once can see: everything is measured
/// twice, minutes apart, and again where the two do not agree. The fastest counts.

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

 private:
  std::map<std::string, std::array<double, 2>> fastest_;  ///< the second is infinite before it is
};

}  // namespace sparsecast
