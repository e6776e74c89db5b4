#include "model/mpi_event.hpp"

#include <algorithm>
#include <iterator>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Step = MpiStep;
using Field = MpiField;

template <class... Records>
constexpr uint64_t records(Records... all) {
    return ((uint64_t{1} << static_cast<unsigned>(all)) | ...);
}

// The fields of a payload behind the number of the function. The first row counts that has the step, the
// record of the function, and the length of the payload.
struct Layout {
    Step step;
    Field fields[4];
    uint64_t records;
};

constexpr uint64_t any_record = ~uint64_t{0};

constexpr Layout layouts[] = {
    {Step::enter,
     {Field::peer, Field::tag, Field::object, Field::request},
     records(MpiRecord::Send, MpiRecord::PostedSend, MpiRecord::Receive, MpiRecord::PostedReceive,
             MpiRecord::Exchange, MpiRecord::PostedExchange)},
    {Step::enter,
     {Field::peer, Field::tag, Field::object},
     records(MpiRecord::Probe, MpiRecord::PersistentSend, MpiRecord::PersistentReceive, MpiRecord::Send,
             MpiRecord::PostedSend, MpiRecord::Receive, MpiRecord::PostedReceive, MpiRecord::Exchange,
             MpiRecord::PostedExchange)},
    {Step::enter,
     {Field::request},
     records(MpiRecord::Completion, MpiRecord::RequestUse, MpiRecord::Start, MpiRecord::MatchedReceive,
             MpiRecord::PostedMatchedReceive)},
    {Step::enter, {Field::count}, records(MpiRecord::Completions, MpiRecord::Starts)},
    {Step::enter, {Field::root, Field::object, Field::bytes}, any_record},
    {Step::leave,
     {Field::bytes, Field::peer, Field::tag},
     records(MpiRecord::Send, MpiRecord::PostedSend, MpiRecord::Receive, MpiRecord::Exchange,
             MpiRecord::PostedExchange, MpiRecord::MatchedReceive)},
    {Step::leave, {Field::peer, Field::tag, Field::request}, records(MpiRecord::Probe)},
    {Step::leave,
     {Field::object},
     records(MpiRecord::CommunicatorMaker, MpiRecord::SpawnMaker, MpiRecord::WindowMaker,
             MpiRecord::FileMaker)},
    {Step::leave, {Field::bytes, Field::request}, any_record},
    {Step::leave, {Field::bytes}, any_record},
    {Step::posts, {Field::request}, any_record},
    {Step::send_started, {Field::peer, Field::tag, Field::object, Field::request}, any_record},
    {Step::receive_started, {Field::peer, Field::tag, Field::object, Field::request}, any_record},
    {Step::started, {Field::request, Field::start, Field::made}, any_record},
    {Step::request_ended, {Field::request, Field::how}, any_record},
    {Step::message, {Field::bytes, Field::peer, Field::tag}, any_record},
    {Step::bytes, {Field::bytes}, any_record},
    {Step::site, {Field::site}, any_record},
};

constexpr size_t steps = static_cast<size_t>(Step::site) + 1;
constexpr size_t record_kinds = static_cast<size_t>(MpiRecord::Request) + 1;
constexpr size_t longest = 16;  // payload of an event that is not a jumbo
constexpr uint8_t number_size = sizeof(uint16_t);

constexpr uint8_t size_of(Field field, bool numbered) {
    if (field == Field::none) return 0;
    if (field == Field::bytes) return numbered ? MpiEvent::short_bytes : sizeof(uint64_t);
    return sizeof(uint32_t);
}

constexpr size_t size_of(const Layout& layout, bool numbered) {
    size_t size = numbered ? number_size : 0;
    for (Field field : layout.fields) size += size_of(field, numbered);
    return size;
}

constexpr MpiPlaces places_of(const Layout& layout, bool numbered) {
    MpiPlaces places;
    uint8_t at = numbered ? number_size : 0;
    places.bytes_size = size_of(Field::bytes, numbered);
    if (!numbered) places.first = static_cast<uint8_t>(layout.fields[0]);
    for (Field field : layout.fields) {
        if (field == Field::none) break;
        places.at[static_cast<size_t>(field)] = at;
        at = static_cast<uint8_t>(at + size_of(field, numbered));
    }
    return places;
}

// No details, then two for each layout: without and with a number.
constexpr auto all_places = [] {
    std::array<MpiPlaces, 1 + 2 * std::size(layouts)> all{};
    for (size_t i = 0; i < std::size(layouts); ++i)
        for (bool numbered : {false, true}) all[1 + 2 * i + numbered] = places_of(layouts[i], numbered);
    return all;
}();

// The index in all_places, by step, record, whether there is a number, and size of the payload.
using Choice = std::array<std::array<std::array<std::array<uint8_t, longest + 1>, 2>, record_kinds>, steps>;
constexpr Choice choice = [] {
    Choice all{};
    for (size_t i = std::size(layouts); i-- > 0;)
        for (size_t record = 0; record < record_kinds; ++record)
            for (bool numbered : {false, true})
                if (size_t size = size_of(layouts[i], numbered);
                    layouts[i].records >> record & 1 && size <= longest)
                    all[static_cast<size_t>(layouts[i].step)][record][numbered][size] =
                        static_cast<uint8_t>(1 + 2 * i + numbered);
    return all;
}();

struct Meaning {
    Step step = Step::other;
    uint16_t function = 0;  // in mpi_function_rows, from 1; 0: it is in the payload, or there is none
};

// An index from category and value; both are below 128.
constexpr unsigned code_bits = 7;
constexpr size_t place_of(EventCode code) {
    return static_cast<size_t>(code.category()) << code_bits | static_cast<size_t>(code.value());
}
constexpr auto meanings = [] {
    std::array<Meaning, size_t{1} << (2 * code_bits)> all{};
    for (size_t i = 0; i < std::size(mpi_function_rows); ++i) {
        const MpiFunctionRow& row = mpi_function_rows[i];
        auto own = static_cast<uint16_t>(row.number == 0 ? i + 1 : 0);
        all[place_of(row.enter)] = {Step::enter, own};
        all[place_of(row.leave)] = {Step::leave, own};
    }
    all[place_of(OVNI_MPI_POSTS)] = {Step::posts};
    all[place_of(OVNI_MPI_SEND_STARTED)] = {Step::send_started};
    all[place_of(OVNI_MPI_RECEIVE_STARTED)] = {Step::receive_started};
    all[place_of(OVNI_MPI_STARTED)] = {Step::started};
    all[place_of(OVNI_MPI_REQUEST_ENDED)] = {Step::request_ended};
    all[place_of(OVNI_MPI_MESSAGE)] = {Step::message};
    all[place_of(OVNI_MPI_BYTES)] = {Step::bytes};
    all[place_of(OVNI_MPI_SITE)] = {Step::site};
    return all;
}();

constexpr size_t first_further =
    static_cast<size_t>(std::ranges::find_if(mpi_function_rows, [](auto& row) { return row.number != 0; }) -
                        std::begin(mpi_function_rows));

const MpiFunctionRow* further_function(std::span<const uint8_t> payload) {
    uint16_t number = 0;
    if (payload.size() < sizeof number) return nullptr;
    std::memcpy(&number, payload.data(), sizeof number);
    bool known = number != 0 && first_further + number <= std::size(mpi_function_rows);
    return known ? &mpi_function_rows[first_further + number - 1] : nullptr;
}

}  // namespace

MpiEvent::MpiEvent(EventCode code, std::span<const uint8_t> payload)
    : payload_(payload.data()), places_(all_places.data()) {
    constexpr uint32_t model = 0xff, beyond = 0x808000;
    if ((code.bits() & (model | beyond)) != 'M') return;
    const Meaning& meaning = meanings[place_of(code)];
    bool of_function = meaning.step == Step::enter || meaning.step == Step::leave;
    bool numbered = of_function && meaning.function == 0;
    if (meaning.function != 0)
        function_ = &mpi_function_rows[meaning.function - 1];
    else if (numbered && !(function_ = further_function(payload)))
        return;
    step_ = meaning.step;
    if (payload.empty() || payload.size() > longest) return;
    MpiRecord record = function_ ? function_->record : MpiRecord::Plain;
    places_ += choice[static_cast<size_t>(step_)][static_cast<size_t>(record)][numbered][payload.size()];
}

}  // namespace ovni
