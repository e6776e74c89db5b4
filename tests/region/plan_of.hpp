// The plan of chains that have no fault.
#pragma once

#include <gtest/gtest.h>

#include "region/plan.hpp"
#include "tests/region/chain_player.hpp"

namespace ovni::region::test {

inline Plan plan_of(const std::vector<std::string>& chains) {
    Plan plan;
    Fault fault = make_plan(chains, {functions()}, plan);
    EXPECT_FALSE(fault) << fault->message();
    return plan;
}

}  // namespace ovni::region::test
