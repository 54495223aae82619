// Examples that a page can run have *Run*. The runtime is loaded with the first click, and never before.
for (const code of document.querySelectorAll('pre[data-example]')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Run' });
  const told = Object.assign(document.createElement('span'), { role: 'status' });
  const line = Object.assign(document.createElement('p'), { className: 'run' });
  const place = Object.assign(document.createElement('div'), { className: 'played' });
  line.append(button, told);
  code.closest('.code')?.after(line, place);
  button.addEventListener('click', () => void run(code.getAttribute('data-example') ?? '', told, place));
}

/**
 * @param {string} name
 * @param {HTMLElement} told
 * @param {HTMLElement} place
 */
async function run(name, told, place) {
  told.textContent = 'Running …';
  try {
    const { show } = await import('./runtime.js');
    told.textContent = await show(name, place);
  } catch (error) {
    told.textContent = `The runtime could not be loaded: ${String(error)}`;
  }
}
