#include "draw/layout.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

#include "base/id_set.h"
#include "world/names.h"

namespace hapax {
namespace {

using Kind = Happening::Kind;
using Step = std::span<const Happening>;
using Arrow = Layout::Arrow;
using Bar = Layout::Bar;
using Mark = Layout::Mark;

bool has(Step step, std::initializer_list<Kind> kinds) {
  return std::any_of(step.begin(), step.end(), [&](const Happening& h) {
    return std::find(kinds.begin(), kinds.end(), h.kind) != kinds.end();
  });
}

// What a diagram has room for: "reads $1000", "write refused".
std::string storage_label(const Happening& h, const std::string& name) {
  if (h.refused)
    return h.text.find(" write ") == std::string::npos ? "read refused" : "write refused";
  return h.text.substr(name.size() + 1, h.text.find(" with ") - name.size() - 1);
}

// "the account holds $1000, behind a gate": an account of $1000, gated.
std::string account_label(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::size_t amount = std::min(text.find('$'), comma);
  return "account: " + text.substr(amount, comma - amount) + (comma < text.size() ? ", gated" : "");
}

// A generation of tokens is worth 2^40 turns; a diagram says so rather than 1099511627777.
std::string short_number(const std::string& digits) {
  constexpr int kBits = 40;
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc{} || end != digits.data() + digits.size() || value >> kBits == 0) {
    return digits;
  }
  const std::uint64_t rest = value & ((std::uint64_t{1} << kBits) - 1);
  const std::uint64_t times = value >> kBits;
  return (times == 1 ? "" : fmt::format("{}·", times)) + "2⁴⁰" +
         (rest == 0 ? "" : fmt::format("+{}", rest));
}

std::string short_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == i) {
      out += text[i++];
    } else {
      out += short_number(text.substr(i, end - i));
      i = end;
    }
  }
  return out;
}

// TOKEN(PRIVILEGE([], [], 0)): what is in a message by itself needs no name of its own.
std::string without_inner_name(std::string text) {
  const std::size_t outer = text.find('(');
  const std::size_t inner = outer == std::string::npos ? outer : text.find('(', outer + 1);
  if (inner == std::string::npos || !text.ends_with("))")) return text;
  for (std::size_t i = outer + 1; i < inner; ++i) {
    if (text[i] < 'A' || text[i] > 'Z') return text;
  }
  text.pop_back();
  return text.erase(outer + 1, inner - outer);
}

class Builder {
 public:
  Builder(const Chronicle& chronicle, Packing packing)
      : packing_(packing), names_(chronicle.names), clocks_(chronicle.names.size()) {
    layout_.algorithm = chronicle.algorithm;
    layout_.names = chronicle.names;
    const std::vector<Happening>& all = chronicle.happenings;
    for (std::size_t from = 0; from < all.size();) {
      std::size_t to = from;
      while (to < all.size() && all[to].step == all[from].step) ++to;
      add(Step{all}.subspan(from, to - from));
      from = to;
    }
    finish();
  }

  Layout take() { return std::move(layout_); }

 private:
  void add(Step step) {
    if (step.front().kind == Kind::comment) {
      caption_ = step.front().text;
      return;
    }
    // Nobody but the keeper of a token does anything as all start.
    if (step.size() == 1 && step.front().text == "start") return;
    // A loss or a copy happens on the way, beside the rows of the nodes.
    const bool on_the_way = has(step, {Kind::lost, Kind::copied});
    if (packing_ == Packing::one_step_a_row || !on_the_way) place(step);
    for (const Happening& h : step) add(h);
    if (!on_the_way && step.front().node) mark(step);
  }

  // Chooses the row of a step.
  void place(Step step) {
    const bool alone = !step.front().node || has(step, {Kind::storage, Kind::crash});
    const bool turns = has(step, {Kind::enter, Kind::leave, Kind::leader, Kind::violation});
    const bool is_told = !caption_.empty();
    if (layout_.rows == 0 || packing_ == Packing::one_step_a_row || alone || closed_ || is_told ||
        (turns && turned_) || busy_.contains(*step.front().node) || is_caused_here(step)) {
      layout_.steps.push_back(step.front().step);
      ++layout_.rows;
      busy_.clear();
      turned_ = false;
    }
    closed_ = alone;
    turned_ = turned_ || turns;
    if (step.front().node) busy_.insert(*step.front().node);
    if (is_told) layout_.captions.push_back({row(), std::exchange(caption_, {})});
  }

  bool is_caused_here(Step step) const {
    return std::any_of(step.begin(), step.end(), [&](const Happening& h) {
      return h.kind == Kind::receive && sent_.at(h.message).sent == row();
    });
  }

  void add(const Happening& h) {
    switch (h.kind) {
      case Kind::request:
        return begin(Bar::Kind::waiting, *h.node, {});
      case Kind::enter:
        end(*h.node);
        return enter(h);
      case Kind::leave:
        return end(*h.node);
      case Kind::leader:
        end(*h.node);
        if (h.peer == h.node) begin(Bar::Kind::leading, *h.node, "leads");
        return;
      case Kind::violation:
        for (const NodeId node : {*h.node, *h.peer}) {
          if (const auto bar = bars_.find(node); bar != bars_.end()) bar->second.violates = true;
        }
        return;
      case Kind::crash:
        crashed_.insert(*h.node);
        return end(*h.node);
      case Kind::send:
        sent_[h.message] = {*h.node, *h.peer,
                            row(),   row(),
                            h.step,  Arrow::Fate::under_way,
                            false,   numbers_in(short_message(h.text))};
        return;
      case Kind::copied:
        sent_[h.message] = sent_.at(h.original);
        sent_[h.message].is_copy = true;
        sent_[h.message].fate = Arrow::Fate::under_way;
        return;
      case Kind::receive:
        return arrive(h.message, Arrow::Fate::arrives);
      case Kind::lost:
        return arrive(h.message, h.text.ends_with("crashed") ? Arrow::Fate::lost_at_the_end
                                                             : Arrow::Fate::lost);
      case Kind::network:
        layout_.dividers.push_back({row(), h.text});
        return;
      case Kind::storage:
        if (!h.node) layout_.dividers.push_back({row(), account_label(h.text)});
        return;
      case Kind::told:
      case Kind::note:
      case Kind::defer:
      case Kind::reject:
      case Kind::comment:
        return;
    }
  }

  void mark(Step step) {
    Mark mark{.node = *step.front().node, .row = row()};
    for (const Happening& h : step) {
      if (h.kind == Kind::told && h.text != "start") {
        mark.kind = Mark::Kind::told;
        mark.label = h.text;
      }
      if (h.kind == Kind::defer && !is_answered(step, *h.peer)) mark.kind = Mark::Kind::deferred;
      if (h.kind == Kind::reject) {
        mark.kind = Mark::Kind::rejected;
        mark.label = "refuses";
      }
      if (h.kind == Kind::crash) mark.kind = Mark::Kind::crash;
      if (h.kind == Kind::storage) {
        mark.kind = h.refused ? Mark::Kind::refused : Mark::Kind::storage;
        mark.label = storage_label(h, names_.of(mark.node));
      }
      const bool says = h.kind == Kind::note || h.kind == Kind::reject ||
                        h.kind == Kind::violation || h.kind == Kind::storage;
      if (says) mark.reason += (mark.reason.empty() ? "" : "; ") + h.text;
    }
    const std::optional<Clock> clock = step.front().clock;
    if (clock && std::exchange(clocks_[number(mark.node)], clock) != clock &&
        mark.kind != Mark::Kind::told) {
      mark.clock = clock;
    }
    layout_.marks.push_back(std::move(mark));
  }

  // Shortened where room is scarce; not beside reasons, which give them in full.
  std::string numbers_in(const std::string& text) const {
    return packing_ == Packing::tight ? short_numbers(text) : text;
  }

  // A node queued and served in one step is not kept waiting; one that is told to wait is.
  static bool is_answered(Step step, NodeId peer) {
    return std::any_of(step.begin(), step.end(), [&](const Happening& h) {
      return h.kind == Kind::send && h.peer == peer && h.text != "DENIED" && h.text != "FAILED";
    });
  }

  void begin(Bar::Kind kind, NodeId node, std::string label) {
    bars_[node] = {kind, node, row(), row(), true, false, false, std::move(label)};
  }
  void enter(const Happening& h) {
    begin(Bar::Kind::inside, *h.node, h.fence ? numbers_in(fmt::format("{}", *h.fence)) : "");
    if (!h.fence) return;
    bars_[*h.node].stale = highest_ && !(*highest_ < *h.fence);
    highest_ = highest_ ? std::max(*highest_, *h.fence) : *h.fence;
  }
  void end(NodeId node) {
    const auto bar = bars_.find(node);
    if (bar == bars_.end()) return;
    bar->second.last = row();
    bar->second.open = false;
    layout_.bars.push_back(std::move(bar->second));
    bars_.erase(bar);
  }
  void arrive(MessageId id, Arrow::Fate fate) {
    Arrow& arrow = sent_.at(id);
    arrow.came = row();
    arrow.fate = fate;
  }

  void finish() {
    if (!caption_.empty()) {
      layout_.steps.push_back(layout_.steps.empty() ? 0 : layout_.steps.back() + 1);
      layout_.captions.push_back({layout_.rows++, caption_});
    }
    layout_.rows = std::max(layout_.rows, 1u);
    for (auto& [id, arrow] : sent_) {
      // Nobody is there to take it in.
      if (arrow.fate != Arrow::Fate::under_way || !crashed_.contains(arrow.to)) continue;
      arrow.came = row();
      arrow.fate = Arrow::Fate::lost_at_the_end;
    }
    const bool stuck = nothing_moves();
    for (auto& [node, bar] : bars_) {
      if (stuck && bar.kind == Bar::Kind::waiting) bar.label = "waits for ever";
      bar.last = row();
      layout_.bars.push_back(bar);
    }
    add_clashes();
    for (auto& [id, arrow] : sent_) {
      if (arrow.fate == Arrow::Fate::under_way) arrow.came = row();
      layout_.arrows.push_back(arrow);
    }
  }

  // Nobody is inside who could leave, and no message is under way.
  bool nothing_moves() const {
    return std::none_of(bars_.begin(), bars_.end(),
                        [](const auto& bar) { return bar.second.kind != Bar::Kind::waiting; }) &&
           std::none_of(sent_.begin(), sent_.end(), [](const auto& message) {
             return message.second.fate == Arrow::Fate::under_way;
           });
  }

  // The time that two bars share although they must not.
  void add_clashes() {
    const std::vector<Bar> bars = layout_.bars;
    for (const Bar& a : bars) {
      for (const Bar& b : bars) {
        const std::uint32_t first = std::max(a.first, b.first);
        const std::uint32_t last = std::min(a.last, b.last);
        if (a.node == b.node || !a.violates || !b.violates || first > last) continue;
        layout_.bars.push_back(
            {Bar::Kind::clash, a.node, first, last, a.open && b.open, true, false, {}});
      }
    }
  }

  std::uint32_t row() const { return layout_.rows == 0 ? 0 : layout_.rows - 1; }

  Packing packing_;
  Names names_;
  Layout layout_;
  std::string caption_;  // To be told with the next row.
  NodeSet busy_;         // Who has taken a step in this row.
  bool turned_ = false;  // Somebody has entered or left in this row.
  bool closed_ = false;  // Nothing else may share this row.
  NodeSet crashed_;
  std::optional<Fence> highest_;  // Of all so far.
  std::map<MessageId, Arrow> sent_;
  std::map<NodeId, Bar> bars_;  // Those that go on.
  std::vector<std::optional<Clock>> clocks_;
};

}  // namespace

Layout lay_out(const Chronicle& chronicle, Packing packing) {
  return Builder{chronicle, packing}.take();
}

std::string short_message(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' && text.find('=', i) < text.find(' ', i + 1)) {
      out += ", ";  // Before a field; a value may have spaces of its own.
    } else if (text[i] == '=') {
      while (!out.empty() &&
             (std::isalnum(static_cast<unsigned char>(out.back())) != 0 || out.back() == '_')) {
        out.pop_back();
      }
    } else {
      out += text[i];
    }
  }
  return without_inner_name(out);
}

}  // namespace hapax
