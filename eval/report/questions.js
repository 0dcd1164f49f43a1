// Browser of single questions: unpacks what the page holds, filters it, and draws one page of rows.
//
// The data is written by single_answers.py (questions with the answers of models) and release_page.py (questions
// with what people answer). A number in it stands for a text; columns of numbers are stored as steps.
(() => {
  "use strict";
  const ROWS = 25;
  const TYPING_MS = 200;
  const NO_ANSWER = 2;
  const MARKS = ["✗", "✓", "–"], VERDICTS = ["wrong", "correct", "no answer"];
  // As `visible` in page_template.py: controls, and what would turn the text around it.
  const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

  const visible = (text) => text.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
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
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return withSums(await new Response(stream).json());
  };

  const sums = (steps) => { let sum = 0; return Int32Array.from(steps, (step) => (sum += step)); };
  const withSums = (data) => {
    for (const name of ["ids", "titles", "prompts", "english", "notes", "groups"]) if (data[name]) data[name] = sums(data[name]);
    for (const facet of data.facets) if (!Array.isArray(facet.of[0])) facet.of = sums(facet.of);
    for (const model of data.models ?? []) {
      for (const name of ["why", "answer", "reply", "thought", "matched"]) model[name] = sums(model[name]);
    }
    return data;
  };

  // Which texts hold what is searched; each text is looked at once, however many questions share it.
  const textsWith = (texts, query) => {
    const pattern = new RegExp(query.replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&"), "iu");
    return Uint8Array.from(texts, (text) => pattern.test(text));
  };

  const searcher = (data, query) => {
    const found = textsWith(data.texts, query.normalize("NFC"));
    const lists = data.candidate_lists.map((list) => list.some(([text]) => found[text]));
    const columns = [data.ids, data.titles, data.prompts, data.english, data.notes].filter(Boolean);
    for (const model of data.models ?? []) columns.push(model.answer, model.reply, model.thought);
    return (row) => columns.some((column) => found[column[row]]) || lists[data.candidates[row]] ||
      (data.findings?.[row].some(([, detail]) => found[detail]) ?? false);
  };

  // Filters: a label, values with their names, and whether a row has a value.
  const facetFilters = (data) => data.facets.map(({ name, label, of }) => {
    const values = [...new Set(Array.isArray(of[0]) ? of.flat() : of)].sort((a, b) => data.texts[a].localeCompare(data.texts[b]));
    const has = Array.isArray(of[0]) ? (row, value) => of[row].includes(+value) : (row, value) => of[row] === +value;
    return { name, label, has, values: values.map((value) => [value, data.texts[value] || "(none)"]) };
  });

  const modelFilters = (data, chosen) => {
    const { models, texts } = data, several = models.length > 1;
    const shown = () => (chosen.model ? [models[+chosen.model]] : models);
    const reasons = [...new Set(models.flatMap((model) => [...new Set(model.why)]))].sort((a, b) => texts[a].localeCompare(texts[b]));
    const results = [["1", several ? "correct, every model" : "correct"], ["0", several ? "wrong, every model" : "wrong"],
      ...(several ? [["differ", "models differ"]] : []), ...reasons.map((why) => [`why ${why}`, texts[why]])];
    const hasResult = (row, value) => {
      if (value === "differ") return models.some((model) => model.correct[row] !== models[0].correct[row]);
      if (value.startsWith("why")) return shown().some((model) => model.why[row] === +value.slice(4));
      return shown().every((model) => model.correct[row] === +value);
    };
    const names = models.map((model, i) => [String(i), model.name]);
    return [...(several ? [{ name: "model", label: "Model", has: () => true, values: names }] : []),
      { name: "result", label: "Result", has: hasResult, values: results }];
  };

  // Answers that are known, with votes as bars.
  const candidateTable = (data, list, most) => {
    const withVotes = list.some(([, , votes]) => votes !== null), withWrong = list.some(([, isGold]) => !isGold);
    const rows = list.map(([text, isGold, votes, note]) => {
      const bar = element("span", { class: "bar" });
      bar.style.inlineSize = `${(100 * (votes ?? 0)) / most}%`;
      return element("tr", {}, element("td", {}, withWrong ? `${MARKS[isGold]} ` : "", isolated(data.texts[text]),
        note ? element("span", { class: "note" }, ` (${data.texts[note]})`) : ""),
        ...(withVotes ? [element("td", { class: "votes" }, String(votes ?? ""), bar)] : []));
    });
    return element("table", { class: "candidates" }, element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "Answer"), ...(withVotes ? [element("th", { scope: "col" }, "Votes")] : []))), element("tbody", {}, ...rows));
  };
  const mostVotes = (list) => Math.max(1, ...list.map(([, , votes]) => votes ?? 0));

  const modelAnswer = (data, model, row) => {
    const text = (name) => data.texts[model[name][row]], correct = model.correct[row];
    const block = element("div", {}, element("h5", {}, isolated(model.name), " ",
      element("span", { class: VERDICTS[correct] }, `${MARKS[correct]} ${VERDICTS[correct]}`)), element("p", { class: "note" }, visible(text("why"))));
    if (text("answer") || correct !== NO_ANSWER) block.append(said(text("answer") || "(nothing)"));
    if (text("matched")) block.append(element("p", { class: "note" }, "Matched: ", isolated(text("matched"))));
    for (const [name, title] of [["reply", "Reply as written"], ["thought", "Thought"]]) {
      if (text(name)) block.append(element("details", {}, element("summary", {}, title), said(text(name))));
    }
    return block;
  };

  const answersDetail = (data, row, chosen) => {
    const list = data.candidate_lists[data.candidates[row]];
    const about = [data.texts[data.ids[row]], ...data.facets.map(({ of }) => data.texts[of[row]])].filter(Boolean);
    const models = chosen.model ? [data.models[+chosen.model]] : data.models;
    return [element("p", { class: "note" }, isolated(about.join(" · "))), said(data.texts[data.prompts[row]], "text asked"),
      element("div", { class: "answers" }, ...(list.length ? [candidateTable(data, list, mostVotes(list))] : []),
        ...models.map((model) => modelAnswer(data, model, row)))];
  };

  const optionList = (data, [answer, ...numbers]) => element("ol", { type: "A" }, ...numbers.slice(0, numbers.length / 2).map((text, i) =>
    element("li", i === answer ? { class: "correct" } : {}, `${i === answer ? "✓ " : ""}`, isolated(data.texts[text]),
      element("span", { class: "note" }, ` (${data.texts[numbers[numbers.length / 2 + i]]})`))));

  // What one region answers.
  const regionBlock = (data, row, most) => {
    const list = data.candidate_lists[data.candidates[row]], [region] = data.facets;
    const block = element("div", {}, element("h5", {}, data.texts[region.of[row]]), said(data.texts[data.prompts[row]]));
    block.append(list.length ? candidateTable(data, list, most) : element("p", {}, "No answers."));
    if (data.notes[row]) block.append(element("p", { class: "note" }, isolated(data.texts[data.notes[row]])));
    if (data.mcqs[row].length) {
      const title = counted(data.mcqs[row].length, "multiple-choice question");
      block.append(element("details", {}, element("summary", {}, title), ...data.mcqs[row].map((mcq) => optionList(data, mcq))));
    }
    if (data.findings[row].length) {
      const items = data.findings[row].map(([kind, detail]) => element("li", {}, element("code", {}, data.texts[kind]), " ", isolated(data.texts[detail])));
      block.append(element("details", {}, element("summary", {}, counted(items.length, "finding")), element("ul", {}, ...items)));
    }
    return block;
  };

  const regionsDetail = (data, row) => {
    const rows = data.members.get(data.groups[row]), lists = rows.map((one) => data.candidate_lists[data.candidates[one]]);
    const most = Math.max(...lists.map(mostVotes));
    return [element("p", { class: "note" }, visible(data.texts[data.ids[row]])),
      element("div", { class: "answers" }, ...[row, ...rows.filter((one) => one !== row)].map((one) => regionBlock(data, one, most)))];
  };

  const membersOf = (groups) => {
    const members = new Map();
    groups.forEach((group, row) => (members.has(group) ? members.get(group).push(row) : members.set(group, [row])));
    return members;
  };

  // Cells of a row besides the question: what they are called, and what stands in them.
  const columnsOf = (data, chosen) => {
    const facet = (name) => data.facets.filter((one) => one.name === name).map(({ label, of }) => [label, (row) => data.texts[of[row]], ""]);
    if (data.groups) {
      const total = (of) => (row) => number(data.members.get(data.groups[row]).reduce((sum, one) => sum + of(one), 0));
      return [...facet("topic"), ["Regions", total((row) => (data.candidate_lists[data.candidates[row]].length ? 1 : 0)), ""],
        ["Multiple choice", total((row) => data.mcqs[row].length), ""], ["Findings", total((row) => data.findings[row].length), ""]];
    }
    const models = chosen.model ? [data.models[+chosen.model]] : data.models;
    return [...facet("region"), ...facet("topic"), ...models.map((model) =>
      [model.name, (row) => `${MARKS[model.correct[row]]} ${VERDICTS[model.correct[row]]}`, (row) => VERDICTS[model.correct[row]]])];
  };

  const questionRows = (data, row, columns, chosen, id) => {
    const title = data.texts[data.titles[row]] || data.texts[data.prompts[row]].trim().split("\n")[0];
    const button = element("button", { type: "button", class: "question-title", dir: "auto", "aria-expanded": "false", "aria-controls": id }, visible(title));
    const cells = columns.map(([label, of, kind]) => element("td", { "data-label": visible(label), ...(kind ? { class: kind(row) } : {}) }, visible(of(row))));
    const detail = element("td", { colspan: columns.length + 1 }), below = element("tr", { id, class: "detail", hidden: "" }, detail);
    button.addEventListener("click", () => {
      if (!detail.hasChildNodes()) detail.append(...(data.groups ? regionsDetail(data, row) : answersDetail(data, row, chosen)));
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
    if (data.groups) data.members = membersOf(data.groups);
    const filters = [...facetFilters(data).filter(({ values }) => values.length > 1), ...(data.models ? modelFilters(data, chosen) : [])];
    const form = element("form", { role: "search", "aria-label": "Filter questions" });
    const [status, table] = [element("p", { role: "status" }), element("table", { class: "list" })];
    const [back, on] = ["Previous", "Next"].map((text) => element("button", { type: "button" }, text));
    let rows = [], page = 0;

    const draw = () => {
      const columns = columnsOf(data, chosen), shown = rows.slice(page * ROWS, (page + 1) * ROWS);
      const head = element("tr", {}, ...["Question", ...columns.map(([label]) => label)].map((label) => element("th", { scope: "col" }, isolated(label))));
      table.replaceChildren(element("caption", { class: "unseen" }, "Questions; press one to see all about it"), element("thead", {}, head),
        element("tbody", {}, ...shown.flatMap((row) => questionRows(data, row, columns, chosen, `${name}-${row}`))));
      const first = page * ROWS + 1, last = page * ROWS + shown.length;
      status.textContent = rows.length ? `${number(first)}–${number(last)} of ${counted(rows.length, "question")}` : "No question is like that.";
      back.disabled = !page;
      on.disabled = last >= rows.length;
    };

    const filter = () => {
      for (const field of form.elements) if (field.name) chosen[field.name] = field.value;
      const used = filters.filter((one) => chosen[one.name]), query = chosen.query.trim();
      const holds = query ? searcher(data, query) : () => true;
      rows = [];
      const seen = new Set();
      for (let row = 0; row < data.ids.length; row++) {
        if (seen.has(data.groups?.[row]) || !used.every((one) => one.has(row, chosen[one.name])) || !holds(row)) continue;
        if (data.groups) seen.add(data.groups[row]); // a question of many regions is one row
        rows.push(row);
      }
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
