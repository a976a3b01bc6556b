#include "model/number_list.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"

namespace sparsecast {

std::string number_list(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) {
    std::array<char, 32> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    if (!text.empty()) text += ' ';
    text.append(digits.data(), result.ptr);
  }
  return text;
}

std::vector<double> parse_number_list(std::string_view text, std::size_t count) {
  std::vector<double> numbers(count);
  const char* place = text.data();
  const char* const end = place + text.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && place != end && *place == ' ') ++place;
    const auto result = std::from_chars(place, end, numbers[i]);
    if (result.ec != std::errc{} || !std::isfinite(numbers[i])) place = nullptr;
    if (place == nullptr) break;
    place = result.ptr;
  }
  if (place != end) throw Error("expected " + std::to_string(count) + " numbers");
  return numbers;
}

}  // namespace sparsecast
