#include "core/formats/known_count.hpp"

#include "core/base/error.hpp"
#include "core/formats/refused_name.hpp"

namespace sparsecast {

double known_count(const PatternNumbers& numbers, const Layout& layout, const std::string& name) {
  const auto found = numbers.counts.find(name);
  if (found != numbers.counts.end()) return found->second;
  throw Error(refused_name(layout) + ": the " + name +
              " is not known from numbers; give the matrix itself");
}

}  // namespace sparsecast
