"use strict";
(function () {
  const FIELDS = ["verdict", "corrected_answer", "corrected_question", "comment"];
  const KEPT = "torr-annotation-" + document.body.dataset.place;
  const find = (id) => document.getElementById(id);
  const articles = Array.from(document.querySelectorAll("article"));
  const byId = new Map(articles.map((article) => [article.dataset.id, article]));
  let current = articles[0];
  let unsaved = false;

  const form = (article) => article.querySelector("form");
  const value = (article, field) => form(article).elements[field].value.trim();
  const counted = (number) => `${number} verdict${number === 1 ? "" : "s"}`;
  const read = (article) => Object.fromEntries(FIELDS.map((field) => [field, value(article, field)]));
  const filled = (article) => FIELDS.some((field) => value(article, field));

  function fill(article, values) {
    for (const field of FIELDS) {
      const text = values[field];
      form(article).elements[field].value = typeof text === "string" ? text : "";
    }
  }

  function tell(text) {
    find("status").textContent = text;
  }

  function tellCount() {
    const done = articles.filter((article) => value(article, "verdict")).length;
    tell(`${done} of ${articles.length} have a verdict${unsaved ? "; not saved to a file yet" : ""}`);
  }

  // what was filled in and not saved, should the page be closed; a browser may forbid it
  function keep() {
    try {
      const values = articles.filter(filled).map((article) => [article.dataset.id, read(article)]);
      localStorage.setItem(KEPT, JSON.stringify({ reviewer: find("reviewer").value, values: values }));
    } catch (error) {
      unsaved = true;
    }
  }

  function restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT));
      find("reviewer").value = kept.reviewer;
      kept.values.filter(([id]) => byId.has(id)).forEach(([id, values]) => fill(byId.get(id), values));
      unsaved = kept.values.length > 0;
    } catch (error) {
      return;
    }
  }

  function chosen() {
    const show = find("show").value;
    return articles.filter((article) =>
      !show || article.dataset.type === show || (show === "open" && (!value(article, "verdict") || article === current)));
  }

  function show(article, focus) {
    if (!article) return;
    current = article;
    document.querySelectorAll(".shown").forEach((element) => element.classList.remove("shown"));
    article.classList.add("shown");
    find(article.dataset.table).classList.add("shown");
    const among = chosen();
    find("place").textContent = `Question ${among.indexOf(article) + 1} of ${among.length}`;
    history.replaceState(null, "", "#" + article.id);
    if (!focus) return;
    article.querySelector("h2").focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  function step(by) {
    const among = chosen();
    show(among[among.indexOf(current) + by], true);
  }

  function nextOpen() {
    const at = articles.indexOf(current);
    const order = articles.slice(at + 1).concat(articles.slice(0, at));
    show(order.find((article) => !value(article, "verdict")), true);
  }

  function choose(verdict) {
    const radio = form(current).querySelector(`input[value="${verdict}"]`);
    if (radio.disabled) return;
    radio.checked = true;
    changed();
    if (verdict === "change") form(current).elements.corrected_answer.focus();
  }

  function changed() {
    unsaved = true;
    keep();
    tellCount();
  }

  // what `torr annotate accept` would refuse
  function problem(article) {
    const said = read(article);
    const corrected = said.corrected_answer || said.corrected_question;
    if (said.verdict === "change" && !corrected) return "to change it, write a corrected answer or question";
    if (said.verdict !== "change" && corrected) return "it has a correction: the verdict is to change it";
    const lines = said.corrected_answer.split("\n").length;
    if (lines > 1 && article.dataset.kind !== "code") return "the corrected answer has several lines: write one";
    const unanswered = !article.querySelector(".candidate");
    if (unanswered && said.verdict === "change" && !said.corrected_answer) return "it needs a corrected answer";
    return "";
  }

  function save() {
    const wrong = articles.find(problem);
    if (wrong) {
      find("show").value = "";
      show(wrong, true);
      tell(`Not saved: ${problem(wrong)}`);
      return;
    }
    const reviewer = find("reviewer").value.trim();
    const lines = articles.filter((article) => value(article, "verdict"))
      .map((article) => JSON.stringify({ id: article.dataset.id, ...read(article), reviewer: reviewer }) + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
    link.download = reviewer ? `verdicts-${reviewer.replace(/[^\w-]+/g, "-")}.jsonl` : "verdicts.jsonl";
    link.click();
    URL.revokeObjectURL(link.href);
    unsaved = false;
    tell(`${counted(lines.length)} saved to ${link.download}`);
  }

  async function load(file) {
    try {
      const rows = (await file.text()).split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
      const known = rows.filter((row) => byId.has(row.id));
      known.forEach((row) => fill(byId.get(row.id), row));
      changed();
      const others = rows.length - known.length;
      tell(`${counted(known.length)} loaded${others ? `; ${others} about other questions` : ""}`);
    } catch (error) {
      tell(`${file.name} is no file of verdicts`);
    }
  }

  function typing(target) {
    return target.matches("textarea, select, input:not([type=radio], [type=file])");
  }

  const KEYS = {
    j: () => step(1), ArrowRight: () => step(1), k: () => step(-1), ArrowLeft: () => step(-1), n: nextOpen,
    a: () => choose("accept"), c: () => choose("change"), r: () => choose("reject"), s: save,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    // the arrows of a group of radio buttons, and of a table that scrolls, are its own
    if (event.key.startsWith("Arrow") && event.target.matches("input, .scroll")) return;
    const run = KEYS[event.key];
    if (run && current) {
      event.preventDefault();
      run();
    }
  });
  document.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("input", (event) => {
    if (event.target.closest("header") && event.target.id !== "reviewer") return;
    if (event.target.name && event.target.name.startsWith("corrected_") && event.target.value.trim()) {
      form(current).querySelector("input[value=change]").checked = true;
    }
    changed();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.matches(".take")) return;
    choose("change");
    form(current).elements.corrected_answer.value = event.target.closest("tr").querySelector("pre").textContent;
    changed();
  });
  find("before").addEventListener("click", () => step(-1));
  find("after").addEventListener("click", () => step(1));
  find("save").addEventListener("click", save);
  find("show").addEventListener("change", () => show(chosen().includes(current) ? current : chosen()[0], false));
  find("load").addEventListener("change", (event) => {
    if (event.target.files[0]) load(event.target.files[0]);
    event.target.value = "";
  });

  document.documentElement.classList.add("script");
  restore();
  tellCount();
  show(articles.find((article) => "#" + article.id === location.hash) || current, false);
})();
