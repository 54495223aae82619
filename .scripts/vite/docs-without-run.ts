/**
 * Examples without *Run*, though a page has their modules or their element. Each has its reason, by the name that the
 * example would have. A test holds the list against the pages.
 */
export const WITHOUT_RUN: { readonly [name: string]: string } = {
  'example-browsers-0': 'It prints the facts of Node. A page has other facts.',
  'example-witnesses-0': 'Only Node has `compareCheckpoints`.',
  'element-frameworks-0': 'Its page has a script and an import map inside, which the policy of this site forbids.',
  'element-local-model-0': 'Its page has a script and an import map inside, and it needs a model server.',
};
