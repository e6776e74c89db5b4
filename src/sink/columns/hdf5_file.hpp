// The part of HDF5 that sinks need: a file, attributes, tables, and datasets of rows that grow. All functions
// throw Error with the path of the file and the cause that HDF5 knows. Texts that are not UTF-8 are converted
// to it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "base/table.hpp"

namespace ovni {

// Closes what a call of HDF5 opened.
class Hdf5Handle {
 public:
    using Close = herr_t (*)(hid_t);
    Hdf5Handle() = default;
    Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, none)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5Handle() { close(); }
    bool close() {
        hid_t id = std::exchange(id_, none);
        return id < 0 || close_(id) >= 0;
    }
    hid_t get() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }

 private:
    static constexpr hid_t none = -1;
    hid_t id_ = none;
    Close close_ = nullptr;
};

class Hdf5File {
 public:
    // Empties a file that is there. `output`: its name in messages.
    Hdf5File(const std::filesystem::path& path, std::filesystem::path output);

    // A row in memory and on disk.
    struct RowField {
        enum class Type : uint8_t { int64, int32, uint64 };
        const char* name;
        size_t offset;
        Type type;
    };
    struct RowType {
        size_t bytes;
        std::span<const RowField> fields;
    };
    Hdf5Handle make_rows(const std::string& path, const RowType& row, size_t chunk);
    void resize(const Hdf5Handle& rows, uint64_t count);
    // A whole chunk, as ChunkFilter leaves it.
    void write_chunk(const Hdf5Handle& rows, uint64_t at, std::span<const uint8_t> filtered);

    void write(Table table);
    // Belongs to a group or dataset, or with "/" to the whole file.
    void describe(const std::string& object, const std::string& name, const std::string& text);
    void describe(const std::string& object, const std::string& name, int64_t number);
    void close(Hdf5Handle& rows);
    void close();

 private:
    // The result of a call of HDF5, which is negative where it failed.
    template <class Result>
    Result checked(Result result) const {
        if (result < 0) fail();
        return result;
    }
    [[noreturn]] void fail() const;
    Hdf5Handle own(hid_t id, Hdf5Handle::Close closer) const { return {checked(id), closer}; }
    Hdf5Handle type_of_rows(const RowType& row) const;
    void attach(const std::string& object, const std::string& name, hid_t type, const void* value);
    static hid_t text_type(size_t length);

    std::filesystem::path output_;
    Hdf5Handle file_, with_groups_;
};

}  // namespace ovni
