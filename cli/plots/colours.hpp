#pragma once

#include <array>
#include <string_view>

namespace sparsecast::cli {

/// Of what is drawn side by side, in this order: dark enough for points on white, and told apart by
/// the colour-blind. Of Okabe and Ito, and of Tol.
inline constexpr std::array<std::string_view, 15> colours{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#999933",
    "#000000", "#999999", "#44aa99", "#332288", "#aa4499", "#f0e442", "#88ccee"};

}  // namespace sparsecast::cli
