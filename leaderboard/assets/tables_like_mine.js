// The page "Tables like mine": the models on tables of the kind that was chosen (views.js).
(function () {
  "use strict";
  var views = window.torr.views;
  var status = document.getElementById("tables-status");
  var choices = Array.from(document.querySelectorAll("#like-mine select"));
  var head = Array.from(document.querySelectorAll('table[data-view="kind"] thead th')).map(function (cell) { return cell.textContent; });

  // "number of cells: 51 to 100; source: Wikipedia"
  function words() {
    var chosen = choices.filter(function (select) { return select.selectedIndex > 0; });
    return chosen.map(function (select) { return select.labels[0].textContent + ": " + select.value; }).join("; ") || "all tables";
  }

  views.connect(choices.map(function (select) { return select.id; }), status.dataset.data, status, function (data) {
    var place = choices.map(function (select) { return select.selectedIndex; }).join();
    var none = { head: head, rows: [], lines: [status.dataset.none] };
    views.fill("kind", Object.hasOwn(data, place) ? data[place] : none);
    views.caption("kind", "Mean score of each model (" + words() + ")");
  });
})();
