// The page of reliability: curves and sources of variance of the chosen data set.
(function () {
  "use strict";
  var views = window.torr.views, index = views.index;
  var status = document.getElementById("reliability-status");

  function at(id) {
    var element = document.getElementById(id);
    return ", " + (element ? element.options[element.selectedIndex].text : status.dataset.first);
  }

  views.connect(["curves-dataset"], status.dataset.data, status, function (data) {
    var place = index("curves-dataset");
    [["prompts", "configurations"], ["examples", "examples"]].forEach(function (kind) {
      var found = data[kind[0]][place];
      views.fill(kind[0], found);
      views.caption(kind[0], "Kendall’s W against the number of " + kind[1] + at("curves-dataset"));
    });
    views.panel("curves", place);
  });

  views.connect(["variance-dataset"], status.dataset.data, status, function (data) {
    views.fill("variance", data.variance[index("variance-dataset")]);
    views.caption("variance", "Variance components" + at("variance-dataset"));
  });
})();
