#include "sink/paraver/mpi_prv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>

#include "model/paraver_mpi.hpp"
#include "mpi_function_rows.hpp"
#include "sink/paraver/prv_text.hpp"

namespace ovni {

namespace {

static_assert(ShownInMpi::functions >= std::size(mpi_function_rows));

constexpr uint32_t function_type = 25;  // of thread.prv
constexpr uint64_t most_bytes = INT32_MAX;
// Another tool sees a burst there if a 2 follows.
constexpr std::string_view trap = "40000018:";

}  // namespace

std::string mpi_prv_header(const MpiPlan::File& file, int64_t end, std::optional<int64_t> began) {
    std::string text = fmt::format("#Paraver ({}):{:020}_ns:{}(", prv_date(began), end, file.nodes.size());
    auto to = std::back_inserter(text);
    auto put_list = [&](const auto& items, auto put) {
        for (size_t i = 0; i < items.size(); ++i) {
            if (i > 0) text += ',';
            put(items[i]);
        }
    };
    put_list(file.nodes, [&](const MpiPlan::Node& node) { fmt::format_to(to, "{}", node.threads); });
    fmt::format_to(to, "):1:{}(", file.tasks.size());
    put_list(file.tasks,
             [&](const MpiPlan::Task& task) { fmt::format_to(to, "{}:{}", task.threads, task.node + 1); });
    fmt::format_to(to, "),{}\n", file.communicators.size());
    for (size_t c = 0; c < file.communicators.size(); ++c) {
        fmt::format_to(to, "c:1:{}:{}", c + 1, file.communicators[c].size());
        for (uint32_t task : file.communicators[c]) fmt::format_to(to, ":{}", task);
        text += '\n';
    }
    return text;
}

// One line after the other, in memory that has room for them.
class MpiPrvText::Line {
 public:
    explicit Line(std::span<char, slack> room) : begin_(room.data()), out_(room.data()) {}

    Line& text(std::string_view text) {
        if (text.front() == '2' && is_trap()) *out_++ = '0';
        std::memcpy(out_, text.data(), text.size());
        out_ += text.size();
        return *this;
    }
    Line& number(int64_t number) {
        std::array<char, 20> digits{};
        const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return text({digits.data(), static_cast<size_t>(end - digits.data())});
    }
    // "number:"
    Line& field(int64_t value) { return number(value).text(":"); }
    // "type:value", with a colon before it
    Line& pair(uint32_t type, int64_t value) { return text(":").field(type).number(value); }
    Line& bytes(uint32_t type, uint64_t bytes) {
        return pair(type, static_cast<int64_t>(std::min(bytes, most_bytes)));
    }
    size_t size() const { return static_cast<size_t>(out_ - begin_); }

 private:
    bool is_trap() const { return std::string_view(begin_, size()).ends_with(trap); }

    char* begin_;
    char* out_;
};

MpiPrvText::MpiPrvText(const MpiPlan& plan, States states)
    : plan_(plan), states_(states), shown_(plan.files.size()) {
    for (const MpiPlan::Thread& thread : plan.threads)
        threads_.push_back(fmt::format("{}:1:{}:{}:", thread.cpu + 1, thread.task + 1, thread.thread + 1));
}

size_t MpiPrvText::format(const MpiCall& call, std::span<char, slack> room) {
    Line line(room);
    const int64_t time = std::max(call.time, int64_t{0});
    const std::string& thread = threads_[call.thread];
    ShownInMpi& shown = shown_[plan_.threads[call.thread].file];
    last_time_ = std::max(last_time_, time);
    if (states_ == States::shown && call.state_end > time) {
        last_time_ = std::max(last_time_, call.state_end);
        line.text("1:").text(thread).field(time).field(call.state_end);
        line.number(static_cast<int64_t>(call.state)).text("\n");
    }
    if (call.lacks_init != 0) {
        shown.is_init_made_up = 1;
        for (uint16_t value : {paraver_mpi::init, uint16_t{0}})
            line.text("2:").text(thread).number(time).pair(paraver_mpi::other, value).text("\n");
    }
    if (call.tracing != MpiCall::Tracing::goes_on) shown.has_gaps = 1;
    if (call.step == MpiCall::Step::none && call.tracing == MpiCall::Tracing::goes_on) return line.size();
    if (call.step != MpiCall::Step::none)
        shown.called[call.function / 64] |= uint64_t{1} << call.function % 64;
    line.text("2:").text(thread).number(time);
    put_event(line, call);
    line.text("\n");
    return line.size();
}

void MpiPrvText::put_event(Line& line, const MpiCall& call) {
    const bool enters = call.step == MpiCall::Step::enter;
    if (call.step != MpiCall::Step::none) {
        const ParaverFunction& function = paraver_function(call.function);
        if (function.type != 0) line.pair(function.type, enters ? function.number : 0);
        line.pair(function_type, enters ? function_value(call.function) : 0);
        if (enters) put_details(line, call);
    }
    if (call.tracing != MpiCall::Tracing::goes_on)
        line.pair(paraver_mpi::tracing, call.tracing == MpiCall::Tracing::starts);
}

void MpiPrvText::put_details(Line& line, const MpiCall& call) const {
    switch (mpi_function_rows[call.function].record) {
        case MpiRecord::Collective:
            line.bytes(paraver_mpi::bytes_sent, call.sent);
            line.bytes(paraver_mpi::bytes_received, call.received);
            if (call.root == MpiCall::Root::yes) line.pair(paraver_mpi::is_root, 1);
            if (call.communicator != 0) line.pair(paraver_mpi::communicator, call.communicator);
            return;
        case MpiRecord::OneSided:
            line.bytes(paraver_mpi::one_sided_bytes, std::max(call.sent, call.received));
            line.pair(paraver_mpi::one_sided_target, call.target);
            return;
        case MpiRecord::Transfer:
            line.bytes(paraver_mpi::io_bytes, std::max(call.sent, call.received));
            return;
        default:
            return;
    }
}

size_t MpiPrvText::format(const Record& record, std::span<char, slack> room) {
    Line line(room);
    last_time_ = std::max(last_time_, record.time);
    ShownInMpi& shown = shown_[plan_.thread_of(record.thread_row)->file];
    if (record.value != 0 && record.type == prv_type::critical_path) shown.has_path = 1;
    if (record.value != 0 && record.type == prv_type::wait_state) shown.waits |= uint64_t{1} << record.value;
    line.text("2:").text(threads_[plan_.thread_of_row[record.thread_row]]).number(record.time);
    line.pair(record.type, record.value).text("\n");
    return line.size();
}

size_t MpiPrvText::format(const MessageRecord& message, std::span<char, slack> room) {
    Line line(room);
    last_time_ = std::max({last_time_, message.send_end, message.receive_begin, message.receive_end});
    line.text("3:").text(threads_[plan_.thread_of_row[message.sender_row]]);
    line.field(message.time).field(message.send_end);
    line.text(threads_[plan_.thread_of_row[message.receiver_row]]);
    line.field(message.receive_begin).field(message.receive_end);
    line.field(static_cast<int64_t>(std::min(message.bytes, most_bytes))).number(message.tag).text("\n");
    return line.size();
}

}  // namespace ovni
