#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

/// @file
/// Decimal numbers in text, correctly rounded. The inline functions are the fast way for what
/// nearly every file holds; where they give up, `parse_decimal` reads anything.

namespace sparsecast {

enum class DecimalStatus {
  ok,
  not_a_number,
  not_finite,  ///< NaN or infinity, by name
  too_large    ///< beyond the range of a double
};

/// Reads a whole token: optional sign, digits with or without a point, optional exponent with E or
/// (Fortran) D. The nearest double, ties to even; what is below the range gives a zero.
DecimalStatus parse_decimal(std::string_view token, double& value);

namespace decimal_detail {

__extension__ using uint128 = unsigned __int128;

inline constexpr std::uint64_t powers_of_ten[] = {1u,
                                                  10u,
                                                  100u,
                                                  1000u,
                                                  10000u,
                                                  100000u,
                                                  1000000u,
                                                  10000000u,
                                                  100000000u,
                                                  1000000000u,
                                                  10000000000u,
                                                  100000000000u,
                                                  1000000000000u,
                                                  10000000000000u,
                                                  100000000000000u,
                                                  1000000000000000u,
                                                  10000000000000000u,
                                                  100000000000000000u,
                                                  1000000000000000000u,
                                                  10000000000000000000u};

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// 5^0 .. 5^27, all that fit in 64 bits.
struct PowersOfFive {
  std::uint64_t power[28] = {1};
  constexpr PowersOfFive() {
    for (int k = 1; k < 28; ++k) power[k] = 5 * power[k - 1];
  }
};
inline constexpr PowersOfFive powers_of_five;

struct DigitRun {
  std::uint64_t value;
  int digits;  ///< at most 8
};

/// The leading digits among the next 8 characters; reads nothing at or beyond `end`.
[[gnu::always_inline]] inline DigitRun read_digit_run(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little,
                "the first character is the lowest byte");
  if (end - at < 8) {
    DigitRun run{0, 0};
    for (; at != end && *at >= '0' && *at <= '9'; ++at, ++run.digits) {
      run.value = 10 * run.value + static_cast<std::uint64_t>(*at - '0');
    }
    return run;
  }
  std::uint64_t block;
  std::memcpy(&block, at, 8);
  block ^= 0x3030303030303030u;  // digits become 0 .. 9
  const std::uint64_t others = ((block + 0x7676767676767676u) | block) & 0x8080808080808080u;
  const int digits = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (digits == 0) return {0, 0};
  block <<= 64 - 8 * digits;  // zeros come first
  block = block * 10 + (block >> 8);
  block = ((block & 0x000000FF000000FFu) * 0x000F424000000064u +
           ((block >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
          32;
  return {block, digits};
}

/// floor(2^(63 + bits) / 5^k) with `bits` those of 5^k: the reciprocals, scaled to use 64 bits.
struct ReciprocalsOfFive {
  std::uint64_t reciprocal[28] = {};
  constexpr ReciprocalsOfFive() {
    for (int k = 1; k < 28; ++k) {
      const std::uint64_t power = powers_of_five.power[k];
      reciprocal[k] =
          static_cast<std::uint64_t>((uint128{1} << (63 + std::bit_width(power))) / power);
    }
  }
};
inline constexpr ReciprocalsOfFive reciprocals_of_five;

inline double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52);
}

/// mantissa * 10^exponent for mantissa > 0 and |exponent| <= 27, correctly rounded: 128 bits hold
/// the product with 5^exponent exactly; a quotient is taken from a product with the reciprocal, and
/// divided exactly where its error could matter.
inline double scale_exactly(std::uint64_t mantissa, int exponent) {
  if (exponent >= 0) {
    const uint128 product = static_cast<uint128>(mantissa) * powers_of_five.power[exponent];
    return static_cast<double>(product) * power_of_two(exponent);
  }
  const std::uint64_t divisor = powers_of_five.power[-exponent];
  const int mantissa_shift = std::countl_zero(mantissa);
  const int divisor_shift = std::countl_zero(divisor);
  mantissa <<= mantissa_shift;
  // The quotient mantissa * 2^63 / (divisor * 2^divisor_shift), of 63 or 64 bits; too small by less
  // than 3. Halved, its last bit says whether anything follows.
  std::uint64_t quotient = static_cast<std::uint64_t>(
      (static_cast<uint128>(mantissa) * reciprocals_of_five.reciprocal[-exponent]) >> 64);
  // Rounding to 53 bits drops 10 or 11: it is in doubt near their half, and near their end.
  const std::uint64_t dropped = (quotient + 4) & 0x1ff;
  if (dropped <= 8) [[unlikely]] {
    const uint128 dividend = static_cast<uint128>(mantissa) << 63;
    const std::uint64_t scaled_divisor = divisor << divisor_shift;
    quotient = static_cast<std::uint64_t>(dividend / scaled_divisor);
    if (static_cast<uint128>(quotient) * scaled_divisor != dividend) quotient |= 1;
  }
  const std::uint64_t half = (quotient >> 1) | (quotient & 1);
  return static_cast<double>(static_cast<std::int64_t>(half)) *
         power_of_two(exponent - 62 - mantissa_shift + divisor_shift);
}

}  // namespace decimal_detail

/// Reads up to 15 digits; returns where they end, or nullptr if there are none or more. Something
/// that is no digit must follow: the end of a line. (Digit by digit: indices of neighbouring lines
/// have the same length, which the processor guesses, so that it need not wait to find it.)
[[gnu::always_inline]] inline const char* read_index(const char* at, std::uint64_t& value) {
  const char* const begin = at;
  std::uint64_t number = 0;
  for (;; ++at) {
    const auto digit = static_cast<std::uint64_t>(static_cast<unsigned char>(*at)) - '0';
    if (digit > 9) break;
    number = 10 * number + digit;
  }
  value = number;
  return at == begin || at - begin > 15 ? nullptr : at;
}

/// Reads a number from the front of the text; returns where it ends, or nullptr if it is none or
/// too long for the fast way (more than 19 digits, exponents beyond 27). Reads nothing at or beyond
/// `end`, and needs a character there that is no part of a number, such as a line's end.
[[gnu::always_inline]] inline const char* read_decimal(const char* at, const char* end,
                                                       double& value) {
  using namespace decimal_detail;
  if (at == end) return nullptr;
  const bool negative = *at == '-';
  if (negative || *at == '+') ++at;

  std::uint64_t mantissa = 0;
  int digits = 0;  // of the whole part, then of all
  const auto read_digits = [&] {
    for (;;) {
      const DigitRun run = read_digit_run(at, end);
      if (mantissa >= powers_of_ten[19 - run.digits]) return false;
      mantissa = mantissa * powers_of_ten[run.digits] + run.value;
      at += run.digits;
      digits += run.digits;
      if (run.digits < 8) return true;
    }
  };
  const char* const whole_end = read_index(at, mantissa);
  if (whole_end != nullptr) {
    digits = static_cast<int>(whole_end - at);
    at = whole_end;
  } else if (*at != '.') {
    return nullptr;
  }
  int exponent = 0;
  if (at != end && *at == '.') {
    ++at;
    const int whole_digits = digits;
    if (!read_digits()) return nullptr;
    exponent = whole_digits - digits;
  }
  if (digits == 0) return nullptr;
  if (at != end && ((*at | 0x20) == 'e' || (*at | 0x20) == 'd')) {
    ++at;
    if (at == end) return nullptr;
    const bool below = *at == '-';
    if (below || *at == '+') ++at;
    const DigitRun run = read_digit_run(at, end);
    if (run.digits == 0 || run.digits > 4) return nullptr;
    at += run.digits;
    exponent += below ? -static_cast<int>(run.value) : static_cast<int>(run.value);
  }

  double magnitude = 0;
  if (mantissa != 0) {
    if (exponent == 0 && mantissa <= (std::uint64_t{1} << 53)) {
      magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa));
    } else if (mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
      magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa));
      magnitude = exponent < 0 ? magnitude / exact_powers_of_ten[-exponent]
                               : magnitude * exact_powers_of_ten[exponent];
    } else if (exponent >= -27 && exponent <= 27) {
      magnitude = scale_exactly(mantissa, exponent);
    } else {
      return nullptr;
    }
  }
  value = negative ? -magnitude : magnitude;
  return at;
}

}  // namespace sparsecast
