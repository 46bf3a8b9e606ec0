// The reader's theme, before anything is drawn; the rest of the look is style.css. Runs in the head, so it is short.
(function () {
  "use strict";
  var root = document.documentElement;
  var chosen = null;
  // a browser may forbid storage, above all to files
  try { chosen = localStorage.getItem("torr-theme"); } catch (error) { chosen = null; }
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  root.classList.add("script");
  // an address may ask for another view than the page holds: nothing is shown before that is there (data.js), so that
  // nothing moves and no figure is taken for another's. A script that is missing or breaks leaves the page as it came
  if (location.hash.indexOf("=") > 0) {
    root.classList.add("asked");
    addEventListener("error", function () { root.classList.remove("asked"); }, true);
  }
})();
