#pragma once

#include <string>

namespace sparsecast::cli {

enum class Verdict { reproduced, refuted, not_comparable };

/// "reproduced", "refuted", "not comparable".
const char* to_string(Verdict verdict);

/// What a rule finds.
struct Finding {
  Verdict verdict = Verdict::not_comparable;
  std::string ours;  ///< the number that the paper's is compared with
  std::string why;   ///< one line, where it is not reproduced
};

/// Reproduced if it holds; if not, refuted because of `why_not`.
Finding found(bool holds, std::string ours, std::string why_not);
Finding not_comparable(std::string why);

}  // namespace sparsecast::cli
