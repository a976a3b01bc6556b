#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sparsecast {

/// The known name that `name` was probably meant to be: the one with the fewest letters changed,
/// added, left out or swapped with their neighbour, if they are at most a third of it. Empty if
/// there is none.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// The end of a message that refuses a name: "did you mean 'x'?", and where nothing is near,
/// "known are x, y".
std::string hint_of_name(std::string_view name, std::span<const std::string> known);

}  // namespace sparsecast
