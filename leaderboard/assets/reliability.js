// The page of reliability: curves of the chosen data set, and the budget planner, which picks from figures that are
// all worked out beforehand (planner.py).
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

  var target = document.getElementById("budget-target");
  if (!target) return;
  var number = document.getElementById("budget-number");
  var measure = document.getElementById("budget-measure");

  function say() { number.value = Number(target.value).toFixed(2); }

  views.connect(["budget-target", "budget-measure", "budget-dataset", "budget-k", "budget-n"], status.dataset.budget, status, function (data) {
    say();
    var plan = data.places[index("budget-dataset")][measure.value];
    var wished = data.targets.findIndex(function (each) { return Math.abs(each - Number(target.value)) < 0.005; });
    var wish = plan.wishes[Math.max(0, wished)];
    var size = plan.sizes[index("budget-k")][index("budget-n")];
    views.fill("wish", wish);
    views.say("size", [size]);
    views.say("budget-notes", plan.notes);
  }, say);

  number.addEventListener("change", function () {
    var wished = Math.min(Number(target.max), Math.max(Number(target.min), Number(number.value) || Number(target.value)));
    target.value = wished.toFixed(2);
    number.value = wished.toFixed(2);
    target.dispatchEvent(new Event("input"));
  });
})();
