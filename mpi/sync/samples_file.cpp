#include "mpi/sync/samples_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <concepts>
#include <utility>

#include "base/error.hpp"

namespace ovni::sync {

namespace {

// Throws if a call of HDF5 has failed: its result is negative then.
template <class Result>
Result checked(Result result, const char* what) {
    if (result < 0) throw Error(std::string("HDF5 failed: ") + what);
    return result;
}

// Closes what a call of HDF5 opened.
class Handle {
 public:
    Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(checked(id, what)), close_(close) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { close_(id_); }
    operator hid_t() const { return id_; }

 private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

hid_t text_type(size_t length) {
    hid_t type = checked(H5Tcopy(H5T_C_S1), "a type");
    checked(H5Tset_size(type, std::max<size_t>(length, 1)), "the length of a type");
    return type;
}

void describe(hid_t dataset, const char* name, const std::string& text) {
    Handle type(text_type(text.size()), H5Tclose, "a type");
    Handle space(H5Screate(H5S_SCALAR), H5Sclose, "a shape");
    Handle attribute(H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
    checked(H5Awrite(attribute, type, text.data()), name);
}

struct Column {
    const char* name;
    const char* units;
    const char* description;
};

void write(hid_t group, const Column& column, hid_t type, size_t count, const void* values) {
    hsize_t size = count;
    Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "a shape");
    Handle dataset(H5Dcreate2(group, column.name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose, column.name);
    if (count > 0) checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), column.name);
    describe(dataset, "units", column.units);
    describe(dataset, "description", column.description);
}

hid_t type_of(int32_t) {
    return H5T_NATIVE_INT32;
}
hid_t type_of(int64_t) {
    return H5T_NATIVE_INT64;
}

template <class Row, std::invocable<const Row&> Field>
void write(hid_t group, const Column& column, const std::vector<Row>& rows, Field field) {
    using Value = std::invoke_result_t<Field, const Row&>;
    std::vector<Value> values;
    values.reserve(rows.size());
    for (const Row& row : rows) values.push_back(field(row));
    write(group, column, type_of(Value{}), values.size(), values.data());
}

void write_samples(hid_t file, const std::vector<Sample>& samples) {
    Handle group(H5Gcreate2(file, "samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "samples");
    auto number = [&](const Column& column, int32_t Sample::*field) {
        write(group, column, samples, [=](const Sample& s) { return s.*field; });
    };
    number({"round", "1", "measurement of all nodes, from 0"}, &Sample::round);
    number({"number", "1", "exchange with that node in that round, from 0"}, &Sample::number);
    number({"reference", "1", "node that sends first, index in /nodes"}, &Sample::reference);
    number({"node", "1", "node that answers, index in /nodes"}, &Sample::node);
    auto stamp = [&](const Column& column, int64_t Exchange::*field) {
        write(group, column, samples, [=](const Sample& s) { return s.exchange.*field; });
    };
    stamp({"t1", "ns", "sent, by the clock of the reference"}, &Exchange::t1);
    stamp({"t2", "ns", "received, by the clock of the node"}, &Exchange::t2);
    stamp({"t3", "ns", "sent back, by the clock of the node"}, &Exchange::t3);
    stamp({"t4", "ns", "received, by the clock of the reference"}, &Exchange::t4);
}

void write_nodes(hid_t file, const std::vector<Node>& nodes) {
    Handle group(H5Gcreate2(file, "nodes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "nodes");
    write(group, {"rank", "1", "rank of MPI that measured for the node"}, nodes,
          [](const Node& node) { return static_cast<int32_t>(node.rank); });
    size_t longest = 1;
    for (const Node& node : nodes) longest = std::max(longest, node.host.size());
    std::string hosts;
    for (const Node& node : nodes) hosts += node.host + std::string(longest - node.host.size(), '\0');
    Handle type(text_type(longest), H5Tclose, "a type");
    write(group, {"host", "1", "name of the node"}, type, nodes.size(), hosts.data());
}

}  // namespace

bool can_write_samples() {
    return true;
}

std::string samples_file(const std::vector<Node>& nodes, const std::vector<Sample>& samples) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
    Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "properties");
    checked(H5Pset_fapl_core(access, 1 << 20, false), "a file in memory");
    // HDF5 looks for a file of that name first.
    constexpr const char* never_there = "/dev/null/samples";
    Handle file(H5Fcreate(never_there, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "a file in memory");
    write_samples(file, samples);
    write_nodes(file, nodes);
    checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "writing");
    ssize_t size = checked(H5Fget_file_image(file, nullptr, 0), "the size of the file");
    std::string image(static_cast<size_t>(size), '\0');
    checked(H5Fget_file_image(file, image.data(), image.size()), "the bytes of the file");
    return image;
}

}  // namespace ovni::sync
