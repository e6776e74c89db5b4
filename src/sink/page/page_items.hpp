// Items of the data of a page. Each rank makes a part of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/ranks.hpp"

namespace ovni {

// Collective. The items of all ranks on rank 0, in the order of ranks; elsewhere none.
inline nlohmann::ordered_json gather_items(const Ranks& ranks, const nlohmann::ordered_json& mine) {
    using Json = nlohmann::ordered_json;
    if (ranks.is_alone()) return mine;
    Json all = Json::array();
    for (const std::string& of_rank : ranks.gather(mine.dump()))
        for (Json& item : Json::parse(of_rank)) all.push_back(std::move(item));
    return all;
}

}  // namespace ovni
