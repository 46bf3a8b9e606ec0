// The reader's theme, before anything is drawn; the rest of the look is style.css. Runs in the head, so it is short.
(function () {
  "use strict";
  var PATIENCE = 5000;  // milliseconds
  var root = document.documentElement;
  var chosen = null;

  function giveUp() {
    root.classList.remove("asked");
    root.classList.add("broken");
  }

  // a browser may forbid storage, above all to files
  try { chosen = localStorage.getItem("torr-theme"); } catch (error) { chosen = null; }
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  root.classList.add("script");
  // an address may ask for another view than the page has: hide the page until that is loaded (data.js), so that
  // nothing moves and no figure is mistaken for another's
  if (location.hash.indexOf("=") > 0) root.classList.add("asked");
  // a script of the page that is missing or breaks leaves the page as it came; files of data say themselves what is lost
  addEventListener("error", function (event) {
    if (event.target === window || event.target.defer) giveUp();
  }, true);
  // the last resort: a request that neither comes nor fails would hide the page as long as it hangs, and a reader is
  // better served with the figures that the page came with, which say whose they are. What is slow is there before
  setTimeout(giveUp, PATIENCE);
})();
