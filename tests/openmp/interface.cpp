// Our declarations of OMPT against the header of a runtime.
#include <gtest/gtest.h>

#include "openmp/ompt.hpp"

#if OVNI_TEST_HAS_LIBOMP
#include <omp-tools.h>
#endif

namespace ovni::test {
namespace {

#if OVNI_TEST_HAS_LIBOMP

namespace ours = ovni::openmp::ompt;

TEST(OmptInterface, NumbersOfCallbacksAreThoseOfLibomp) {
    EXPECT_EQ(+ours::callback::thread_begin, ompt_callback_thread_begin);
    EXPECT_EQ(+ours::callback::thread_end, ompt_callback_thread_end);
    EXPECT_EQ(+ours::callback::parallel_begin, ompt_callback_parallel_begin);
    EXPECT_EQ(+ours::callback::parallel_end, ompt_callback_parallel_end);
    EXPECT_EQ(+ours::callback::task_create, ompt_callback_task_create);
    EXPECT_EQ(+ours::callback::task_schedule, ompt_callback_task_schedule);
    EXPECT_EQ(+ours::callback::implicit_task, ompt_callback_implicit_task);
    EXPECT_EQ(+ours::callback::sync_region_wait, ompt_callback_sync_region_wait);
    EXPECT_EQ(+ours::callback::mutex_released, ompt_callback_mutex_released);
    EXPECT_EQ(+ours::callback::task_dependence, ompt_callback_task_dependence);
    EXPECT_EQ(+ours::callback::work, ompt_callback_work);
    EXPECT_EQ(+ours::callback::masked, ompt_callback_masked);
    EXPECT_EQ(+ours::callback::sync_region, ompt_callback_sync_region);
    EXPECT_EQ(+ours::callback::mutex_acquire, ompt_callback_mutex_acquire);
    EXPECT_EQ(+ours::callback::mutex_acquired, ompt_callback_mutex_acquired);
    EXPECT_EQ(+ours::callback::cancel, ompt_callback_cancel);
    EXPECT_EQ(+ours::callback::reduction, ompt_callback_reduction);
    EXPECT_EQ(+ours::callback::dispatch, ompt_callback_dispatch);
}

TEST(OmptInterface, KindsAndFlagsAreThoseOfLibomp) {
    EXPECT_EQ(+ours::thread::worker, ompt_thread_worker);
    EXPECT_EQ(+ours::endpoint::end, ompt_scope_end);
    EXPECT_EQ(+ours::sync::barrier_explicit, ompt_sync_region_barrier_explicit);
    EXPECT_EQ(+ours::sync::taskgroup, ompt_sync_region_taskgroup);
    EXPECT_EQ(+ours::sync::reduction, ompt_sync_region_reduction);
    EXPECT_EQ(+ours::sync::barrier_implicit_parallel, ompt_sync_region_barrier_implicit_parallel);
    EXPECT_EQ(+ours::work::single_executor, ompt_work_single_executor);
    EXPECT_EQ(+ours::work::taskloop, ompt_work_taskloop);
    EXPECT_EQ(+ours::mutex::critical, ompt_mutex_critical);
    EXPECT_EQ(+ours::mutex::ordered, ompt_mutex_ordered);
    EXPECT_EQ(+ours::dispatch::section, ompt_dispatch_section);
    EXPECT_EQ(+ours::task::untied, static_cast<uint32_t>(ompt_task_untied));
    EXPECT_EQ(+ours::task::explicit_, static_cast<uint32_t>(ompt_task_explicit));
    EXPECT_EQ(+ours::task_status::switch_, ompt_task_switch);
    EXPECT_EQ(+ours::task_status::late_fulfill, ompt_task_late_fulfill);
}

TEST(OmptInterface, StructuresAreThoseOfLibomp) {
    EXPECT_EQ(sizeof(ours::StartToolResult), sizeof(ompt_start_tool_result_t));
    EXPECT_EQ(offsetof(ours::StartToolResult, tool), offsetof(ompt_start_tool_result_t, tool_data));
    EXPECT_EQ(sizeof(ours::Data), sizeof(ompt_data_t));
}

#else

TEST(OmptInterface, NumbersOfCallbacksAreThoseOfLibomp) {
    GTEST_SKIP() << "the headers of libomp are missing";
}

#endif

}  // namespace
}  // namespace ovni::test
