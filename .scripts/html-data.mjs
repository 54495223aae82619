// Data about a custom element for editors of HTML, in the form of VS Code, made from the manifest that describes it.

/** @typedef {{name: string, description?: string, type?: {text: string}}} Named */
/** @typedef {{tagName: string, description: string, attributes: Named[]}} Declaration */

/** `"html.customData": ["./node_modules/sallyport/dist/vscode.html-custom-data.json"]` in an editor's settings.
 * @param {{modules: Array<{declarations: Declaration[]}>}} manifest */
export function htmlData({ modules }) {
  const declared = modules.flatMap(({ declarations }) => declarations);
  return {
    version: 1.1,
    tags: declared.map(({ tagName, description, attributes }) => ({
      name: tagName,
      description,
      attributes: attributes.map(attribute),
    })),
  };
}

/** @param {Named} named */
function attribute({ name, description, type }) {
  const values = [...(type?.text ?? '').matchAll(/'([^']+)'/g)].map(([, value = '']) => ({ name: value }));
  if (values.length > 0) return { name, description, values };
  // `v`: a boolean attribute without a value.
  return type?.text === 'boolean' ? { name, description, valueSet: 'v' } : { name, description };
}
