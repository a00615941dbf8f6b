// The texts of the page in the chosen language, and how it writes numbers and dates.

import en from "./messages.en.js";
import de from "./messages.de.js";
import fr from "./messages.fr.js";
import { setting } from "./state.js";

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };
const CATALOGUES = { en, de, fr };

let language = "en";

/** Chooses the language: the one of this browser if it was never chosen. */
export function chooseLanguage(wanted) {
  const asked = [wanted, setting.read("language"), ...(navigator.languages ?? [])];
  language = asked.map((tag) => tag?.slice(0, 2)).find((tag) => tag in CATALOGUES) ?? "en";
  if (wanted) setting.write("language", language);
  document.documentElement.lang = language;
  return language;
}

/** The text of a key, with values put in. Two forms are divided by `|` and chosen by `n`. */
export function t(key, values = {}) {
  const message = CATALOGUES[language][key] ?? en[key] ?? key;
  const forms = message.split("|");
  const one = forms.length > 1 && new Intl.PluralRules(language).select(Number(values.n)) === "one";
  const form = forms.length > 1 ? forms[one ? 0 : 1] : message;
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : String(value ?? "");
  });
}

/** The text of a word of the interface, or the word itself where there is none. */
export function word(group, value) {
  const key = `${group}.${value}`;
  return key in en ? t(key) : String(value ?? "").replaceAll("_", " ");
}

/** A number as this language writes it. */
export function number(value, digits = 1) {
  if (value === null || value === undefined) return "–";
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** A share from 0 to 1 as a percentage. */
export function percent(value) {
  if (value === null || value === undefined) return "–";
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(value);
}

/** A day of the calendar. */
export function day(value) {
  if (!value) return "–";
  const date = new Date(`${String(value).slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return String(value);
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { dateStyle: "long", timeZone: "UTC" }).format(date);
}

/** A moment in the time of this machine. */
export function moment(value) {
  if (!value) return "–";
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return String(value);
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { dateStyle: "medium", timeStyle: "medium" }).format(date);
}
