// A select with data-choose="NAME" shows the panel [data-panel="NAME"] whose data-name is its value. The choice stands
// in the address under NAME, so that a link shows the same.
(function () {
  "use strict";

  function panelsOf(name) { return document.querySelectorAll('[data-panel="' + CSS.escape(name) + '"]'); }

  function prepare(select) {
    var name = select.dataset.choose;
    var first = select.value;

    function show(value) {
      panelsOf(name).forEach(function (panel) {
        panel.classList.toggle("chosen", panel.dataset.name === value);
      });
    }

    select.addEventListener("change", function () {
      var change = {};
      change[name] = select.value === first ? null : select.value;
      window.torr.state.set(change);
      show(select.value);
    });

    // an unknown name in the address shows the first panel, with a notice
    window.torr.state.on(function (state) {
      var wished = state[name] || first;
      var there = Array.from(select.options).some(function (option) { return option.value === wished; });
      select.value = there ? wished : first;
      window.torr.state.answer(name, there ? null : wished, window.torr.state.label(select), select.options[select.selectedIndex].text);
      show(select.value);
    });
  }

  document.querySelectorAll("select[data-choose]").forEach(prepare);
})();
