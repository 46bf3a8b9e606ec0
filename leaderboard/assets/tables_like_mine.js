// The page "Tables like mine": the models on tables of the kind that was chosen (views.js).
(function () {
  "use strict";
  var views = window.torr.views;
  var status = document.getElementById("tables-status");
  var choices = Array.from(document.querySelectorAll("#like-mine select"));
  var box = document.querySelector('table[data-view="kind"]').closest(".scroll");

  function chosen() { return choices.filter(function (select) { return select.selectedIndex > 0; }); }

  // "number of cells: 51 to 100; source: Wikipedia"
  function words() {
    return chosen().map(function (select) { return select.labels[0].textContent + ": " + select.value; }).join("; ") || "all tables";
  }

  views.connect(choices.map(function (select) { return select.id; }), status.dataset.data, status, function (data) {
    var place = choices.map(function (select) { return select.selectedIndex; }).join();
    var known = Object.hasOwn(data, place);
    var many = chosen().length > Number(status.dataset.most);
    views.fill("kind", known ? data[place] : { head: [], rows: [], lines: [many ? status.dataset.many : status.dataset.none] });
    box.hidden = !known;
    views.caption("kind", "Mean score of each model (" + words() + ")");
  });
})();
