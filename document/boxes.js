// Boxes that are narrower than what they hold say that they scroll.
(function () {
  function measure() {
    document.querySelectorAll(".scroll,.plate,.line>div").forEach(function (b) {
      b.classList.toggle("over", b.scrollWidth > b.clientWidth + 3);
    });
  }
  ["DOMContentLoaded", "load", "resize"].forEach(function (event) { addEventListener(event, measure); });
})();
