// Makes the headers of tables with data-sortable sort their rows. Without this script the page reads the same.
(function () {
  "use strict";

  function key(row, column) {
    var cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
  }

  // An empty key, of a figure that is not there, stands last in either direction.
  function compare(a, b, kind, sign) {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (kind === "number") return sign * (Number(a) - Number(b));
    return sign * a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
  }

  function sort(table, header, headers) {
    var before = header.getAttribute("aria-sort");
    var first = header.dataset.first || "ascending";
    var other = first === "ascending" ? "descending" : "ascending";
    var direction = before === first ? other : first;
    var sign = direction === "ascending" ? 1 : -1;
    var body = table.tBodies[0];
    var rows = Array.from(body.rows).map(function (row, index) {
      return { row: row, key: key(row, header.cellIndex), index: index };
    });
    rows.sort(function (a, b) {
      return compare(a.key, b.key, header.dataset.kind, sign) || a.index - b.index;
    });
    headers.forEach(function (each) { each.removeAttribute("aria-sort"); });
    header.setAttribute("aria-sort", direction);
    rows.forEach(function (entry) { body.appendChild(entry.row); });
  }

  function prepare(table) {
    var headers = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
    headers.forEach(function (header) {
      var button = document.createElement("button");
      button.type = "button";
      while (header.firstChild) button.appendChild(header.firstChild);
      header.appendChild(button);
      button.addEventListener("click", function () { sort(table, header, headers); });
    });
  }

  document.documentElement.classList.add("script");
  document.querySelectorAll("table[data-sortable]").forEach(prepare);
})();
