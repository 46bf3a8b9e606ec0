// Searches the list of studies: by name, description, model or data set; the search is kept in the address.
(function () {
  "use strict";
  var field = document.getElementById("studies-search");
  if (!field) return;
  var entries = Array.from(document.querySelectorAll("#studies > li"));
  var count = document.getElementById("studies-count");

  function show(text) {
    var parts = text.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    entries.forEach(function (entry) {
      entry.hidden = !parts.every(function (part) { return entry.dataset.words.indexOf(part) >= 0; });
      if (!entry.hidden) shown += 1;
    });
    count.textContent = shown + " of " + entries.length + " studies";
  }

  field.addEventListener("input", function () {
    window.torr.state.set({ q: field.value });
    show(field.value);
  });
  window.torr.state.on(function (state) {
    field.value = state.q || "";
    show(field.value);
  });
})();
