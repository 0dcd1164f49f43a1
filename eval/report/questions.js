// Browser of single questions: unpacks what the page holds, filters it, and draws one page of rows.
//
// The data is written by pages.py: questions with the answers of models, or with what people answer in
// each region.
(() => {
  "use strict";
  const ROWS = 25;
  const TYPING_MS = 200;
  const NO_ANSWER = 2;
  const MARKS = ["✗", "✓", "–"], VERDICTS = ["wrong", "correct", "no answer"];
  // As `escape_controls` in schemas/texts.py: controls, and what would turn the text around it.
  const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

  const code = (number) => (number < 0x100 ? `\\x${number.toString(16).padStart(2, "0")}` : `\\u${number.toString(16).padStart(4, "0")}`);
  const visible = (text) => text.replace(UNSAFE, (c) => code(c.charCodeAt(0)));
  const number = (value) => value.toLocaleString("en");
  const counted = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;

  // An element; strings among its children are text, never markup.
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const said = (text, kind = "text") => element("p", { class: kind, dir: "auto" }, visible(text));
  const isolated = (text) => element("bdi", {}, visible(text));

  const unpack = async (id) => {
    const packed = atob(document.getElementById(id).textContent.trim());
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const data = await new Response(stream).json();
    data.members = new Map(data.questions.map(({ id }) => [id, []]));
    for (const one of data.questions) data.members.get(one.id).push(one);
    return data;
  };

  // An answer of a model: whether it is correct, why, what was said, written and thought, and what it matched.
  const [CORRECT, WHY, SAID, REPLY, THOUGHT, MATCHED] = [0, 1, 2, 3, 4, 5];

  const searcher = (query) => {
    const pattern = new RegExp(query.normalize("NFC").replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&"), "iu");
    const texts = (one) => [one.id, one.title, one.prompt, one.note ?? "", ...one.candidates.map(([text]) => text),
      ...(one.answers ?? []).flatMap((answer) => [answer[SAID], answer[REPLY], answer[THOUGHT]]),
      ...(one.findings ?? []).map(([, detail]) => detail)];
    return (one) => texts(one).some((text) => pattern.test(text));
  };

  // Filters: a label, values with their names, and whether a question has a value.
  const facetFilters = (data) => data.facets.map((label, i) => {
    const values = [...new Set(data.questions.flatMap(({ facets }) => facets[i]))].sort((a, b) => a.localeCompare(b));
    const has = ({ facets }, number) => [facets[i]].flat().includes(values[number]);
    return { name: `facet-${i}`, label, has, values: values.map((value, number) => [number, value || "(none)"]) };
  });

  const modelFilters = ({ models, questions }, chosen) => {
    const several = models.length > 1;
    const shown = ({ answers }) => (chosen.model ? [answers[chosen.model]] : answers);
    const reasons = [...new Set(questions.flatMap(({ answers }) => answers.map((answer) => answer[WHY])))].sort((a, b) => a.localeCompare(b));
    const results = [["1", several ? "correct, every model" : "correct"], ["0", several ? "wrong, every model" : "wrong"],
      ...(several ? [["differ", "models differ"]] : []), ...reasons.map((why) => [`why ${why}`, why])];
    const hasResult = (one, value) => {
      if (value === "differ") return one.answers.some((answer) => answer[CORRECT] !== one.answers[0][CORRECT]);
      if (value.startsWith("why ")) return shown(one).some((answer) => answer[WHY] === value.slice(4));
      return shown(one).every((answer) => answer[CORRECT] === +value);
    };
    return [...(several ? [{ name: "model", label: "Model", has: () => true, values: models.map((name, i) => [i, name]) }] : []),
      { name: "result", label: "Result", has: hasResult, values: results }];
  };

  // Answers that are known, with votes as bars.
  const candidateTable = (list, most) => {
    const withVotes = list.some(([, , votes]) => votes !== null), withWrong = list.some(([, isGold]) => !isGold);
    const rows = list.map(([text, isGold, votes, note]) => {
      const bar = element("span", { class: "bar" });
      bar.style.inlineSize = `${(100 * (votes ?? 0)) / most}%`;
      return element("tr", {}, element("td", {}, withWrong ? `${MARKS[+isGold]} ` : "", isolated(text),
        note ? element("span", { class: "note" }, ` (${note})`) : ""),
        ...(withVotes ? [element("td", { class: "votes" }, String(votes ?? ""), bar)] : []));
    });
    return element("table", { class: "candidates" }, element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "Answer"), ...(withVotes ? [element("th", { scope: "col" }, "Votes")] : []))), element("tbody", {}, ...rows));
  };
  const mostVotes = (list) => Math.max(1, ...list.map(([, , votes]) => votes ?? 0));

  const modelAnswer = (model, answer) => {
    const correct = answer[CORRECT];
    const block = element("div", {}, element("h5", {}, isolated(model), " ",
      element("span", { class: VERDICTS[correct] }, `${MARKS[correct]} ${VERDICTS[correct]}`)), element("p", { class: "note" }, visible(answer[WHY])));
    if (answer[SAID] || correct !== NO_ANSWER) block.append(said(answer[SAID] || "(nothing)"));
    if (answer[MATCHED]) block.append(element("p", { class: "note" }, "Matched: ", isolated(answer[MATCHED])));
    for (const [part, title] of [[REPLY, "Reply as written"], [THOUGHT, "Thought"]]) {
      if (answer[part]) block.append(element("details", {}, element("summary", {}, title), said(answer[part])));
    }
    return block;
  };

  const answersDetail = (data, one, chosen) => {
    const about = [one.id, ...one.facets].filter(Boolean);
    const answers = data.models.map((model, i) => modelAnswer(model, one.answers[i]));
    return [element("p", { class: "note" }, isolated(about.join(" · "))), said(one.prompt, "text asked"),
      element("div", { class: "answers" }, ...(one.candidates.length ? [candidateTable(one.candidates, mostVotes(one.candidates))] : []),
        ...(chosen.model ? [answers[chosen.model]] : answers))];
  };

  // What one region answers.
  const regionBlock = (one, most) => {
    const block = element("div", {}, element("h5", {}, one.facets[0]), said(one.prompt));
    block.append(one.candidates.length ? candidateTable(one.candidates, most) : element("p", {}, "No answers."));
    if (one.note) block.append(element("p", { class: "note" }, isolated(one.note)));
    if (one.findings.length) {
      const items = one.findings.map(([kind, detail]) => element("li", {}, element("code", {}, kind), " ", isolated(detail)));
      block.append(element("details", {}, element("summary", {}, counted(items.length, "finding")), element("ul", {}, ...items)));
    }
    return block;
  };

  const regionsDetail = (data, one) => {
    const all = data.members.get(one.id), most = Math.max(...all.map(({ candidates }) => mostVotes(candidates)));
    return [element("p", { class: "note" }, visible(one.id)),
      element("div", { class: "answers" }, ...[one, ...all.filter((other) => other !== one)].map((region) => regionBlock(region, most)))];
  };

  // Cells of a row besides the question: what they are called, and what stands in them.
  const columnsOf = (data, chosen) => {
    const facet = (label) => (data.facets.includes(label) ? [[label, (one) => one.facets[data.facets.indexOf(label)]]] : []);
    if (data.regions) {
      const total = (of) => ({ id }) => number(data.members.get(id).reduce((sum, one) => sum + of(one), 0));
      return [...facet("Topic"), ["Regions", total(({ candidates }) => (candidates.length ? 1 : 0))],
        ["Findings", total(({ findings }) => findings.length)]];
    }
    const models = data.models.map((model, i) => [model, ({ answers }) => `${MARKS[answers[i][CORRECT]]} ${VERDICTS[answers[i][CORRECT]]}`,
      ({ answers }) => VERDICTS[answers[i][CORRECT]]]);
    return [...facet("Region"), ...facet("Topic"), ...(chosen.model ? [models[chosen.model]] : models)];
  };

  const questionRows = (data, one, columns, chosen, id) => {
    const title = one.title || one.prompt.trim().split("\n")[0];
    const button = element("button", { type: "button", class: "question-title", dir: "auto", "aria-expanded": "false", "aria-controls": id }, visible(title));
    const cells = columns.map(([label, of, kind]) => element("td", { "data-label": visible(label), ...(kind ? { class: kind(one) } : {}) }, visible(of(one))));
    const detail = element("td", { colspan: columns.length + 1 }), below = element("tr", { id, class: "detail", hidden: "" }, detail);
    button.addEventListener("click", () => {
      if (!detail.hasChildNodes()) detail.append(...(data.regions ? regionsDetail(data, one) : answersDetail(data, one, chosen)));
      below.hidden = !below.hidden;
      button.setAttribute("aria-expanded", String(!below.hidden));
    });
    return [element("tr", {}, element("td", {}, button), ...cells), below];
  };

  const selectOf = ({ name, label, values }, onChange) => {
    const select = element("select", { name }, element("option", { value: "" }, "all"),
      ...values.map(([value, text]) => element("option", { value: String(value) }, visible(text))));
    select.addEventListener("change", onChange);
    return element("label", {}, label, select);
  };

  const browse = (place, data) => {
    const chosen = { query: "" }, name = place.id;
    const filters = [...facetFilters(data).filter(({ values }) => values.length > 1), ...(data.models ? modelFilters(data, chosen) : [])];
    const form = element("form", { role: "search", "aria-label": "Filter questions" });
    const [status, table] = [element("p", { role: "status" }), element("table", { class: "list" })];
    const [back, on] = ["Previous", "Next"].map((text) => element("button", { type: "button" }, text));
    let rows = [], page = 0;

    const draw = () => {
      const columns = columnsOf(data, chosen), shown = rows.slice(page * ROWS, (page + 1) * ROWS);
      const head = element("tr", {}, ...["Question", ...columns.map(([label]) => label)].map((label) => element("th", { scope: "col" }, isolated(label))));
      table.replaceChildren(element("caption", { class: "unseen" }, "Questions; press one to see all about it"), element("thead", {}, head),
        element("tbody", {}, ...shown.flatMap((one, i) => questionRows(data, one, columns, chosen, `${name}-${i}`))));
      const first = page * ROWS + 1, last = page * ROWS + shown.length;
      status.textContent = rows.length ? `${number(first)}–${number(last)} of ${counted(rows.length, "question")}` : "No question is like that.";
      back.disabled = !page;
      on.disabled = last >= rows.length;
    };

    const filter = () => {
      for (const field of form.elements) if (field.name) chosen[field.name] = field.value;
      const used = filters.filter((one) => chosen[one.name]), query = chosen.query.trim();
      const holds = query ? searcher(query) : () => true;
      rows = data.questions.filter((one) => used.every(({ name, has }) => has(one, chosen[name])) && holds(one));
      // A question of many regions is one row.
      const seen = new Set();
      if (data.regions) rows = rows.filter(({ id }) => !seen.has(id) && seen.add(id));
      page = 0;
      draw();
    };

    const turn = (by) => { page += by; draw(); table.scrollIntoView({ block: "nearest" }); };
    back.addEventListener("click", () => turn(-1));
    on.addEventListener("click", () => turn(1));
    const query = element("input", { type: "search", name: "query", autocomplete: "off" });
    let waiting;
    query.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, TYPING_MS); });
    form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
    form.addEventListener("reset", () => setTimeout(filter)); // once the fields are empty
    form.append(element("label", {}, "Search", query), ...filters.map((one) => selectOf(one, filter)), element("button", { type: "reset" }, "Clear"));
    place.replaceChildren(form, status, table, element("p", { class: "pager" }, back, " ", on));
    filter();
  };

  const start = async () => {
    for (const place of document.querySelectorAll(".browser")) {
      try {
        browse(place, await unpack(place.dataset.source));
      } catch (error) {
        place.textContent = `This browser cannot show the questions (${error.message}); a version of 2023 or later can.`;
        console.error(error);
      }
    }
  };
  window.questionsShown = start();
})();
