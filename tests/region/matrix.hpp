// The firing sequences that chains must give: every example of the documentation and the semantics stated in
// prose. A trace has one token for each step: T1:foo is thread 1 at the address foo, e.foo and x.foo are
// begin and end of the outermost call of foo, i250 are 250 instructions. A firing stands with the index of
// its token; * is the default start.
#pragma once

#include <string>
#include <vector>

namespace ovni::region::test {

struct MatrixRow {
    const char* id;
    std::vector<std::string> chains;
    const char* trace;
    const char* firings;
};

inline const std::vector<MatrixRow> matrix = {
    {"E1", {"start:icount:100"}, "T0:i250", "start(t0)@0:T0:i250#100"},
    {"E2",
     {"stop:address:foo:count3"},
     "T0:foo T0:foo T0:foo T0:foo",
     "start(t0)*@0:T0:foo stop(t0)@2:T0:foo"},
    {"E3",
     {"start:icount:100,repeat:3"},
     "T0:i500",
     "start(t0)@0:T0:i500#100 start(t0)@0:T0:i500#200 start(t0)@0:T0:i500#300"},
    {"E3b", {"start:icount:100:count3"}, "T0:i500", "start(t0)@0:T0:i500#300"},
    {"E4",
     {"start:icount:100,repeat"},
     "T0:i550",
     "start(t0)@0:T0:i550#100 start(t0)@0:T0:i550#200 start(t0)@0:T0:i550#300 start(t0)@0:T0:i550#400 "
     "start(t0)@0:T0:i550#500"},
    {"E5",
     {"start:icount:100,stop:address:foo:count3,repeat:2"},
     "T0:foo T0:i100 T0:foo T0:foo T0:foo T0:foo T0:i99 T0:foo T0:i1 T0:foo T0:foo T0:foo T0:i200 T0:foo "
     "T0:foo T0:foo",
     "start(t0)@1:T0:i100#100 stop(t0)@4:T0:foo start(t0)@8:T0:i1#1 stop(t0)@11:T0:foo"},
    {"E5mt",
     {"start:icount:100,stop:address:foo:count3,repeat:2"},
     "T0:i100 T1:i50 T0:foo T1:foo T0:foo T0:foo T1:i50 T1:foo T1:foo T1:foo T0:i100",
     "start(t0)@0:T0:i100#100 stop(t0)@5:T0:foo start(t1)@6:T1:i50#50 stop(t1)@9:T1:foo "
     "start(t0)@10:T0:i100#100"},
    {"E6",
     {"precond:address:bar,start:address:foo,stop:icount:100000"},
     "T0:foo T0:bar T0:i10 T0:foo T0:i99999 T0:i1 T0:bar T0:foo",
     "start(t0)@3:T0:foo stop(t0)@5:T0:i1#1"},
    {"E7", {"start:icount:100:tid3"}, "T0:i200 T1:i200 T2:i200 T3:i200", "start(t3)@3:T3:i200#100"},
    {"E7all",
     {"start:icount:100"},
     "T0:i200 T1:i99 T2:i100",
     "start(t0)@0:T0:i200#100 start(t2)@2:T2:i100#100"},
    {"E8",
     {"start:address:foo,stop:addres:bar"},
     "T0:bar T0:foo T0:foo T0:bar T0:foo",
     "start(t0)@1:T0:foo stop(t0)@3:T0:bar"},
    {"E9",
     {"start:icount:1000000,stop:icount:100000"},
     "T0:b999999 T0:b1 T0:b99999 T0:b1",
     "start(t0)@1:T0:b1 stop(t0)@2:T0:b99999"},
    {"E10",
     {"precond:ssc:11223344,start:address:foo,stop:addres:bar"},
     "T0:foo T0:ssc.11223344 T0:bar T0:foo T0:bar",
     "start(t0)@3:T0:foo stop(t0)@4:T0:bar"},
    {"E11",
     {"start:address:foo,bcast,stop:addres:bar,bcast"},
     "T0:bar T1:foo T0:foo T0:bar T1:bar",
     "start(t1,bcast)@1:T1:foo stop(t0,bcast)@3:T0:bar"},
    {"E12",
     {"start:address:foo:tid0,stop:addres:bar:tid0"},
     "T1:foo T0:foo T1:bar T0:bar",
     "start(t0)@1:T0:foo stop(t0)@3:T0:bar"},
    {"E13",
     {"precond:icount:200,uniform:800:500:5"},
     "T0:i1000 T0:i1000 T0:i1000 T0:i1000 T0:i1000 T0:i1000",
     "start(t0,bcast)@0:T0:i1000#201 stop(t0,bcast)@0:T0:i1000#700 start(t0,bcast)@0:T0:i1000#1000 "
     "stop(t0,bcast)@1:T0:i1000#500 start(t0,bcast)@1:T0:i1000#800 stop(t0,bcast)@2:T0:i1000#300 "
     "start(t0,bcast)@2:T0:i1000#600 stop(t0,bcast)@3:T0:i1000#100 start(t0,bcast)@3:T0:i1000#400 "
     "stop(t0,bcast)@3:T0:i1000#900"},
    {"E14",
     {"precond:ssc:11223344,uniform:800:500:5"},
     "T0:i900 T0:ssc.11223344 T0:i1000 T0:i1000 T0:i1000 T0:i1000 T0:i1000 T0:i1000",
     "start(t0,bcast)@2:T0:i1000#1 stop(t0,bcast)@2:T0:i1000#500 start(t0,bcast)@2:T0:i1000#800 "
     "stop(t0,bcast)@3:T0:i1000#300 start(t0,bcast)@3:T0:i1000#600 stop(t0,bcast)@4:T0:i1000#100 "
     "start(t0,bcast)@4:T0:i1000#400 stop(t0,bcast)@4:T0:i1000#900 start(t0,bcast)@5:T0:i1000#200 "
     "stop(t0,bcast)@5:T0:i1000#700"},
    {"E15",
     {"precond:address:foo,precond:address:bar,repeat:2,name:c1", "start:address:boo,waitfor:c1"},
     "T0:boo T0:foo T0:boo T0:bar T0:boo T0:foo T0:foo T0:bar T0:boo T0:boo",
     "start(t0)@8:T0:boo"},
    {"E15b",
     {"precond:address:foo,precond:address:bar,repeat:2,name:c1", "start:address:boo,waitfor:c1"},
     "T0:foo T0:bar T1:foo T1:bar T0:foo T0:bar T1:boo T0:boo T1:foo T1:bar T1:boo",
     "start(t0)@7:T0:boo start(t1)@10:T1:boo"},
    {"E16",
     {"start:enter_func:foo,stop:exit_func:foo"},
     "T0:e.A T0:e.B T0:e.foo T0:e.C T0:e.D T0:x.D T0:x.C T0:x.foo T0:x.B T0:x.A",
     "start(t0)@2:T0:e.foo stop(t0)@7:T0:x.foo"},
    {"E17",
     {"start:enter_func:foo,stop:exit_func:bar"},
     "T0:e.A T0:e.bar T0:e.foo T0:e.C T0:e.bar T0:x.C T0:x.foo T0:x.bar T0:x.A",
     "start(t0)@2:T0:e.foo stop(t0)@7:T0:x.bar"},
    {"E18",
     {"start:enter_func:foo,stop:exit_func:foo"},
     "T0:e.A T0:e.foo T0:e.foo T0:e.foo T0:e.foo T0:e.C T0:x.C T0:x.foo T0:x.A",
     "start(t0)@1:T0:e.foo stop(t0)@7:T0:x.foo"},
    {"E19",
     {"start:interactive:bcast,stop:interactive:bcast"},
     "T0:i5 T1:interactive T0:interactive T0:interactive",
     "start(t1,bcast)@1:T1:interactive stop(t0,bcast)@2:T0:interactive"},
    {"G1", {"start:icount:100:global"}, "T0:i60 T1:i60 T0:i100", "start(t1)@1:T1:i60#40"},
    {"G2",
     {"start:address:foo:count3:global,stop:address:bar:count2:global,repeat:2"},
     "T0:foo T1:foo T2:foo T0:bar T1:bar T0:foo T0:foo T1:foo T1:bar T2:bar T0:foo",
     "start(t2)@2:T2:foo stop(t1)@4:T1:bar start(t1)@7:T1:foo stop(t2)@9:T2:bar"},
    {"G3",
     {"start:address:foo:bcast,stop:address:bar,repeat:2"},
     "T0:foo T1:bar T0:bar T1:foo T0:foo T0:bar",
     "start(t0,bcast)@0:T0:foo stop(t1)@1:T1:bar stop(t0)@2:T0:bar start(t1,bcast)@3:T1:foo "
     "stop(t0)@5:T0:bar"},
    {"B1",
     {"start:icount:100,stop:icount:50"},
     "T0:b30 T0:b30 T0:b30 T0:b30 T0:b30 T0:b30 T0:b30",
     "start(t0)@3:T0:b30 stop(t0)@4:T0:b30"},
    {"S1",
     {"start:address:foo,stop:address:foo,repeat"},
     "T0:foo T0:foo T0:foo T0:foo",
     "start(t0)@0:T0:foo stop(t0)@1:T0:foo start(t0)@2:T0:foo stop(t0)@3:T0:foo"},
    {"M1",
     {"start:magic:1.2,stop:magic:3.4"},
     "T0:magic.3.4 T0:magic.1.2 T0:magic.3.4",
     "start(t0)@1:T0:magic.1.2 stop(t0)@2:T0:magic.3.4"},
    {"C1",
     {"start:cpuid:0x4711,stop:cpuid:18194"},
     "T0:cpuid.18193 T0:cpuid.18194",
     "start(t0)@0:T0:cpuid.18193 stop(t0)@1:T0:cpuid.18194"},
    {"P1",
     {"start:pcontrol:solve:count2,stop:pcontrol:end,repeat"},
     "T0:pc.solve T0:pc.end T0:pc.solve T0:pc.end T0:pc.solve T0:pc.solve T0:pc.end",
     "start(t0)@2:T0:pc.solve stop(t0)@3:T0:pc.end start(t0)@5:T0:pc.solve stop(t0)@6:T0:pc.end"},
    {"I1",
     {"start:int3,stop:int3:count2"},
     "T0:int3 T0:int3 T0:int3",
     "start(t0)@0:T0:int3 stop(t0)@2:T0:int3"},
    {"D1",
     {"stop:timeout:2"},
     "T0:i1 T1:i1 T0:timeout.2 T1:timeout.2",
     "start(t0)*@0:T0:i1#1 start(t1)*@1:T1:i1#1 stop(t0)@2:T0:timeout.2 stop(t1)@3:T1:timeout.2"},
};

}  // namespace ovni::region::test
