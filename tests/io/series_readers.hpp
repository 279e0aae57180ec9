// SPDX-License-Identifier: Apache-2.0
// Readers of HDF5 and VTK files for tests, that share no code with the writers.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/io/files_fixture.hpp"
#include "tests/io/xml_reader.hpp"

namespace asterism {

/// `bytes`: of a number in the file; where they are not those of T, HDF5 converts.
template <class T>
std::vector<T> read_dataset(const fs::path& path, const std::string& dataset, std::vector<hsize_t>& shape,
                            std::size_t bytes = sizeof(T)) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(file, 0) << path;
  const hid_t opened = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  EXPECT_GE(opened, 0) << dataset;
  if (opened < 0) return {};
  const hid_t type = H5Dget_type(opened);
  const hid_t native = sizeof(T) == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  EXPECT_EQ(H5Tget_size(type), bytes);
  EXPECT_EQ(H5Tget_class(type), H5T_FLOAT);
  EXPECT_TRUE(bytes != sizeof(T) || H5Tequal(type, native) > 0);
  const hid_t space = H5Dget_space(opened);
  shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(opened, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(opened);
  H5Fclose(file);
  return values;
}

template <class T>
T read_attribute(const fs::path& path, const std::string& object, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t opened = H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  T value{};
  EXPECT_GE(H5Aread(opened, std::is_integral_v<T> ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, &value), 0) << object;
  H5Aclose(opened);
  H5Fclose(file);
  return value;
}

inline std::uint64_t integer_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  EXPECT_LE(at + 8, bytes.size());
  if (at + 8 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 8);
  return value;
}

/// The bytes of an array of appended data, and where they end.
inline std::string appended(const std::string& bytes, std::size_t at, bool compressed, std::size_t& end) {
  if (!compressed) {
    const std::size_t size = integer_at(bytes, at);
    end = at + 8 + size;
    return bytes.substr(at + 8, size);
  }
  const std::size_t blocks = integer_at(bytes, at);
  const std::size_t block = integer_at(bytes, at + 8);
  const std::size_t last = integer_at(bytes, at + 16);
  std::string result;
  std::size_t from = at + 24 + 8 * blocks;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t size = integer_at(bytes, at + 24 + 8 * b);
    std::string part(b + 1 == blocks && last != 0 ? last : block, '\0');
    uLongf length = part.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(part.data()), &length,
                         reinterpret_cast<const Bytef*>(bytes.data() + from), size),
              Z_OK);
    EXPECT_EQ(length, part.size());
    result += part;
    from += size;
  }
  end = from;
  return result;
}

/// Steps and files of a ParaView collection.
inline std::map<double, std::string> read_collection(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  std::map<double, std::string> times;
  const Xml document = parse_xml(bytes.str());
  for (const Xml* set : document.all("DataSet")) {
    times[std::stod(set->attributes.at("timestep"))] = set->attributes.at("file");
  }
  return times;
}

}  // namespace asterism
