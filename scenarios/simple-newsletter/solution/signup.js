(function () {
  "use strict";

  const STORE = "harbour-loaf-signups";
  const form = document.getElementById("signup-form");
  const status = document.getElementById("form-status");

  function stored() {
    try {
      const list = JSON.parse(localStorage.getItem(STORE) || "[]");
      return Array.isArray(list) ? list : [];
    } catch (error) {
      return [];
    }
  }

  function problem(address, agreed) {
    if (address === "") {
      return "Your e-mail address is missing.";
    }
    if (!/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(address)) {
      return "That does not look like an e-mail address. It should read like name@example.org.";
    }
    return agreed ? "" : "Tick the box first, so that I may write to you.";
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    const address = form.elements.email.value.trim();
    const wrong = problem(address, form.elements.consent.checked);
    if (wrong) {
      status.textContent = wrong;
      return;
    }
    const list = stored();
    if (list.some((known) => String(known).toLowerCase() === address.toLowerCase())) {
      status.textContent = address + " is already on the list.";
    } else {
      localStorage.setItem(STORE, JSON.stringify(list.concat(address)));
      status.textContent = "Thank you. The next letter goes to " + address + ".";
    }
    form.reset();
  });
})();
