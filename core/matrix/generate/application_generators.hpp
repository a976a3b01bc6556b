#pragma once

#include <cstdint>

#include "core/matrix/csr.hpp"

/// @file
/// Seeded matrices like those of applications that no calibration measures: validation's own. As in
/// `generators.hpp`: square, symmetric positive definite, columns rising within rows, the same
/// bytes on every machine and with any number of threads (0: all). Off-diagonal values have sizes
/// in [0.5, 1), the diagonal is what makes rows dominant. Numbers out of their ranges, and more
/// than 2147483647 rows, throw `Error`.

namespace sparsecast {

/// The graph of an image as spectral segmentation builds it (Shi and Malik, Normalized cuts and
/// image segmentation, 2000): a row a pixel, joined with those of the pixels within `radius` whose
/// grey value differs by less than `tolerance`. The image has some 300 pixels an object; each
/// object has its own grey value in [0, 1) and its own roughness, so that rows of smooth objects
/// have all pixels of the disc and those of rough ones few. `radius` 1 to 64, `tolerance` in (0,
/// 1].
CsrMatrix<double> image_graph(std::int64_t width, std::int64_t height, double radius,
                              double tolerance, std::uint64_t seed, int threads = 0);

/// A Kronecker graph by recursive quadrants (R-MAT: Chakrabarti, Zhan and Faloutsos, 2004) with the
/// probability `corner` for the quadrant of low numbers and the rest shared by the others as in
/// Graph500, whose four are 0.57, 0.19, 0.19 and 0.05. Symmetrised;
/// edges that are drawn twice count once, so that rows have less than `mean_row_length` in the
/// mean, the diagonal included. Rows keep the numbers that they are drawn by: hubs are those whose
/// numbers have few ones in binary. `corner` in [0.25, 0.9].
CsrMatrix<double> kronecker_graph(std::int64_t rows, double mean_row_length, double corner,
                                  std::uint64_t seed, int threads = 0);

/// Fields of a flow problem with heat, stored one after the other, on a mesh of 2 * nx * ny
/// triangles, squares cut along random diagonals: two velocities on vertices and edges (quadratic,
/// (2 nx + 1) (2 ny + 1) rows each), pressure and temperature on vertices (linear). The velocities
/// couple with all fields, temperature also with itself; pressure has only its diagonal else, and
/// couples with no temperature. About 10 rows and 344 nonzeros a square.
CsrMatrix<double> coupled_fields(std::int64_t nx, std::int64_t ny, std::uint64_t seed,
                                 int threads = 0);

/// A circuit: a row a net. Every net has elements to others, half of them within 4 rows, a quarter
/// within 8 and so on, a third of the elements with three terminals; `mean_row_length` (at least 2)
/// is that of the diagonal and these. Besides, every `supplied`-th net, on average, is at one of
/// `rails` supply nets, which are spread over the numbers and of which each one serves half as many
/// nets as the one before.
CsrMatrix<double> netlist(std::int64_t rows, double mean_row_length, int rails, double supplied,
                          std::uint64_t seed, int threads = 0);

/// A band of `half_bandwidth` diagonals on either side, each entry there with probability `density`
/// in [0, 1], and on average `scattered` further entries a row anywhere (half of them drawn by the
/// row, half by the other row).
CsrMatrix<double> scattered_band(std::int64_t rows, std::int64_t half_bandwidth, double density,
                                 double scattered, std::uint64_t seed, int threads = 0);

}  // namespace sparsecast
