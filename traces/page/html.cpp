// SPDX-License-Identifier: Apache-2.0
// One file that any browser opens without a network: the parts of the page (embedded at build time), a JSON header with
// names and metrics, and the columns of every recording, compressed.
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "traces/page/columns.hpp"
#include "traces/page/parts.hpp"
#include "traces/reports/pairs_json.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

using nlohmann::json;

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// ASCII, and without '<': no name can end the script element it lies in.
std::string json_in_script(const json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string compress(const std::string& data) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  if (!compressor) failed("libdeflate: no memory for a compressor");
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), data.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), out.data(), out.size()));
  return out;
}

std::string base64(const std::string& data) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, data.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<unsigned char>(data[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

json shares(const std::vector<Shares>& list) {
  json out = json::array();
  for (const Shares& s : list) out.push_back({{"state", s.state}, {"codelet", s.codelet}});
  return out;
}

json metrics_of(const Metrics& m) {
  json links = json::array();
  for (const LinkUse& l : m.links)
    links.push_back({{"from", l.from},
                     {"to", l.to},
                     {"transfers", l.transfers},
                     {"bytes", l.bytes},
                     {"busy", l.busy},
                     {"bandwidth", l.bandwidth},
                     {"overlap", l.overlap}});
  json ranks = json::array();
  for (const RankUse& use : m.rank)
    ranks.push_back({{"state", use.shares.state},
                     {"codelet", use.shares.codelet},
                     {"units", use.units},
                     {"tasks", use.tasks},
                     {"messages_sent", use.messages_sent},
                     {"messages_received", use.messages_received},
                     {"bytes_sent", use.bytes_sent},
                     {"bytes_received", use.bytes_received},
                     {"idle_for_messages", use.idle_for_messages}});
  json codelets = json::array();
  for (const CodeletUse& c : m.codelets)
    codelets.push_back({{"codelet", c.codelet},
                        {"kind", c.kind},
                        {"count", c.count},
                        {"total", c.total},
                        {"mean", c.mean},
                        {"median", c.median},
                        {"quartile1", c.quartile1},
                        {"quartile3", c.quartile3},
                        {"minimum", c.minimum},
                        {"maximum", c.maximum},
                        {"deviation", c.deviation},
                        {"rate", c.rate},
                        {"best_rate", c.best_rate},
                        {"of_fastest", c.of_fastest}});
  return {{"makespan", m.makespan},
          {"tasks", m.tasks},
          {"flops", m.flops},
          {"bytes_moved", m.bytes_moved},
          {"unit", shares(m.unit)},
          {"kind", shares(m.kind)},
          {"all", m.all.state},
          {"links", links},
          {"rank", ranks},
          {"pairs", pairs_json(m.pairs)},
          {"bytes_sent", m.bytes_sent},
          {"codelets", codelets},
          {"critical_path", m.critical_path.length},
          {"iterations",
           {{"number", m.iterations.number},
            {"seconds", m.iterations.seconds},
            {"median", m.iterations.median},
            {"quartile1", m.iterations.quartile1},
            {"quartile3", m.iterations.quartile3}}}};
}

json header_of(const View& view) {
  const Recording& r = *view.recording;
  json kinds = json::array(), nodes = json::array(), units = json::array(), codelets = json::array(),
       markers = json::array(), bounds = json::array();
  for (const Kind& k : r.kinds) kinds.push_back(k.name);
  for (const MemoryNode& n : r.nodes) nodes.push_back(n.name);
  for (const Unit& u : r.units) units.push_back({{"name", u.name}, {"kind", u.kind}, {"rank", u.rank}});
  for (const Codelet& c : r.codelets) codelets.push_back({{"name", c.name}, {"model", c.model}});
  for (const Marker& m : r.markers) markers.push_back({{"time", m.time - r.begin}, {"text", m.text}});
  for (const BoundLine& b : view.bounds)
    bounds.push_back({{"name", b.name}, {"seconds", b.seconds}, {"explanation", b.explanation}});
  json facts = json::array();
  for (const Fact& f : view.facts) facts.push_back({{"name", f.name}, {"text", f.text}});
  json findings = findings_json(r, view.findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::vector<std::uint32_t>& tasks = view.findings[i].tasks;
    findings[i]["task"] = tasks.empty() ? json() : json(tasks.front());
    findings[i].erase("jobs");  // the page shows the first; --json has all
  }
  return {{"name", r.name},
          {"facts", facts},
          {"findings", findings},
          {"makespan", r.makespan()},
          {"ranks", r.ranks},
          {"clocks",
           {{"alignment", alignment_names[static_cast<std::size_t>(r.clocks.alignment)]},
            {"error", std::isfinite(r.clocks.error) ? json(r.clocks.error) : json()},
            {"early", r.clocks.still_early},
            {"lost", r.lost_messages}}},
          {"has_states", r.has_states},
          {"has_dependencies", r.has_dependencies},
          {"kinds", kinds},
          {"nodes", nodes},
          {"units", units},
          {"codelets", codelets},
          {"markers", markers},
          {"bounds", bounds},
          {"metrics", metrics_of(*view.metrics)}};
}

/// Replaces the template's only occurrence of `{{name}}`.
void fill(std::string& page, const std::string& name, const std::string& value) {
  const std::string mark = "{{" + name + "}}";
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) failed("page.html: no place for {}", mark);
  page.replace(at, mark.size(), value);
}

std::string page_of(const std::vector<View>& views, const std::string& title) {
  json header = {{"title", title}, {"views", json::array()}};
  std::string blobs;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const page::Columns columns = page::columns_of(*views[i].recording, views[i].metrics->critical_path.tasks);
    json view = header_of(views[i]);
    view["columns"] = columns.description();
    header["views"].push_back(std::move(view));
    blobs += fmt::format("<script type=\"application/octet-stream\" id=\"view-{}\">", i);
    blobs += base64(compress(columns.data()));
    blobs += "</script>\n";
  }
  blobs += "<script type=\"application/json\" id=\"header\">" + json_in_script(header) + "</script>";
  std::string page(page::html);
  // last mark first: what is filled in may itself look like a mark
  fill(page, "script", std::string(page::script));
  fill(page, "data", blobs);
  fill(page, "style", std::string(page::style));
  fill(page, "title", escape(title));
  return page;
}

}  // namespace

void write_html(const std::filesystem::path& path, const std::vector<View>& views, const std::string& title) {
  const std::string page = page_of(views, title);
  OutputFile file(path);
  file.write(page);
  file.commit();
}

}  // namespace asterism::traces
