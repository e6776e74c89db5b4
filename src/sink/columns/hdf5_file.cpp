#include "sink/columns/hdf5_file.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "sink/columns/chunk_filter.hpp"

namespace ovni {

namespace {

// Before the first call of a thread: HDF5 keeps, by thread if it knows threads, whether it prints errors
// itself. Here errors are thrown instead, and printed once. At the exit of the process it must not look after
// its files again: one that could not be closed has been freed by then.
void start_library() {
    static const herr_t no_exit_handler = H5dont_atexit();
    thread_local const herr_t nothing_printed = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    static_cast<void>(no_exit_handler), static_cast<void>(nothing_printed);
}

// The innermost function knows the cause.
herr_t take_cause(unsigned, const H5E_error2_t* entry, void* text) {
    *static_cast<std::string*>(text) = entry->desc;
    return 1;
}

// A text like "file write failed: time = ..., errno = 28, error message = 'No space left on device', buf =
// 0x..., ..." is cut down to what a person can use; other texts stay as they are.
std::string brief(const std::string& cause) {
    constexpr std::string_view before = "error message = '";
    size_t message = cause.find(before), colon = cause.find(": ");
    if (message == cause.npos || colon > message) return cause;
    message += before.size();
    return cause.substr(0, colon + 2) + cause.substr(message, cause.find('\'', message) - message);
}

struct FieldOfTable {
    size_t offset = 0, bytes = 0;
};

size_t longest(const std::vector<std::string>& texts) {
    size_t bytes = 1;
    for (const std::string& text : texts) bytes = std::max(bytes, text.size());
    return bytes;
}

void make_valid(Table& table) {
    for (TableColumn& column : table.columns)
        if (auto* texts = std::get_if<std::vector<std::string>>(&column.values))
            for (std::string& text : *texts) text = valid_utf8(text);
}

std::vector<FieldOfTable> lay_out(const Table& table) {
    std::vector<FieldOfTable> fields;
    size_t at = 0;
    for (const TableColumn& column : table.columns) {
        const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
        size_t bytes = texts ? longest(*texts) : sizeof(int64_t);
        fields.push_back({at, bytes});
        at += bytes;
    }
    return fields;
}

std::vector<char> packed(const Table& table, const std::vector<FieldOfTable>& fields, size_t row_bytes) {
    std::vector<char> bytes(table.rows() * row_bytes);
    for (size_t c = 0; c < fields.size(); ++c) {
        const auto& values = table.columns[c].values;
        for (size_t r = 0; r < table.rows(); ++r) {
            char* field = bytes.data() + r * row_bytes + fields[c].offset;
            if (const auto* numbers = std::get_if<std::vector<int64_t>>(&values))
                std::memcpy(field, &(*numbers)[r], sizeof(int64_t));
            else
                std::get<std::vector<std::string>>(values)[r].copy(field, fields[c].bytes);
        }
    }
    return bytes;
}

hid_t hdf5_type(Hdf5File::RowField::Type type) {
    switch (type) {
        case Hdf5File::RowField::Type::int64:
            return H5T_STD_I64LE;
        case Hdf5File::RowField::Type::int32:
            return H5T_STD_I32LE;
        default:
            return H5T_STD_U64LE;
    }
}

}  // namespace

Hdf5File::Hdf5File(const std::filesystem::path& path, std::filesystem::path output)
    : output_(std::move(output)) {
    start_library();
    file_ = own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    with_groups_ = own(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    checked(H5Pset_create_intermediate_group(with_groups_.get(), 1));
}

void Hdf5File::fail() const {
    std::string cause;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, &cause);
    throw Error("HDF5: " + (cause.empty() ? "failed" : brief(cause)), output_.string());
}

Hdf5Handle Hdf5File::type_of_rows(const RowType& row) const {
    Hdf5Handle type = own(H5Tcreate(H5T_COMPOUND, row.bytes), H5Tclose);
    for (const RowField& field : row.fields)
        checked(H5Tinsert(type.get(), field.name, field.offset, hdf5_type(field.type)));
    return type;
}

Hdf5Handle Hdf5File::make_rows(const std::string& path, const RowType& row, size_t chunk) {
    start_library();
    hsize_t none = 0, unlimited = H5S_UNLIMITED, size = chunk;
    Hdf5Handle space = own(H5Screate_simple(1, &none, &unlimited), H5Sclose);
    Hdf5Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    checked(H5Pset_obj_track_times(properties.get(), false));
    checked(H5Pset_chunk(properties.get(), 1, &size));
    checked(H5Pset_shuffle(properties.get()));
    checked(H5Pset_deflate(properties.get(), ChunkFilter::level));
    Hdf5Handle type = type_of_rows(row);
    return own(H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), with_groups_.get(),
                          properties.get(), H5P_DEFAULT),
               H5Dclose);
}

void Hdf5File::resize(const Hdf5Handle& rows, uint64_t count) {
    start_library();
    hsize_t size = count;
    checked(H5Dset_extent(rows.get(), &size));
}

void Hdf5File::write_chunk(const Hdf5Handle& rows, uint64_t at, std::span<const uint8_t> filtered) {
    start_library();
    hsize_t offset = at;
    checked(H5Dwrite_chunk(rows.get(), H5P_DEFAULT, 0, &offset, filtered.size(), filtered.data()));
}

hid_t Hdf5File::text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, std::max<size_t>(length, 1));
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

void Hdf5File::write(Table table) {
    make_valid(table);
    std::vector<FieldOfTable> fields = lay_out(table);
    size_t row_bytes = fields.empty() ? 1 : fields.back().offset + fields.back().bytes;
    Hdf5Handle type = own(H5Tcreate(H5T_COMPOUND, row_bytes), H5Tclose);
    for (size_t c = 0; c < fields.size(); ++c) {
        bool is_text = std::holds_alternative<std::vector<std::string>>(table.columns[c].values);
        Hdf5Handle text = own(text_type(fields[c].bytes), H5Tclose);
        checked(H5Tinsert(type.get(), table.columns[c].name.c_str(), fields[c].offset,
                          is_text ? text.get() : H5T_STD_I64LE));
    }
    hsize_t rows = table.rows();
    Hdf5Handle space = own(H5Screate_simple(1, &rows, nullptr), H5Sclose);
    Hdf5Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    checked(H5Pset_obj_track_times(properties.get(), false));
    Hdf5Handle dataset = own(H5Dcreate2(file_.get(), table.path.c_str(), type.get(), space.get(),
                                        with_groups_.get(), properties.get(), H5P_DEFAULT),
                             H5Dclose);
    if (rows > 0) {
        std::vector<char> bytes = packed(table, fields, row_bytes);
        checked(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
    }
    close(dataset);
    describe(table.path, "about", table.about);
    for (const TableColumn& column : table.columns) describe(table.path, column.name, column.about);
}

void Hdf5File::attach(const std::string& object, const std::string& name, hid_t type, const void* value) {
    Hdf5Handle target = own(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
    Hdf5Handle space = own(H5Screate(H5S_SCALAR), H5Sclose);
    Hdf5Handle attribute =
        own(H5Acreate2(target.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    checked(H5Awrite(attribute.get(), type, value));
}

void Hdf5File::describe(const std::string& object, const std::string& name, const std::string& text) {
    std::string valid = valid_utf8(text);
    Hdf5Handle type = own(text_type(valid.size()), H5Tclose);
    attach(object, name, type.get(), valid.c_str());
}

void Hdf5File::describe(const std::string& object, const std::string& name, int64_t number) {
    attach(object, name, H5T_NATIVE_INT64, &number);
}

void Hdf5File::close(Hdf5Handle& rows) {
    if (!rows.close()) fail();
}

void Hdf5File::close() {
    with_groups_.close();
    checked(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL));
    close(file_);
}

}  // namespace ovni
