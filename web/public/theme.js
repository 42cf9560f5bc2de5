// Before the first paint, so that nobody who chose dark sees a white flash. A file of its own, because the page allows no inline script.
(function () {
  var choice = 'system';
  try { choice = localStorage.getItem('hostler.theme') || choice; } catch (e) { /* storage may be off */ }
  var dark = choice === 'dark' || (choice === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
