// The search of the documentation as one types: what the form would lead to, shown below the field. / goes to the field, arrows through the results.
(() => {
  const form = document.querySelector('header form');
  const field = form.elements.namedItem('q');
  const found = document.createElement('div');
  found.id = 'found';
  found.hidden = true;
  form.append(found);
  let timer;
  let asked = 0;

  const close = () => {
    found.hidden = true;
  };
  const ask = async () => {
    const mine = ++asked;
    if (!field.value.trim()) return close();
    try {
      const answer = await fetch(`${form.action}?q=${encodeURIComponent(field.value)}`);
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (mine !== asked || !answer.ok) return;
      found.replaceChildren(page.getElementById('said'), page.getElementById('results'));
      found.hidden = false;
    } catch {
      close(); // the form still works once the server answers
    }
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 120);
  });
  form.addEventListener('keydown', (e) => {
    const links = [...found.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (e.key === 'Escape' && !found.hidden) {
      close();
      field.focus();
    } else if (e.key === 'ArrowDown' && !found.hidden && links.length) {
      links[Math.min(at + 1, links.length - 1)].focus();
    } else if (e.key === 'ArrowUp' && at >= 0) {
      (links[at - 1] ?? field).focus();
    } else return;
    e.preventDefault();
  });
  form.addEventListener('focusout', (e) => {
    if (!form.contains(e.relatedTarget)) close();
  });
  found.addEventListener('click', (e) => {
    if (e.target.closest('a')) close(); // it may lead to another part of this page
  });
  document.addEventListener('keydown', (e) => {
    if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    e.preventDefault();
    field.focus();
    field.select();
  });
})();
