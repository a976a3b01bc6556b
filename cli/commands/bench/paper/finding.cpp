#include "cli/commands/bench/paper/finding.hpp"

#include <utility>

namespace sparsecast::cli {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::refuted:
      return "refuted";
    case Verdict::not_comparable:
      break;
  }
  return "not comparable";
}

Finding found(bool holds, std::string ours, std::string why_not) {
  if (holds) return {Verdict::reproduced, std::move(ours), ""};
  return {Verdict::refuted, std::move(ours), std::move(why_not)};
}

Finding not_comparable(std::string why) {
  return {Verdict::not_comparable, "", std::move(why)};
}

}  // namespace sparsecast::cli
