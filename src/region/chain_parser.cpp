#include "region/chain_parser.hpp"

#include <array>
#include <limits>

#include "region/alarm_kinds.hpp"

namespace ovni::region {

namespace {

struct OtherSpelling {
    std::string_view name;
    AlarmKind kind;
};
constexpr std::string_view misspelled = "addres";
constexpr std::array<OtherSpelling, 3> other_spellings = {{
    {"isa_extension", AlarmKind::isa_extension},
    {"isa_category", AlarmKind::isa_category},
    {misspelled, AlarmKind::address},
}};

std::optional<Event> find_event(std::string_view name) {
    for (Event event : {Event::start, Event::stop, Event::thread_id, Event::precondition})
        if (name == name_of(event)) return event;
    return {};
}

std::optional<AlarmKind> find_kind(std::string_view name) {
    for (const KindRow& row : kind_rows())
        if (row.name == name && row.kind != AlarmKind::uniform) return row.kind;
    for (const OtherSpelling& row : other_spellings)
        if (row.name == name) return row.kind;
    return {};
}

bool is_counted(AlarmKind kind) {
    return kind == AlarmKind::int3 || kind == AlarmKind::interactive;
}

bool begins_with_number(std::string_view text) {
    return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// The modifiers that an alarm has already; each may stand once.
struct Given {
    bool count = false;
    bool thread = false;
    bool broadcast = false;
    bool global = false;
};

class ChainParser {
 public:
    ChainParser(Reading reading, Chain& chain, std::vector<std::string>& warnings)
        : reading_(reading), chain_(chain), warnings_(warnings) {}

    Fault element(const Piece& piece);

 private:
    enum class Meaning : uint8_t { something_else, understood };

    Fault alarm(const Piece& piece);
    Fault head_of_uniform(std::span<const Piece> fields, size_t& used);
    Fault head_of_alarm(std::span<const Piece> fields, size_t& used);
    Fault value(std::span<const Piece> fields, size_t& used);
    Fault modifier(const Piece& field, Meaning& meaning);
    Fault number_of(const Piece& field, std::string_view what, uint64_t& number);
    Fault once(bool& given, const Piece& field, std::string_view what);
    Fault agrees(const Piece& field);
    Fault chain_token(const Piece& piece, Meaning& meaning);
    Fault repeat(const Piece& piece, const Piece& value);
    Fault name(const Piece& piece, const Piece& value, std::string_view what, std::string& target);

    Reading reading_;
    Chain& chain_;
    std::vector<std::string>& warnings_;
    Given given_;
    bool has_repeat_ = false;
};

Fault ChainParser::once(bool& given, const Piece& field, std::string_view what) {
    if (given) return reading_.wrong(field, std::string(what) + " is given twice");
    given = true;
    return {};
}

Fault ChainParser::number_of(const Piece& field, std::string_view what, uint64_t& number) {
    return read_number(reading_, field.from(what.size()), what, number);
}

Fault ChainParser::modifier(const Piece& field, Meaning& meaning) {
    std::string text = field.text();
    Alarm& last = chain_.alarms.back();
    meaning = Meaning::understood;
    if (text == "bcast") {
        last.is_broadcast = true;
        return once(given_.broadcast, field, "bcast");
    }
    if (text == "global") {
        last.is_global = true;
        return once(given_.global, field, "global");
    }
    if (text.starts_with("count") && begins_with_number(std::string_view(text).substr(5))) {
        if (last.kind == AlarmKind::uniform)
            return reading_.wrong(field, "uniform has its count as the third number");
        if (Fault fault = once(given_.count, field, "count")) return fault;
        if (Fault fault = number_of(field, "count", last.count)) return fault;
        if (last.count < 1) return reading_.wrong(field, "count must be >=1");
        return {};
    }
    if (text.starts_with("tid") && begins_with_number(std::string_view(text).substr(3))) {
        uint64_t number = 0;
        if (Fault fault = once(given_.thread, field, "tid")) return fault;
        if (Fault fault = number_of(field, "tid", number)) return fault;
        if (number >= std::numeric_limits<uint32_t>::max()) return reading_.wrong(field, "tid: too large");
        last.thread = static_cast<uint32_t>(number);
        return {};
    }
    meaning = Meaning::something_else;
    return {};
}

// Called after each modifier, as they come in any order.
Fault ChainParser::agrees(const Piece& field) {
    const Alarm& last = chain_.alarms.back();
    if (last.is_global && last.thread) return reading_.wrong(field, "global and tid are mutually exclusive");
    uint64_t each = last.kind == AlarmKind::icount ? last.value : 1;
    if (last.count > largest_target / each) return reading_.wrong(field, "counts too far");
    return {};
}

Fault ChainParser::value(std::span<const Piece> fields, size_t& used) {
    Alarm& last = chain_.alarms.back();
    size_t wanted = row_of(last.kind).fields;
    if (is_counted(last.kind) && !fields.empty() && begins_with_number(fields[0].text())) {
        given_.count = true;
        wanted = 1;
    }
    used += wanted;
    for (size_t i = 0; i < wanted; ++i) {
        if (i < fields.size() && !fields[i].is_empty()) continue;
        Piece end{{}, reading_.source.size()};
        return reading_.wrong(i < fields.size() ? fields[i] : end,
                              std::string(row_of(last.kind).name) + ": missing value");
    }
    return wanted == 0 ? Fault() : row_of(last.kind).read(reading_, fields.first(wanted), last);
}

Fault ChainParser::head_of_uniform(std::span<const Piece> fields, size_t& used) {
    Alarm& last = chain_.alarms.back();
    last.kind = AlarmKind::uniform;
    last.is_broadcast = true;
    used = 1;
    if (fields.size() < 4) return reading_.wrong(fields[0], "uniform:<period>:<length>:<count>");
    return value(fields.subspan(used), used);
}

Fault ChainParser::head_of_alarm(std::span<const Piece> fields, size_t& used) {
    Alarm& last = chain_.alarms.back();
    std::optional<Event> event = find_event(fields[0].text());
    if (!event) return reading_.wrong(fields[0], "unknown event '" + fields[0].text() + "'");
    last.event = *event;
    if (fields.size() < 2) return reading_.wrong(fields[0], "missing alarm type");
    std::string type = fields[1].text();
    std::optional<AlarmKind> kind = find_kind(type);
    if (!kind) return reading_.wrong(fields[1], "unknown alarm type '" + type + "'");
    last.kind = *kind;
    if (type == misspelled)
        warnings_.push_back(reading_.wrong(fields[1], "'addres' is read as 'address'").message());
    used = 2;
    return value(fields.subspan(used), used);
}

Fault ChainParser::alarm(const Piece& piece) {
    std::vector<Piece> fields = split(piece, ':');
    chain_.alarms.emplace_back().offset = piece.offset;
    given_ = {};
    size_t used = 0;
    bool is_uniform = fields[0].text() == row_of(AlarmKind::uniform).name;
    Fault fault = is_uniform ? head_of_uniform(fields, used) : head_of_alarm(fields, used);
    if (fault) return fault;
    for (const Piece& field : std::span(fields).subspan(used)) {
        Meaning meaning{};
        if ((fault = modifier(field, meaning))) return fault;
        if (meaning == Meaning::something_else)
            return reading_.wrong(field, "unknown token '" + field.text() + "'");
        if ((fault = agrees(field))) return fault;
    }
    return agrees(piece);
}

Fault ChainParser::repeat(const Piece& piece, const Piece& value) {
    if (Fault fault = once(has_repeat_, piece, "repeat")) return fault;
    chain_.repeat = endless;
    if (value.is_empty()) return {};
    if (Fault fault = read_number(reading_, value, "repeat", chain_.repeat)) return fault;
    if (chain_.repeat == endless) return reading_.wrong(value, "repeat must be >=1");
    return {};
}

Fault ChainParser::name(const Piece& piece, const Piece& value, std::string_view what, std::string& target) {
    if (value.is_empty()) return reading_.wrong(piece, std::string(what) + ": missing value");
    if (!target.empty()) return reading_.wrong(piece, "duplicate " + std::string(what));
    target = value.text();
    return {};
}

// repeat3 repeat:3 repeat, namex name:x, waitforx waitfor:x
Fault ChainParser::chain_token(const Piece& piece, Meaning& meaning) {
    constexpr std::array<std::string_view, 3> tokens = {"repeat", "name", "waitfor"};
    std::vector<Piece> fields = split(piece, ':');
    std::string head = fields[0].text();
    for (std::string_view token : tokens) {
        if (!head.starts_with(token)) continue;
        bool is_bare = head.size() == token.size();
        if (fields.size() > (is_bare ? 2 : 1)) continue;
        Piece value = is_bare && fields.size() == 2 ? fields[1] : fields[0].from(token.size());
        if (token == "repeat" && !is_bare && !begins_with_number(value.text())) continue;
        if (token == "repeat" && fields.size() == 2 && value.is_empty())
            return reading_.wrong(piece, "repeat: missing value");
        meaning = Meaning::understood;
        if (token == "repeat") return repeat(piece, value);
        bool is_name = token == "name";
        (is_name ? chain_.name_offset : chain_.waits_for_offset) = value.offset;
        return name(piece, value, token, is_name ? chain_.name : chain_.waits_for);
    }
    return {};
}

Fault ChainParser::element(const Piece& piece) {
    if (piece.is_empty()) return reading_.wrong(piece, "empty element");
    Meaning meaning = Meaning::something_else;
    if (Fault fault = chain_token(piece, meaning); fault || meaning == Meaning::understood) return fault;
    if (chain_.alarms.empty()) {
        chain_.alarms.emplace_back();
        Fault fault = modifier(piece, meaning);
        chain_.alarms.clear();
        given_ = {};
        if (fault || meaning == Meaning::understood)
            return reading_.wrong(piece, "modifier before any alarm");
        return alarm(piece);
    }
    if (Fault fault = modifier(piece, meaning)) return fault;
    return meaning == Meaning::understood ? agrees(piece) : alarm(piece);
}

}  // namespace

Fault parse_chain(std::string_view text, const KnownNames& known, Chain& chain,
                  std::vector<std::string>& warnings) noexcept {
    std::vector<Letter> letters;
    chain = {};
    chain.source = text;
    if (Fault fault = read_letters(text, letters)) return fault;
    Reading reading{text, known};
    ChainParser parser(reading, chain, warnings);
    for (const Piece& piece : split({letters, 0}, ','))
        if (Fault fault = parser.element(piece)) return fault;
    if (chain.alarms.empty()) return reading.wrong({}, "chain without alarm");
    return {};
}

}  // namespace ovni::region
