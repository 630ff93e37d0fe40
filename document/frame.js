// Colours: as the system has them, light or dark.
(function () {
  var root = document.documentElement;
  var control = document.getElementById("theme");
  var buttons = control.querySelectorAll("button");
  function show(theme) {
    if (theme === "light" || theme === "dark") root.setAttribute("data-theme", theme);
    else root.removeAttribute("data-theme"), (theme = "auto");
    buttons.forEach(function (b) { b.setAttribute("aria-pressed", String(b.value === theme)); });
  }
  function stored(theme) { // a browser may forbid storage to local files
    try {
      if (theme) localStorage.setItem("foretell-theme", theme);
      return localStorage.getItem("foretell-theme");
    } catch (e) { return null; }
  }
  buttons.forEach(function (b) {
    b.addEventListener("click", function () { show(b.value); stored(b.value); });
  });
  show(stored());
  control.hidden = false;
})();
