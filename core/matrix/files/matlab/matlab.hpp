#pragma once

#include <string_view>

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Does the data start like a MATLAB file, of any version?
bool is_matlab(std::string_view beginning);

/// Reads the sparse matrix of a MATLAB file of level 5 ("MAT-File Format", MathWorks R2023b,
/// chapter 1: what `save -v6` and `save -v7` write, and scipy.io.savemat), little- or big-endian,
/// with elements compressed or not. That is field A of a structure named Problem, as the
/// SuiteSparse collection ships it; else the only sparse variable, or the only field A of a
/// structure. Values are real, of any type that MATLAB packs them into, or logical. Several
/// candidates are an error that lists them. Level 4 and 7.3 (HDF5) are refused in a line that says
/// how to save instead. Throws `Error` ("what; what was expected", without a file name).
///
/// Memory: the matrix twice, and of compressed files the variable as MATLAB stores it.
MatrixFromFile parse_matlab(const ByteSource& file, const MatrixFileOptions& options = {});

}  // namespace sparsecast
