#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparsecast {

/// How numbers stand on lines of a Fortran program, of one kind only, as the headers of
/// Harwell-Boeing files name it: "(16I5)", "(1P,4D20.12)", "(3(E26.16))".
struct FortranFormat {
  enum class Kind { integer, real };
  Kind kind = Kind::integer;
  std::int64_t per_line = 0;  ///< numbers on a line
  std::size_t width = 0;      ///< characters of a number
  int digits = 0;             ///< of reals: behind the point where a number has none
  int scale = 0;              ///< of reals without an exponent: their power of ten (kP)
};

/// Reads a format, with blanks and in upper or lower case. Throws `Error` ("what; what was
/// expected") for what is none, and for formats of more than one kind of number.
FortranFormat parse_fortran_format(std::string_view text);

/// Reads a number as Fortran's input does: blanks around it, E, D or Q before the exponent, or its
/// sign alone, an implied point. `error`: why it is none, "what; what was expected".
bool read_fortran_real(std::string_view field, const FortranFormat& format, double& value,
                       std::string& error);
bool read_fortran_integer(std::string_view field, std::int64_t& value, std::string& error);

}  // namespace sparsecast
