// The file of samples, read by the library that wrote it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "mpi/sync/samples_file.hpp"

namespace ovni::sync {
namespace {

using testing::ElementsAre;

class SamplesFileTest : public testing::Test {
 protected:
    void open(const std::string& image) {
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_core(access, 1 << 16, false);
        H5Pset_file_image(access, const_cast<char*>(image.data()), image.size());
        file_ = H5Fopen("image", H5F_ACC_RDONLY, access);
        H5Pclose(access);
        ASSERT_GE(file_, 0);
    }
    ~SamplesFileTest() override {
        if (file_ >= 0) H5Fclose(file_);
    }
    template <class T>
    std::vector<T> read(const char* name, hid_t type) {
        hid_t dataset = H5Dopen2(file_, name, H5P_DEFAULT), space = H5Dget_space(dataset);
        std::vector<T> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
        EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
        H5Sclose(space);
        H5Dclose(dataset);
        return values;
    }
    std::string attribute(const char* dataset, const char* name) {
        hid_t id = H5Aopen_by_name(file_, dataset, name, H5P_DEFAULT, H5P_DEFAULT), type = H5Aget_type(id);
        std::string text(H5Tget_size(type), '\0');
        EXPECT_GE(H5Aread(id, type, text.data()), 0) << dataset << name;
        H5Tclose(type);
        H5Aclose(id);
        return text;
    }

 private:
    hid_t file_ = -1;
};

TEST_F(SamplesFileTest, EveryFieldIsThereWithItsUnits) {
    ASSERT_TRUE(can_write_samples());
    open(samples_file({{0, "a"}, {4, "node1"}},
                      {{0, 0, 0, 1, {1, 2, 3, 4}}, {1, 7, 0, 1, {-5, INT64_MAX, INT64_MIN, 8}}}));
    EXPECT_THAT(read<int32_t>("samples/round", H5T_NATIVE_INT32), ElementsAre(0, 1));
    EXPECT_THAT(read<int32_t>("samples/number", H5T_NATIVE_INT32), ElementsAre(0, 7));
    EXPECT_THAT(read<int32_t>("samples/reference", H5T_NATIVE_INT32), ElementsAre(0, 0));
    EXPECT_THAT(read<int32_t>("samples/node", H5T_NATIVE_INT32), ElementsAre(1, 1));
    EXPECT_THAT(read<int64_t>("samples/t1", H5T_NATIVE_INT64), ElementsAre(1, -5));
    EXPECT_THAT(read<int64_t>("samples/t2", H5T_NATIVE_INT64), ElementsAre(2, INT64_MAX));
    EXPECT_THAT(read<int64_t>("samples/t3", H5T_NATIVE_INT64), ElementsAre(3, INT64_MIN));
    EXPECT_THAT(read<int64_t>("samples/t4", H5T_NATIVE_INT64), ElementsAre(4, 8));
    EXPECT_THAT(read<int32_t>("nodes/rank", H5T_NATIVE_INT32), ElementsAre(0, 4));
    EXPECT_EQ(attribute("samples/t3", "units"), "ns");
    EXPECT_EQ(attribute("samples/round", "units"), "1");
    EXPECT_EQ(attribute("samples/t1", "description"), "sent, by the clock of the reference");
}

TEST_F(SamplesFileTest, OneNodeHasNoSamples) {
    open(samples_file({{0, "a"}}, {}));
    EXPECT_TRUE(read<int64_t>("samples/t1", H5T_NATIVE_INT64).empty());
}

}  // namespace
}  // namespace ovni::sync
