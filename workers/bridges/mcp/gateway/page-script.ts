/** The documents of the page. Its script is `web/gateway/page.ts`. */

/** The document. `key` is absent for a tab that has its key already. */
export function pageDocument(key: string | undefined): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${key === undefined ? '' : `<meta name="key" content="${key}">`}
<title>Sallyport</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script></head>
<body><header><h1>Sallyport</h1><p id="status" role="status">Waiting for the gateway.</p></header>
<main><section aria-labelledby="questions-title"><h2 id="questions-title" tabindex="-1">Calls that wait for you</h2><p id="questions-none">No call waits.</p><div id="questions"></div></section>
<section aria-labelledby="changes-title"><h2 id="changes-title" tabindex="-1">Changed definitions</h2><p id="changes-none">No definition has changed.</p><div id="changes"></div></section>
<section aria-labelledby="effects-title"><h2 id="effects-title" tabindex="-1">Declared effects</h2><p id="effects-none">You have declared no effect of a tool.</p><div id="effects"></div></section>
<section aria-labelledby="grants-title"><h2 id="grants-title" tabindex="-1">Always</h2><p id="grants-none">No tool runs without a question by a grant of the configuration.</p><div id="grants"></div></section>
<section aria-labelledby="runs-title"><h2 id="runs-title">Runs</h2><div id="runs"></div></section>
<section aria-labelledby="servers-title"><h2 id="servers-title">Servers</h2><div id="servers"></div></section></main></body></html>`;
}

/**
 * Document for an address that was followed from another page. The token is used by a click here alone: a page that
 * sends a person to this address has not opened the page with it.
 */
export const LINK_DOCUMENT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sallyport</title><link rel="stylesheet" href="/page.css"><script type="module" src="/link.js"></script></head>
<body><main><h1>Sallyport</h1><p>Calls that wait for you are shown on a page of this machine. The address opens it once.</p>
<p class="buttons"><button type="button">Open the page</button></p></main></body></html>`;

/** Script of that document. The address leaves the history at once. */
export const LINK_SCRIPT = `'use strict';
const address = location.href;
history.replaceState(null, '', '/');
document.querySelector('button').addEventListener('click', (event) => { if (event.isTrusted) location.replace(address); });
`;
