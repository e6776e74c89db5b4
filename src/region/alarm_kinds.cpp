#include "region/alarm_kinds.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/function_choice.hpp"

namespace ovni::region {

namespace {

using Fields = std::span<const Piece>;
constexpr uint64_t ns_per_second = 1'000'000'000;
constexpr uint64_t largest_word = std::numeric_limits<uint32_t>::max();

bool is_hexadecimal(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool are_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Lower case digits, without a leading 0x.
std::optional<std::string> hexadecimal_digits(std::string text) {
    if (text.starts_with("0x") || text.starts_with("0X")) text.erase(0, 2);
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_hexadecimal)) return {};
    for (char& c : text)
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

void set_text(Alarm& alarm, std::string text) {
    alarm.text = std::move(text);
    alarm.value = hash_of(alarm.text);
}

Fault read_word(const Reading& reading, const Piece& field, std::string_view what, uint64_t& number) {
    if (Fault fault = read_number(reading, field, what, number)) return fault;
    if (number > largest_word) return reading.wrong(field, std::string(what).append(": more than 32 bits"));
    return {};
}

Fault read_icount(const Reading& reading, Fields fields, Alarm& alarm) {
    if (Fault fault = read_number(reading, fields[0], "icount", alarm.value)) return fault;
    if (alarm.value < 1) return reading.wrong(fields[0], "icount must be >=1");
    return {};
}

Fault read_uniform(const Reading& reading, Fields fields, Alarm& alarm) {
    Sampling& sampling = alarm.sampling;
    const std::array<uint64_t*, 3> numbers = {&sampling.period, &sampling.length, &sampling.samples};
    for (size_t i = 0; i < numbers.size(); ++i)
        if (Fault fault = read_number(reading, fields[i], "uniform", *numbers[i])) return fault;
    if (sampling.period < sampling.length || sampling.length < 1 || sampling.samples < 1)
        return reading.wrong(fields[0], "uniform: need period>=length>=1, count>=1");
    if (sampling.period > largest_target || sampling.samples > largest_target)
        return reading.wrong(fields[0], "uniform: too large");
    return {};
}

Fault read_address(const Reading& reading, Fields fields, Alarm& alarm) {
    const Piece& field = fields[0];
    std::string text = field.text();
    if (text.starts_with("0x") || text.starts_with("0X")) {
        alarm.address_form = AddressForm::absolute;
        return read_number(reading, field, "address", alarm.value);
    }
    std::optional<size_t> plus = field.find_last('+');
    uint64_t offset = 0;
    if (plus && read_number(field.from(*plus + 1).text(), offset) == Number::good) {
        if (*plus == 0) return reading.wrong(field, "address: no image before the '+'");
        alarm.address_form = AddressForm::in_image;
        alarm.text = field.until(*plus).text();
        alarm.value = offset;
        return {};
    }
    alarm.address_form = AddressForm::symbol;
    set_text(alarm, std::move(text));
    return {};
}

Fault read_ssc(const Reading& reading, Fields fields, Alarm& alarm) {
    constexpr size_t most_digits = 8;
    std::optional<std::string> digits = hexadecimal_digits(fields[0].text());
    if (!digits || digits->size() > most_digits) return reading.wrong(fields[0], "ssc: 1..8 hex digits");
    read_number("0x" + *digits, alarm.value);
    return {};
}

Fault read_itext(const Reading& reading, Fields fields, Alarm& alarm) {
    constexpr size_t most_bytes = 15;
    std::optional<std::string> digits = hexadecimal_digits(fields[0].text());
    if (!digits || digits->size() % 2 != 0 || digits->size() > 2 * most_bytes)
        return reading.wrong(fields[0], "itext: 1..15 bytes of hex");
    set_text(alarm, std::move(*digits));
    return {};
}

Fault unknown(const Reading& reading, const Piece& field, Error::Name name, std::string_view what) {
    Fault fault = reading.wrong(field, "unknown " + std::string(what) + " '" + field.text() + "'");
    fault->unknown_name = field.text();
    fault->unknown = name;
    return fault;
}

// False if names are looked up, and it is none of them.
bool read_capitals(const Piece& field, std::span<const std::string_view> known, Alarm& alarm) {
    std::string name = field.text();
    for (char& c : name)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    set_text(alarm, std::move(name));
    return known.empty() || std::ranges::find(known, alarm.text) != known.end();
}

Fault read_extension(const Reading& reading, Fields fields, Alarm& alarm) {
    if (read_capitals(fields[0], reading.known.isa_extensions, alarm)) return {};
    return unknown(reading, fields[0], Error::Name::isa_extension, "extension of the instruction set");
}

Fault read_category(const Reading& reading, Fields fields, Alarm& alarm) {
    if (read_capitals(fields[0], reading.known.isa_categories, alarm)) return {};
    return unknown(reading, fields[0], Error::Name::isa_category, "category of instructions");
}

Fault read_count(const Reading& reading, Fields fields, Alarm& alarm) {
    if (Fault fault = read_number(reading, fields[0], "count", alarm.count)) return fault;
    if (alarm.count < 1) return reading.wrong(fields[0], "count must be >=1");
    return {};
}

Fault read_cpuid(const Reading& reading, Fields fields, Alarm& alarm) {
    std::vector<Piece> parts = split(fields[0], '.');
    if (parts.size() > 2) return reading.wrong(fields[0], "cpuid: leaf or leaf.subleaf");
    if (Fault fault = read_word(reading, parts[0], "cpuid", alarm.value)) return fault;
    if (parts.size() == 1) return {};
    uint64_t subleaf = 0;
    if (Fault fault = read_word(reading, parts[1], "cpuid", subleaf)) return fault;
    alarm.detail_rule = DetailRule::equal;
    alarm.detail = static_cast<int64_t>(subleaf);
    return {};
}

Fault read_magic(const Reading& reading, Fields fields, Alarm& alarm) {
    std::vector<Piece> parts = split(fields[0], '.');
    if (parts.size() != 2) return reading.wrong(fields[0], "magic: int.int");
    std::array<uint64_t, 2> numbers{};
    for (size_t i = 0; i < numbers.size(); ++i)
        if (Fault fault = read_word(reading, parts[i], "magic", numbers[i])) return fault;
    alarm.value = magic_value(static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1]));
    return {};
}

// The level behind the '@' at `at`; nothing if there is none.
std::optional<int64_t> level_at(const Piece& field, size_t at) {
    std::string text = field.from(at + 1).text();
    bool is_negative = text.starts_with('-');
    uint64_t level = 0;
    if (read_number(std::string_view(text).substr(is_negative ? 1 : 0), level) != Number::good) return {};
    if (level > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return {};
    return is_negative ? -static_cast<int64_t>(level) : static_cast<int64_t>(level);
}

Fault read_pcontrol(const Reading& reading, Fields fields, Alarm& alarm) {
    Piece name = fields[0];
    alarm.detail_rule = DetailRule::neither_0_nor_2;
    if (std::optional<size_t> at = name.find_last('@')) {
        if (std::optional<int64_t> level = level_at(name, *at)) {
            alarm.detail_rule = DetailRule::equal;
            alarm.detail = *level;
            name = name.until(*at);
        }
    }
    if (name.is_empty()) return reading.wrong(fields[0], "pcontrol: missing value");
    set_text(alarm, name.text());
    return {};
}

Fault read_name(const Reading&, Fields fields, Alarm& alarm) {
    set_text(alarm, fields[0].text());
    return {};
}

Fault read_mpi(const Reading& reading, Fields fields, Alarm& alarm) {
    constexpr size_t prefix = 4;
    alarm.text = fields[0].text();
    const std::span<const std::string_view> known = reading.known.mpi_functions;
    if (known.empty()) return {};
    for (size_t i = 0; i < known.size(); ++i) {
        std::string_view name = known[i];
        if (!same_letters(alarm.text, name) && !same_letters(alarm.text, name.substr(prefix))) continue;
        alarm.value = i;
        return {};
    }
    return unknown(reading, fields[0], Error::Name::mpi_function, "MPI function");
}

Fault read_slow_call(const Reading& reading, Fields fields, Alarm& alarm) {
    struct Unit {
        std::string_view name;
        uint64_t ns;
    };
    constexpr std::array<Unit, 4> units = {
        {{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", ns_per_second}}};
    if (Fault fault = read_mpi(reading, fields, alarm)) return fault;
    std::string text = fields[1].text();
    std::string_view name =
        std::string_view(text).substr(std::min(text.find_first_not_of("0123456789"), text.size()));
    std::string_view digits = std::string_view(text).substr(0, text.size() - name.size());
    uint64_t number = 0;
    const auto* unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& row) { return row.name == name; });
    if (unit == units.end() || read_number(digits, number) != Number::good)
        return reading.wrong(fields[1], "slowcall: a duration is digits and ns, us, ms or s");
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / unit->ns)
        return reading.wrong(fields[1], "slowcall: duration too long");
    alarm.detail_rule = DetailRule::at_least;
    alarm.detail = static_cast<int64_t>(number * unit->ns);
    return {};
}

// Seconds with a fraction; digits below a nanosecond are cut off.
Fault read_timeout(const Reading& reading, Fields fields, Alarm& alarm) {
    constexpr size_t digits_of_ns = 9;
    constexpr uint64_t longest = 9'000'000'000;
    std::string text = fields[0].text();
    size_t point = std::min(text.find('.'), text.size());
    std::string seconds = text.substr(0, point);
    std::string fraction = point < text.size() ? text.substr(point + 1) : "0";
    if (!are_digits(seconds) || !are_digits(fraction))
        return reading.wrong(fields[0], "timeout: not a number of seconds");
    fraction.resize(digits_of_ns, '0');
    uint64_t whole = 0;
    uint64_t ns = 0;
    if (read_number(seconds, whole) != Number::good || whole > longest)
        return reading.wrong(fields[0], "timeout: too long");
    read_number(fraction, ns);
    alarm.value = whole * ns_per_second + ns;
    return {};
}

using enum BackEnd;
constexpr KindRow rows[] = {
    {AlarmKind::icount, "icount", code_library, 1, read_icount},
    {AlarmKind::uniform, "uniform", code_library, 3, read_uniform},
    {AlarmKind::address, "address", code_library, 1, read_address},
    {AlarmKind::ssc, "ssc", code_library, 1, read_ssc},
    {AlarmKind::itext, "itext", code_library, 1, read_itext},
    {AlarmKind::isa_extension, "isa-extension", code_library, 1, read_extension},
    {AlarmKind::isa_category, "isa-category", code_library, 1, read_category},
    {AlarmKind::int3, "int3", code_library, 0, read_count},
    {AlarmKind::cpuid, "cpuid", code_library, 1, read_cpuid},
    {AlarmKind::magic, "magic", code_library, 1, read_magic},
    {AlarmKind::pcontrol, "pcontrol", present, 1, read_pcontrol},
    {AlarmKind::enter_function, "enter_func", code_library, 1, read_name},
    {AlarmKind::exit_function, "exit_func", code_library, 1, read_name},
    {AlarmKind::mpi, "mpi", present, 1, read_mpi},
    {AlarmKind::slow_call, "slowcall", present, 2, read_slow_call},
    {AlarmKind::interactive, "interactive", present, 0, read_count},
    {AlarmKind::timeout, "timeout", present, 1, read_timeout},
};

constexpr bool is_one_row_per_kind() {
    for (size_t i = 0; i < std::size(rows); ++i)
        if (static_cast<size_t>(rows[i].kind) != i) return false;
    return std::size(rows) == kind_count;
}
static_assert(is_one_row_per_kind(), "a row for each AlarmKind, in its order");

}  // namespace

Error Reading::wrong(const Piece& place, std::string what) const noexcept {
    return {std::move(what), std::string(source), place.offset};
}

std::span<const KindRow, kind_count> kind_rows() noexcept {
    return rows;
}

const KindRow& row_of(AlarmKind kind) noexcept {
    return rows[static_cast<size_t>(kind)];
}

Fault read_number(const Reading& reading, const Piece& field, std::string_view what,
                  uint64_t& number) noexcept {
    std::string text = field.text();
    switch (read_number(text, number)) {
        case Number::good:
            return {};
        case Number::too_large:
            return reading.wrong(field, std::string(what) + ": too large: '" + text + "'");
        case Number::none:
            break;
    }
    return reading.wrong(field, std::string(what) + ": not a number: '" + text + "'");
}

}  // namespace ovni::region
