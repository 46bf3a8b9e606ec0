// Which flips of an example are widest, and in which parts their configurations differ.
(function () {
  "use strict";
  // [model, width, worst, best] of one model, or of those that flip most; none where the score stands still
  function flipsOf(row, model) {
    var found = row.flips.filter(function (flip) { return model < 0 || flip[0] === model; });
    var widest = Math.max.apply(null, found.map(function (flip) { return flip[1]; }));
    return found.filter(function (flip) { return flip[1] === widest; });
  }

  // the parts in which the worst and the best configuration differ
  function parts(flip, configs) {
    return ["format", "perturbation", "design"].filter(function (part) { return configs[flip[2]][part] !== configs[flip[3]][part]; });
  }

  // "csv → html"
  function why(flip, configs) {
    return parts(flip, configs).map(function (part) { return configs[flip[2]][part] + " → " + configs[flip[3]][part]; }).join(", ");
  }

  window.torr.flips = { of: flipsOf, parts: parts, why: why };
})();
