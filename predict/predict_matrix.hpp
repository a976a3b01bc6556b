#pragma once

#include <vector>

#include "core/analysis/features.hpp"
#include "core/matrix/csr.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/matrix_orders.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {

/// Predicts from the matrix itself: exact blocks, and the real partition for several devices.
/// Columns must rise within rows. By the traffic model, schedule vendor is for CSR,
/// and persistent kernels are the fused schedule's, for the layouts csr and bcsr3 in which they
/// keep the matrix of any. Throws `Error` for a matrix that is not square, where the profile lacks
/// the precision, a curve or a link that the request needs, for a layout that is asked for and that
/// the profile does not know or the matrix is not stored in, and where nothing is left to predict.
std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request);

/// The same after a renumbering, of each number of devices in its own order. What the renumbering
/// itself takes is not priced.
std::vector<Prediction> predict_matrix(MatrixOrders& orders, const DeviceProfile& profile,
                                       const PredictionRequest& request);

}  // namespace sparsecast
