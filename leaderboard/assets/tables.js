// Makes the headers of tables with data-sortable sort their rows. Without this script the page reads the same.
// A header with a link keeps it, and gets a button beside it. A table with data-state="x" keeps its order in the
// address as x=NAME, or x=-NAME for the other direction, where NAME is the header's data-name; each new
// order fires the event "torr-sorted".
(function () {
  "use strict";
  var OTHER = { ascending: "descending", descending: "ascending" };

  function key(row, column) {
    var cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
  }

  // Empty keys (missing figures) and texts in place of numbers sort last in either direction.
  function compare(a, b, kind, sign) {
    if (kind === "number" && isNaN(a)) a = "";
    if (kind === "number" && isNaN(b)) b = "";
    if (a === "" || b === "") return (a === "") - (b === "");
    if (kind === "number") return sign * (Number(a) - Number(b));
    return sign * a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
  }

  function name(header) {
    return header.dataset.name || header.textContent.trim();
  }

  function first(header) {
    return header.dataset.first || "ascending";
  }

  function Sorted(table) {
    this.table = table;
    this.headers = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells).filter(function (cell) {
      return cell.tagName === "TH" && cell.dataset.fixed === undefined;
    });
    this.start = this.headers.find(function (each) { return each.hasAttribute("aria-sort"); });
    this.begins = this.start && this.start.getAttribute("aria-sort");
    this.begin();
  }

  // Rows that are alike stand as they do now; headings of groups are in order in this order alone.
  Sorted.prototype.begin = function () {
    this.order = new Map(Array.from(this.table.tBodies[0].rows).map(function (row, place) { return [row, place]; }));
  };

  Sorted.prototype.sort = function (header, direction) {
    var sign = direction === "ascending" ? 1 : -1;
    var body = this.table.tBodies[0], order = this.order;
    var rows = Array.from(body.rows).map(function (row) {
      return { row: row, key: row.className === "group" ? "" : key(row, header.cellIndex) };
    });
    var first = header === this.start && direction === this.begins;
    rows.sort(function (a, b) {
      return (first ? 0 : compare(a.key, b.key, header.dataset.kind, sign)) || order.get(a.row) - order.get(b.row);
    });
    this.headers.forEach(function (each) { each.removeAttribute("aria-sort"); });
    header.setAttribute("aria-sort", direction);
    rows.forEach(function (entry) { body.appendChild(entry.row); });
    this.table.dispatchEvent(new CustomEvent("torr-sorted", { detail: { name: name(header), direction: direction } }));
  };

  // The column in the address, if there is such a one; else the order of the page, with a notice.
  Sorted.prototype.read = function (wished) {
    var header = null, direction = this.begins;
    this.headers.forEach(function (each) {
      if (wished === name(each)) { header = each; direction = first(each); }
      if (wished === "-" + name(each)) { header = each; direction = OTHER[first(each)]; }
    });
    var known = header !== null || !wished;
    header = header || this.start;
    if (!header) return;
    this.sort(header, direction);
    window.torr.state.answer(this.table.dataset.state, known ? null : wished, "the order of the table", name(header));
  };

  Sorted.prototype.choose = function (header) {
    var direction = header.getAttribute("aria-sort") === first(header) ? OTHER[first(header)] : first(header);
    var state = this.table.dataset.state;
    this.sort(header, direction);
    if (!state) return;
    var order = header === this.start && direction === this.begins ? "" : (direction === first(header) ? "" : "-") + name(header);
    var change = {};
    change[state] = order;
    window.torr.state.set(change);
  };

  function prepare(table) {
    var sorted = new Sorted(table);
    sorted.headers.forEach(function (header) {
      var button = document.createElement("button");
      button.type = "button";
      if (header.querySelector("a")) {
        button.className = "arrow";
        button.setAttribute("aria-label", "Sort by " + header.textContent.trim());
        header.dataset.name = name(header);
      } else {
        while (header.firstChild) button.appendChild(header.firstChild);
      }
      header.appendChild(button);
      button.addEventListener("click", function () { sorted.choose(header); });
    });
    var state = table.dataset.state;
    if (state) window.torr.state.on(function (address) { sorted.read(address[state]); });
    return sorted;
  }

  var all = new Map();
  document.documentElement.classList.add("script");
  document.querySelectorAll("table[data-sortable]").forEach(function (table) { all.set(table, prepare(table)); });

  // Sorts a table again by the column that it is sorted by, after its cells have changed.
  function again(table) {
    var sorted = all.get(table);
    var header = sorted.headers.find(function (each) { return each.hasAttribute("aria-sort"); });
    if (header) sorted.sort(header, header.getAttribute("aria-sort"));
  }

  // The same of a table that got other rows.
  function renew(table) {
    all.get(table).begin();
    again(table);
  }

  // Whether a table is wider than its region, which then scrolls and can be reached by keyboard; else its header stays in
  // sight with the page. Whether there is more to the right, and whether it was moved: style.css shows it at the edges.
  function edges(box) {
    var fits = Array.from(box.children).every(function (each) { return each.offsetWidth <= box.clientWidth; });
    box.classList.toggle("fits", fits);
    if (box.hasAttribute("tabindex")) box.tabIndex = fits ? -1 : 0;
    var hidden = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("more", hidden > 1);
    box.style.setProperty("--hidden", hidden + "px");  // what hardly lacks is hardly faded
    box.classList.toggle("moved", box.scrollLeft > 0);
  }

  // A header cannot stick to the window from within a box that scrolls sideways, so it is moved along with the page.
  function follow(box) {
    var head = box.querySelector("thead");
    if (!head) return;
    var least = head.offsetHeight + head.offsetTop + 40;  // of the last row is seen as much
    var above = -box.getBoundingClientRect().top - head.offsetTop;
    var by = box.classList.contains("fits") ? 0 : Math.max(0, Math.min(above, box.clientHeight - least));
    head.style.translate = by ? "0 " + by + "px" : "";
  }

  var boxes = [];
  addEventListener("scroll", function () { boxes.forEach(follow); }, { passive: true });
  var watched = new ResizeObserver(function (entries) {
    entries.forEach(function (entry) {
      var box = entry.target.closest(".scroll");
      edges(box);
      follow(box);
    });
  });
  // The regions in an element of the page.
  function watch(within) {
    boxes = boxes.filter(function (box) { return box.isConnected; });
    within.querySelectorAll(".scroll").forEach(function (box) {
      boxes.push(box);
      box.addEventListener("scroll", function () { edges(box); }, { passive: true });
      watched.observe(box);
      if (box.firstElementChild) watched.observe(box.firstElementChild);
    });
  }
  watch(document);

  window.torr.tables = { again: again, renew: renew, watch: watch };
})();
