// SPDX-License-Identifier: Apache-2.0
// The same kernels on GPUs: asynchronous on a stream, all pointers to device memory but those of small descriptions
// (grids, boxes, layers), which are passed by value.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/beside_steps.hpp"
#include "codelets/fdtd/kernels/update/copy_boxes.hpp"
#include "codelets/fdtd/kernels/update/shape.hpp"

namespace asterism::fdtd::cuda {

/// Boxes of cells of which no two have one in common.
template <class T>
void update(Field field, const Grid& grid, const std::vector<Box>& boxes, const Factors& factors, const Media<T>& media,
            const T* from, T* to, cudaStream_t stream, const Shape& shape = {});
template <class T>
void update(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const T* from, T* to, cudaStream_t stream, const Shape& shape = {}) {
  update(field, grid, std::vector<Box>{cells}, factors, media, from, to, stream, shape);
}

/// 2 whole steps, or 4 in single precision, of a domain that is its own neighbour, if it has one, along y or z: 12 x
/// sizeof(T) bytes per cell for all of them. The planes that are `needed` go to other arrays, where ghosts are not
/// right; nothing else of these is read or written. `sources`, 16 at most, are in main memory. The bits are those of
/// one step after the other. `planes` along x are one thread block's; 0: as many as suit the GPU. Throws
/// std::invalid_argument if there is a neighbour along x, for other numbers of steps, too many sources, and materials
/// of one field only.
template <class T>
void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors, const Factors& e_factors,
                  const Media<T>& h_media, const Media<T>& e_media, const Source<T>* sources, std::int32_t count,
                  const BesideSteps<T>& beside, const T* h_from, const T* e_from, T* h_to, T* e_to, cudaStream_t stream,
                  std::int32_t planes = 0);

/// Numbers of boxes from arrays to others (copy_boxes.hpp).
template <class T>
void copy_boxes(const std::vector<BlockCopy<T>>& copies, cudaStream_t stream);

template <class T>
void pack(const Grid& grid, const Layer& layer, const T* field, T* array, cudaStream_t stream);
template <class T>
void unpack(const Grid& grid, const Layer& layer, const T* array, T* field, cudaStream_t stream);
template <class T>
void wrap(const Grid& grid, Field field, int axis, T* values, cudaStream_t stream);
template <class T>
void reflect(const Grid& grid, T* h, cudaStream_t stream);

template <class T>
void add(const Grid& grid, int component, int i, int j, int k, T value, T* field, cudaStream_t stream);
/// `planes` in device memory, here and below. The bits are those of the CPU.
template <class T>
void sum(Field field, const Grid& grid, const Box& cells, int component, const T* values, double* planes,
         cudaStream_t stream);
template <class T>
void energy(const Grid& grid, const Box& cells, const Factors& h_factors, const Media<T>& h_media,
            const Media<T>& e_media, const Densities& densities, const T* h, const T* e, Energy* planes,
            cudaStream_t stream);

}  // namespace asterism::fdtd::cuda
