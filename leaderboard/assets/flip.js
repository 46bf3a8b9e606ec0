// Which flips of an example are widest, and in which parts their configurations differ.
(function () {
  "use strict";
  // [model, width, worst, best] of one model, or of those that flip most; none where the score stands still
  function flipsOf(row, model) {
    var found = row.flips.filter(function (flip) { return model < 0 || flip[0] === model; });
    var widest = Math.max.apply(null, found.map(function (flip) { return flip[1]; }));
    return found.filter(function (flip) { return flip[1] === widest; });
  }

  // "csv → html": the parts in which the worst and the best configuration differ
  function why(flip, configs) {
    var worst = configs[flip[2]], best = configs[flip[3]];
    return ["format", "perturbation", "design"].filter(function (part) { return worst[part] !== best[part]; })
      .map(function (part) { return worst[part] + " → " + best[part]; }).join(", ");
  }

  window.torr.flips = { of: flipsOf, why: why };
})();
