// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/arena.hpp"

#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "runtime/starpu_mutex.hpp"

namespace asterism {
namespace {

ArenaPiece& piece_of(void* data_interface) {
  return *static_cast<ArenaPiece*>(data_interface);
}
const ArenaPiece& piece_of(const void* data_interface) {
  return *static_cast<const ArenaPiece*>(data_interface);
}
const ArenaPiece& piece_of(starpu_data_handle_t handle) {
  return piece_of(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM));
}
std::uintptr_t address(const ArenaPiece& piece) {
  return piece.base + piece.offset * sizeof(double);
}
std::size_t bytes(const ArenaPiece& piece) {
  return piece.elements * sizeof(double);
}

void register_piece(starpu_data_handle_t handle, int /*home_node*/, void* data_interface) {
  for (unsigned node = 0; node < STARPU_MAXNODES; ++node) {
    ArenaPiece& local = piece_of(starpu_data_get_interface_on_node(handle, node));
    local = piece_of(data_interface);
    local.base = 0;
  }
}

starpu_ssize_t allocate_piece(void* data_interface, unsigned node) {
  ArenaPiece& piece = piece_of(data_interface);
  piece.base = piece.arena->acquire(node);
  if (piece.base == 0) return -ENOMEM;
  return static_cast<starpu_ssize_t>(bytes(piece));
}

void free_piece(void* data_interface, unsigned node) {
  ArenaPiece& piece = piece_of(data_interface);
  piece.base = 0;
  piece.arena->release(node);
}

int copy_piece(void* source, unsigned source_node, void* target, unsigned target_node, void* async_data) {
  return starpu_interface_copy(address(piece_of(source)), 0, source_node, address(piece_of(target)), 0, target_node,
                               bytes(piece_of(source)), async_data);
}

void* piece_pointer(void* data_interface, unsigned /*node*/) {
  return reinterpret_cast<void*>(address(piece_of(data_interface)));
}
std::size_t piece_size(starpu_data_handle_t handle) {
  return bytes(piece_of(handle));
}
std::uint32_t piece_footprint(starpu_data_handle_t handle) {
  return starpu_hash_crc32c_be_n(&piece_of(handle).elements, sizeof(std::size_t), 0);
}
int compare_pieces(void* a, void* b) {
  return piece_of(a).elements == piece_of(b).elements ? 1 : 0;
}

void display_piece(starpu_data_handle_t handle, FILE* file) {
  std::fprintf(file, "%zu\t", piece_of(handle).elements);
}
starpu_ssize_t describe_piece(void* data_interface, char* text, std::size_t size) {
  return std::snprintf(text, size, "P%zu@%zu", piece_of(data_interface).elements, piece_of(data_interface).offset);
}

int pack_piece(starpu_data_handle_t handle, unsigned node, void** data, starpu_ssize_t* count) {
  const ArenaPiece& piece = piece_of(starpu_data_get_interface_on_node(handle, node));
  *count = static_cast<starpu_ssize_t>(bytes(piece));
  if (data != nullptr) {
    *data = reinterpret_cast<void*>(starpu_malloc_on_node_flags(node, bytes(piece), 0));
    std::memcpy(*data, reinterpret_cast<void*>(address(piece)), bytes(piece));
  }
  return 0;
}
int peek_piece(starpu_data_handle_t handle, unsigned node, void* data, std::size_t count) {
  const ArenaPiece& piece = piece_of(starpu_data_get_interface_on_node(handle, node));
  std::memcpy(reinterpret_cast<void*>(address(piece)), data, count);
  return 0;
}
int unpack_piece(starpu_data_handle_t handle, unsigned node, void* data, std::size_t count) {
  peek_piece(handle, node, data, count);
  starpu_free_on_node_flags(node, reinterpret_cast<std::uintptr_t>(data), count, 0);
  return 0;
}

starpu_data_interface_ops& piece_operations() {
  static const starpu_data_copy_methods copy = [] {
    starpu_data_copy_methods methods{};
    methods.any_to_any = copy_piece;
    return methods;
  }();
  static char name[] = "ASTERISM_ARENA_PIECE";
  static starpu_data_interface_ops operations = [] {
    starpu_data_interface_ops ops{};
    ops.register_data_handle = register_piece;
    ops.allocate_data_on_node = allocate_piece;
    ops.free_data_on_node = free_piece;
    ops.copy_methods = &copy;
    ops.to_pointer = piece_pointer;
    ops.get_size = piece_size;
    ops.footprint = piece_footprint;
    ops.compare = compare_pieces;
    ops.display = display_piece;
    ops.describe = describe_piece;
    ops.pack_data = pack_piece;
    ops.peek_data = peek_piece;
    ops.unpack_data = unpack_piece;
    ops.interface_size = sizeof(ArenaPiece);
    ops.dontcache = 1;  // a place in an arena serves one piece only
    ops.interfaceid = static_cast<starpu_data_interface_id>(starpu_data_interface_get_next_id());
    ops.name = name;
    return ops;
  }();
  return operations;
}

bool is_piece(const void* buffer) {
  return piece_of(buffer).id == piece_operations().interfaceid;
}

}  // namespace

Arena::Arena(std::size_t elements) : elements_(elements), mutex_(std::make_unique<Mutex>()) {}
Arena::~Arena() = default;

Handle Arena::piece(std::size_t offset, std::size_t elements, const std::string& name, Coordinates where) {
  if (offset + elements > elements_)
    failed("arena: piece '{}' [{}, {}) lies outside of {} elements", name, offset, offset + elements, elements_);
  ArenaPiece piece{piece_operations().interfaceid, this, offset, elements, 0};
  starpu_data_handle_t handle = nullptr;
  starpu_data_register(&handle, -1, &piece, &piece_operations());
  return {handle, name, where};
}

std::uintptr_t Arena::acquire(unsigned node) {
  const std::lock_guard<Mutex> lock(*mutex_);
  Reservation& r = reserved_[node];
  if (r.base == 0) r.base = starpu_malloc_on_node(node, elements_ * sizeof(double));
  if (r.base != 0) ++r.pieces;
  return r.base;
}

void Arena::release(unsigned node) {
  const std::lock_guard<Mutex> lock(*mutex_);
  Reservation& r = reserved_[node];
  if (--r.pieces == 0) {
    starpu_free_on_node(node, r.base, elements_ * sizeof(double));
    r.base = 0;
  }
}

double* elements_of(void* buffer) {
  return reinterpret_cast<double*>(is_piece(buffer) ? address(piece_of(buffer)) : STARPU_VECTOR_GET_PTR(buffer));
}

std::size_t count_of(const void* buffer) {
  return is_piece(buffer) ? piece_of(buffer).elements : static_cast<const starpu_vector_interface*>(buffer)->nx;
}

const double* window_of(const void* buffer) {
  return reinterpret_cast<const double*>(is_piece(buffer) ? piece_of(buffer).base
                                                          : static_cast<const starpu_vector_interface*>(buffer)->ptr);
}

}  // namespace asterism
