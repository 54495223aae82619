// Code is copied as it is written. Only what a script can do has a button, so it comes with this one.
for (const code of document.querySelectorAll('pre')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  const told = Object.assign(document.createElement('span'), { role: 'status', className: 'told' });
  const place = Object.assign(document.createElement('div'), { className: 'code' });
  code.replaceWith(place);
  place.append(code, button, told);
  button.addEventListener('click', () => void copy(code, told));
}

/**
 * Where the clipboard is refused, the code is selected: it is one key from there.
 * @param {Element} code
 * @param {Element} told
 */
async function copy(code, told) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    told.textContent = 'Copied.';
  } catch {
    getSelection().selectAllChildren(code);
    told.textContent = 'Selected.';
  }
}
