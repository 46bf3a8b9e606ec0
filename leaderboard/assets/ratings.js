// The page of ratings: what the questions of the chosen level say, in the chart, the table and the matrix.
(function () {
  "use strict";
  var views = window.torr.views;
  var status = document.getElementById("ratings-status");
  if (!status) return;

  views.connect(["ratings-level"], status.dataset.data, status, function (data) {
    var found = data[views.index("ratings-level")];
    var select = document.getElementById("ratings-level");
    var name = select.options[select.selectedIndex].text;
    views.fill("ratings", found.table);
    views.caption("ratings", "Ratings, " + name);
    views.fill("wins", found.matrix);
    views.panel("ratings", views.index("ratings-level"));
    document.querySelectorAll("[data-chosen-level]").forEach(function (element) { element.textContent = name; });
  });
})();
