// The meaning of chains: every form of the grammar.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "region/chain_parser.hpp"
#include "region/plan.hpp"
#include "tests/region/chain_player.hpp"

namespace ovni::region::test {

namespace {

Chain chain(const std::string& text, size_t warnings = 0) {
    Chain chain;
    std::vector<std::string> warned;
    Fault fault = parse_chain(text, {functions()}, chain, warned);
    EXPECT_FALSE(fault) << fault->message();
    EXPECT_EQ(warned.size(), warnings) << text;
    if (chain.alarms.empty()) chain.alarms.emplace_back();
    return chain;
}

Alarm alarm(const std::string& text) {
    return chain(text).alarms[0];
}

TEST(Chains, EventsAndAlarmsAreInOrder) {
    Chain read = chain("precond:icount:5,start:int3,stop:interactive,threadid:cpuid:0x4711");
    ASSERT_EQ(read.alarms.size(), 4u);
    const Event events[] = {Event::precondition, Event::start, Event::stop, Event::thread_id};
    const AlarmKind kinds[] = {AlarmKind::icount, AlarmKind::int3, AlarmKind::interactive, AlarmKind::cpuid};
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(read.alarms[i].event, events[i]);
        EXPECT_EQ(read.alarms[i].kind, kinds[i]);
    }
    EXPECT_EQ(read.alarms[3].value, 0x4711u);
    EXPECT_EQ(read.alarms[3].offset, 45u);
}

TEST(Chains, TakeModifiersInAnyOrderAndLooseOnes) {
    for (const char* text :
         {"start:address:f:count0x3:tid2:bcast", "start:address:f:bcast:tid2:count3",
          "start:address:f,bcast,tid2,count3", " start : address : f : tid2 , count3 , bcast "}) {
        Alarm read = alarm(text);
        EXPECT_EQ(read.text, "f");
        EXPECT_EQ(read.count, 3u);
        EXPECT_EQ(read.thread, 2u);
        EXPECT_TRUE(read.is_broadcast);
        EXPECT_FALSE(read.is_global);
    }
    EXPECT_TRUE(alarm("start:icount:1:global").is_global);
}

TEST(Chains, TakeTokensAnywhere) {
    for (const char* text :
         {"start:icount:100,repeat:3,name:c1,waitfor:c0", "repeat3,namec1,start:icount:100,waitforc0",
          "waitfor : c0,start:icount:100,name : c1,repeat3,"
          "stop:int3"}) {
        Chain read = chain(text);
        EXPECT_EQ(read.repeat, 3u);
        EXPECT_EQ(read.name, "c1");
        EXPECT_EQ(read.waits_for, "c0");
    }
    EXPECT_EQ(chain("start:icount:100").repeat, 1u);
    EXPECT_EQ(chain("start:icount:100,repeat").repeat, endless);
    EXPECT_EQ(chain("start:icount:100,name:\"a,b:c\"").name, "a,b:c");
}

TEST(Chains, TakeOddForms) {
    EXPECT_EQ(alarm("start:isa_extension:avx").text, "AVX");
    EXPECT_EQ(alarm("start:isa\xe2\x80\x93"
                    "category:cond_br")
                  .text,
              "COND_BR");
    EXPECT_EQ(alarm("start:int3:3").count, 3u);
    EXPECT_EQ(alarm("start:interactive:2:bcast").count, 2u);
    EXPECT_EQ(alarm("start:ssc:0x11223344").value, 0x11223344u);
    EXPECT_EQ(alarm("start:ssc:AB").value, 0xabu);
    EXPECT_EQ(alarm("start:itext:0F0b").text, "0f0b");
    EXPECT_EQ(alarm("start:magic:1.0x2").value, magic_value(1, 2));
    EXPECT_EQ(alarm("stop:timeout:0.5").value, 500'000'000u);
    EXPECT_EQ(alarm("stop:timeout:2.0000000019").value, 2'000'000'001u);
    EXPECT_EQ(chain("start:address:foo,stop:addres:bar", 1).alarms[1].kind, AlarmKind::address);
}

TEST(Chains, TellAddressesApart) {
    Alarm absolute = alarm("start:address:0x401000");
    EXPECT_EQ(absolute.address_form, AddressForm::absolute);
    EXPECT_EQ(absolute.value, 0x401000u);
    Alarm in_image = alarm("start:address:libstdc++.so.6+0x10");
    EXPECT_EQ(in_image.address_form, AddressForm::in_image);
    EXPECT_EQ(in_image.text, "libstdc++.so.6");
    EXPECT_EQ(in_image.value, 16u);
    for (const char* symbol : {"operator+", "ns::foo(int, char)", "f+1", "a\"b"}) {
        std::string quoted;
        for (char c : std::string_view(symbol)) quoted += std::string("\\") + c;
        EXPECT_EQ(alarm("start:address:" + quoted + ":count2").text, symbol);
        EXPECT_EQ(alarm("start:address:" + quoted).address_form, AddressForm::symbol);
    }
    EXPECT_EQ(alarm("start:address:\"ns::foo(int, char)\":count2").text, "ns::foo(int, char)");
    EXPECT_EQ(alarm("start:address:\" f \"").text, " f ");
}

TEST(Chains, TakeLevelsAndSubleaves) {
    Alarm any = alarm("start:pcontrol:solve");
    EXPECT_EQ(any.detail_rule, DetailRule::neither_0_nor_2);
    Alarm level = alarm("start:pcontrol:so@lve@-1");
    EXPECT_EQ(level.text, "so@lve");
    EXPECT_EQ(level.detail_rule, DetailRule::equal);
    EXPECT_EQ(level.detail, -1);
    EXPECT_EQ(alarm("start:pcontrol:\"a@2\"").text, "a@2");
    EXPECT_EQ(alarm("start:cpuid:7").detail_rule, DetailRule::any);
    EXPECT_EQ(alarm("start:cpuid:7.1").detail, 1);
}

TEST(Chains, KnowMpiFunctionsByAnySpelling) {
    for (const char* name : {"MPI_Send", "Send", "mpi_send", "SEND"})
        EXPECT_EQ(alarm(std::string("start:mpi:") + name).value, 1u);
    Alarm slow = alarm("start:slowcall:recv:150us:count3");
    EXPECT_EQ(slow.value, 2u);
    EXPECT_EQ(slow.detail_rule, DetailRule::at_least);
    EXPECT_EQ(slow.detail, 150'000);
    EXPECT_EQ(slow.count, 3u);
    EXPECT_EQ(alarm("start:slowcall:recv:2s").detail, 2'000'000'000);
    Chain unknown;
    std::vector<std::string> warnings;
    EXPECT_FALSE(parse_chain("start:mpi:Frobnicate", {}, unknown, warnings)) << "no table, no check";
}

TEST(Chains, SampleUniformly) {
    Chain read = chain("precond:icount:200,uniform:800:500:5:tid1");
    const Alarm& uniform = read.alarms[1];
    EXPECT_EQ(uniform.kind, AlarmKind::uniform);
    EXPECT_TRUE(uniform.is_broadcast);
    EXPECT_EQ(uniform.sampling.period, 800u);
    EXPECT_EQ(uniform.sampling.length, 500u);
    EXPECT_EQ(uniform.sampling.samples, 5u);
    EXPECT_EQ(uniform.thread, 1u);
}

TEST(Chains, ChainsOfTheEnvironmentStandBetweenSemicolons) {
    std::vector<std::string> chains;
    ASSERT_FALSE(split_chains("start:pcontrol:\"a;b\";stop:pcontrol:c\\;d ; start:int3", chains));
    EXPECT_EQ(chains,
              (std::vector<std::string>{"start:pcontrol:\"a;b\"", "stop:pcontrol:c\\;d ", " start:int3"}));
    ASSERT_TRUE(split_chains("start:pcontrol:\"a;b", chains));
}

TEST(Plans, WarnOfWaitsThatNeverEnd) {
    Plan plan;
    std::vector<std::string> chains = {"start:icount:1,waitfor:c", "stop:icount:1,name:c,repeat"};
    ASSERT_FALSE(make_plan(chains, {functions()}, plan));
    EXPECT_EQ(plan.waiters[1], std::vector<size_t>{0});
    EXPECT_EQ(plan.warnings,
              std::vector<std::string>{"chain c repeats endlessly: the wait never ends, at column 24 of "
                                       "'start:icount:1,waitfor:c'"});
}

TEST(Plans, NameAlarmsThatNothingCanHit) {
    Plan plan;
    std::vector<std::string> chains = {"start:pcontrol:a,stop:mpi:Send", "start:timeout:1,stop:icount:9"};
    ASSERT_FALSE(make_plan(chains, {functions()}, plan));
    EXPECT_TRUE(waits_for_code(plan));
    EXPECT_FALSE(find_missing_back_end(plan, CodeLibrary::present));
    Fault missing = find_missing_back_end(plan, CodeLibrary::absent);
    ASSERT_TRUE(missing);
    EXPECT_EQ(
        missing->message(),
        "alarms of type icount need libovni-code.so: ovnirun loads it, where it is installed, at column "
        "17 of 'start:timeout:1,stop:icount:9'");
    chains.pop_back();
    ASSERT_FALSE(make_plan(chains, {functions()}, plan));
    EXPECT_FALSE(find_missing_back_end(plan, CodeLibrary::absent));
    EXPECT_FALSE(waits_for_code(plan));
}

TEST(Plans, NameAlarmsThatNeedTheLibraryForCode) {
    Plan plan;
    std::vector<std::string> chains = {"start:pcontrol:a,stop:address:f"};
    ASSERT_FALSE(make_plan(chains, {functions()}, plan));
    EXPECT_TRUE(waits_for_code(plan));
    EXPECT_FALSE(find_missing_back_end(plan, CodeLibrary::present));
    Fault missing = find_missing_back_end(plan, CodeLibrary::absent);
    ASSERT_TRUE(missing);
    EXPECT_EQ(
        missing->message(),
        "alarms of type address need libovni-code.so: ovnirun loads it, where it is installed, at column "
        "18 of 'start:pcontrol:a,stop:address:f'");
}

}  // namespace

}  // namespace ovni::region::test
