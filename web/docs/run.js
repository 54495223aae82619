// Examples that a page can run have *Run*. The runtime and the element load with the first click, and never before.
for (const code of document.querySelectorAll('pre:is([data-example], [data-element])')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Run' });
  const told = Object.assign(document.createElement('span'), { role: 'status' });
  const line = Object.assign(document.createElement('p'), { className: 'run' });
  const place = Object.assign(document.createElement('div'), { className: 'played' });
  line.append(button, told);
  code.closest('.code')?.after(line, place);
  const name = code.getAttribute('data-example');
  const element = code.getAttribute('data-element') ?? '';
  const play = () => (name === null ? placeElement(element, place) : playScript(name, place));
  button.addEventListener('click', () => void run(play, told));
}

/**
 * @param {() => Promise<string>} play resolves to the sentence that says how it ended
 * @param {HTMLElement} told
 */
async function run(play, told) {
  told.textContent = 'Running …';
  try {
    told.textContent = await play();
  } catch (error) {
    told.textContent = `The runtime could not be loaded: ${String(error)}`;
  }
}

/**
 * @param {string} name
 * @param {HTMLElement} place
 */
async function playScript(name, place) {
  const { show } = await import('./runtime.js');
  return show(name, place);
}

/**
 * Shows the element of an example, under the policy of this page.
 * @param {string} example the attributes of the element and its style sheet, as JSON
 * @param {HTMLElement} place
 */
async function placeElement(example, place) {
  await import('./runtime-element.js');
  const { attributes, sheet } = /** @type {{attributes: Record<string, string>, sheet?: string}} */ (
    JSON.parse(example)
  );
  if (sheet !== undefined && document.querySelector(`link[href="${sheet}"]`) === null)
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: sheet }));
  const element = document.createElement('sallyport-run');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  place.replaceChildren(element);
  return 'The element is beneath.';
}
