// The sentence of a cell is shown by the style sheet. Escape puts it away, and a click
// focuses the cell where a browser does not do so by itself.
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
