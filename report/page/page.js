// The style sheet shows the sentence of a cell. Escape hides it. A click focuses the
// cell, since some browsers do not do so by themselves.
(function () {
  var root = document.documentElement;
  document.addEventListener("keydown", function (e) { if (e.key === "Escape") root.classList.add("quiet"); });
  ["pointerover", "focusin", "click"].forEach(function (event) {
    document.addEventListener(event, function (e) {
      var cell = e.target.closest && e.target.closest(".cell");
      if (cell) root.classList.remove("quiet");
      if (cell && event === "click") cell.focus();
    });
  });
})();
