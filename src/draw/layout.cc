#include "draw/layout.h"

#include <algorithm>
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
        return begin(Bar::Kind::inside, *h.node, h.fence ? fmt::format("{}", *h.fence) : "");
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
        return end(*h.node);
      case Kind::send:
        sent_[h.message] = {*h.node, *h.peer,
                            row(),   row(),
                            h.step,  Arrow::Fate::under_way,
                            false,   short_message(h.text)};
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
      if (h.kind == Kind::defer) mark.kind = Mark::Kind::deferred;
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

  void begin(Bar::Kind kind, NodeId node, std::string label) {
    bars_[node] = {kind, node, row(), row(), true, false, std::move(label)};
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
    for (auto& [node, bar] : bars_) {
      bar.last = row();
      layout_.bars.push_back(bar);
    }
    add_clashes();
    for (auto& [id, arrow] : sent_) {
      if (arrow.fate == Arrow::Fate::under_way) arrow.came = row();
      layout_.arrows.push_back(arrow);
    }
  }

  // The time that two bars share although they must not.
  void add_clashes() {
    const std::vector<Bar> bars = layout_.bars;
    for (const Bar& a : bars) {
      for (const Bar& b : bars) {
        const std::uint32_t first = std::max(a.first, b.first);
        const std::uint32_t last = std::min(a.last, b.last);
        if (a.node == b.node || !a.violates || !b.violates || first > last) continue;
        layout_.bars.push_back({Bar::Kind::clash, a.node, first, last, a.open && b.open, true, {}});
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
  return out;
}

}  // namespace hapax
