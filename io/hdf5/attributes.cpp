// SPDX-License-Identifier: Apache-2.0
// Attributes of HDF5 files, and dimension scales: the coordinates that netCDF and xarray find for an array's axes.
#include <hdf5_hl.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/hdf5/detail.hpp"

namespace asterism {

using hdf5_detail::Id;

bool Hdf5Input::has_attribute(const std::string& object, const std::string& attribute) const {
  return H5Aexists_by_name(file_, object.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5Input::read_attribute(const std::string& object, const std::string& attribute, std::int64_t kind,
                               std::int64_t type, void* value) const {
  const Id opened(H5Aopen_by_name(file_, object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!opened.valid()) bad_input("{}: \"{}\" has no attribute \"{}\"", name, object, attribute);
  const Id stored(H5Aget_type(opened), H5Tclose);
  const Id space(H5Aget_space(opened), H5Sclose);
  if (H5Tget_class(stored) != kind || H5Sget_simple_extent_npoints(space) != 1 || H5Aread(opened, type, value) < 0) {
    bad_input("{}: attribute \"{}\" of \"{}\" is of another kind than expected", name, attribute, object);
  }
}

std::int64_t Hdf5Input::integer_attribute(const std::string& object, const std::string& attribute) const {
  std::int64_t value = 0;
  read_attribute(object, attribute, H5T_INTEGER, H5T_NATIVE_INT64, &value);
  return value;
}

double Hdf5Input::number_attribute(const std::string& object, const std::string& attribute) const {
  double value = 0;
  read_attribute(object, attribute, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::string Hdf5Input::text_attribute(const std::string& object, const std::string& attribute) const {
  const Id opened(H5Aopen_by_name(file_, object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Id stored(opened.valid() ? H5Aget_type(opened) : H5I_INVALID_HID, H5Tclose);
  if (stored.valid() && H5Tis_variable_str(stored) > 0) {
    bad_input("{}: attribute \"{}\" of \"{}\" is of another kind than expected", name, attribute, object);
  }
  std::string value(stored.valid() ? H5Tget_size(stored) : 0, '\0');
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(value.size(), 1));
  read_attribute(object, attribute, H5T_STRING, type, value.data());
  value.resize(std::strlen(value.c_str()));
  return value;
}

void Hdf5Output::attribute(const std::string& object, const std::string& attribute, std::int64_t type,
                           std::int64_t space, const void* value) {
  const Id opened(H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose);
  const Id made(H5Acreate2(opened, attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(made.valid() && H5Awrite(made, type, value) >= 0, "attribute", attribute);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, double value) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  attribute(object, name, H5T_NATIVE_DOUBLE, space, &value);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  attribute(object, name, H5T_NATIVE_INT64, space, &value);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, const std::string& value) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, value.size() + 1);  // with the final zero: HDF5 knows no strings of size 0
  attribute(object, name, type, space, value.c_str());
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  const hsize_t extent = values.size();
  const Id space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  attribute(object, name, H5T_NATIVE_DOUBLE, space, values.data());
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  const hsize_t extent = values.size();
  const Id space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  attribute(object, name, H5T_NATIVE_INT64, space, values.data());
}

void Hdf5Output::make_scale(const std::string& dataset, const std::string& axis) {
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(opened.valid() && H5DSset_scale(opened, axis.c_str()) >= 0, "dimension scale", dataset);
}

void Hdf5Output::attach_scales(const std::string& dataset, const std::vector<std::string>& scales) {
  const Id opened(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(opened.valid(), "dataset", dataset);
  for (unsigned axis = 0; axis < scales.size(); ++axis) {
    const Id scale(H5Dopen2(file_, scales[axis].c_str(), H5P_DEFAULT), H5Dclose);
    check(scale.valid() && H5DSattach_scale(opened, scale, axis) >= 0, "dimension scale", scales[axis]);
  }
}

}  // namespace asterism
