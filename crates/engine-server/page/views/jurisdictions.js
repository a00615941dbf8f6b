// The authorities of each country.

import { get } from "../api.js";
import { el, fill, said } from "../dom.js";
import { card, facts, load, view } from "../parts.js";
import { t, word } from "../text.js";

export function jurisdictionsView(root) {
  const shown = view(t("countries.title"), t("countries.lead"));
  const body = el("div", { class: "view" });
  shown.append(body);
  root.append(shown);
  load(body, () => get("/jurisdictions"), ({ jurisdictions }) => {
    const search = el("input", { type: "search", "aria-label": t("countries.search"), placeholder: t("countries.search") });
    const list = el("div", { class: "cards" });
    const count = el("p", { class: "soft small", role: "status" });
    const draw = () => {
      const wanted = search.value.trim().toLowerCase();
      const found = jurisdictions.filter((each) => !wanted || [each.code, each.name, countryName(each), each.authority].join(" ").toLowerCase().includes(wanted));
      count.textContent = t("ofCount", { n: found.length, of: jurisdictions.length });
      fill(list, found.map(country));
    };
    search.addEventListener("input", draw);
    draw();
    return [search, count, list];
  });
}

function countryName({ code, name }) {
  try { return new Intl.DisplayNames(document.documentElement.lang, { type: "region" }).of(code); } catch { return name; }
}

function languageName(code) {
  try { return new Intl.DisplayNames(document.documentElement.lang, { type: "language" }).of(code); } catch { return code; }
}

function country(record) {
  return card(
    `${countryName(record)} (${record.code})`,
    facts([
      [t("countries.authority"), record.authority ? said(record.authority) : t("countries.unknown")],
      [t("countries.contact"), record.contact ? contact(record.contact) : null],
      [t("countries.language"), record.languages.map(languageName)],
      [t("status"), word("designation", record.status.value)],
    ]),
    el("details", {}, el("summary", {}, t("countries.more")), facts([
      [t("countries.surveillance"), record.market_surveillance_authorities.length ? el("ul", { class: "tight" }, record.market_surveillance_authorities.map((each) => el("li", {}, said(each.name), each.role ? said(`: ${each.role}`, "span", { class: "soft" }) : null))) : null],
      [t("countries.notifying"), record.notifying_authority ? said(record.notifying_authority.name) : null],
      [t("countries.single"), record.single_point_of_contact ? said(record.single_point_of_contact.name) : null],
      [t("countries.data"), said(record.data_protection_authority?.name)],
      [t("countries.rights"), record.fundamental_rights_bodies.names.length ? said(record.fundamental_rights_bodies.names.join(", ")) : null],
      [t("countries.sandbox"), record.sandbox ? said(`${record.sandbox.name}: ${record.sandbox.state}`) : null],
      [t("countries.law"), record.status.law ? said(record.status.law) : null],
      [t("countries.note"), record.note ? said(record.note) : null],
      [t("countries.source"), said([...(record.status.sources ?? []), record.status.latest_source_date].filter(Boolean).join(", "))],
    ])),
  );
}

/** An address is shown as text; the page opens nothing outside this machine. */
function contact(text) {
  return el("span", { class: "break" }, text);
}
