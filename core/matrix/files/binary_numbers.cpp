#include "core/matrix/files/binary_numbers.hpp"

#include <atomic>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t grain = 1 << 16;
constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;

/// Calls `use(T{})` with the type that the numbers have.
template <class Use>
void with_integer_type(NumberType type, const Use& use) {
  const bool is_signed = type.kind == NumberType::Kind::signed_integer;
  switch (type.bytes) {
    case 1:
      return is_signed ? use(std::int8_t{}) : use(std::uint8_t{});
    case 2:
      return is_signed ? use(std::int16_t{}) : use(std::uint16_t{});
    case 4:
      return is_signed ? use(std::int32_t{}) : use(std::uint32_t{});
    default:
      return is_signed ? use(std::int64_t{}) : use(std::uint64_t{});
  }
}

template <class Use>
void with_type(NumberType type, const Use& use) {
  if (type.kind != NumberType::Kind::floating) return with_integer_type(type, use);
  return type.bytes == 4 ? use(float{}) : use(double{});
}

template <class T>
std::string text_of(T number) {
  if constexpr (std::floating_point<T>) {
    return number_text(static_cast<double>(number));
  } else {
    return std::to_string(number);
  }
}

/// Converts all numbers, then says which is the first that `fits` does not take.
template <class From, class To, class Fits>
void convert(std::string_view bytes, std::endian order, std::span<To> out, const std::string& where,
             const std::string& expected, std::int64_t first, int threads, const Fits& fits) {
  std::atomic<bool> all_fit{true};
  parallel_for(
      static_cast<std::int64_t>(out.size()), grain,
      [&](std::int64_t begin, std::int64_t end) {
        bool these_fit = true;
        for (std::int64_t k = begin; k < end; ++k) {
          const From number = number_at<From>(bytes.data() + k * sizeof(From), order);
          const bool taken = fits(number);
          these_fit &= taken;
          out[k] = taken ? static_cast<To>(number) : To{};
        }
        if (!these_fit) all_fit = false;
      },
      threads);
  if (all_fit) return;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const From number = number_at<From>(bytes.data() + k * sizeof(From), order);
    if (fits(number)) continue;
    throw Error(where + ": number " + std::to_string(first + static_cast<std::int64_t>(k)) +
                " (from 0) is " + text_of(number) + "; expected " + expected);
  }
}

}  // namespace

void convert_values(std::string_view bytes, NumberType type, std::span<double> out,
                    const std::string& where, int threads, std::int64_t first) {
  with_type(type, [&]<class From>(From) {
    if constexpr (std::floating_point<From>) {
      convert<From>(bytes, type.order, out, where, "a finite number", first, threads,
                    [](From value) { return std::abs(value) <= std::numeric_limits<From>::max(); });
    } else {
      convert<From>(bytes, type.order, out, where,
                    "at most 2^53 in magnitude, which a double holds exactly", first, threads,
                    [](From value) {
                      return std::cmp_less_equal(value, largest_exact_integer) &&
                             std::cmp_greater_equal(value, -largest_exact_integer);
                    });
    }
  });
}

void convert_indices(std::string_view bytes, NumberType type, std::int64_t least, std::int64_t most,
                     std::span<std::int32_t> out, const std::string& where, int threads,
                     std::int64_t first) {
  with_integer_type(type, [&]<class From>(From) {
    convert<From>(bytes, type.order, out, where,
                  most < least ? "none" : std::to_string(least) + " to " + std::to_string(most),
                  first, threads, [&](From index) {
                    return std::cmp_greater_equal(index, least) && std::cmp_less_equal(index, most);
                  });
  });
}

Buffer<std::int64_t> convert_offsets(std::string_view bytes, NumberType type, std::int64_t entries,
                                     const std::string& where, int threads) {
  Buffer<std::int64_t> offsets(bytes.size() / type.bytes);
  with_integer_type(type, [&]<class From>(From) {
    convert<From>(bytes, type.order, std::span<std::int64_t>(offsets), where,
                  "0 to " + std::to_string(entries), 0, threads, [&](From offset) {
                    return std::cmp_greater_equal(offset, 0) &&
                           std::cmp_less_equal(offset, entries);
                  });
  });
  std::int64_t before = 0;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    if (k == 0 ? offsets[0] != 0 : offsets[k] < before) {
      throw Error(where + ": number " + std::to_string(k) + " (from 0) is " +
                  std::to_string(offsets[k]) +
                  (k == 0 ? "; expected 0" : "; expected offsets that do not fall"));
    }
    before = offsets[k];
  }
  return offsets;
}

}  // namespace sparsecast
