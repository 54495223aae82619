import type { PropertyDeclarations } from 'lit';

/** Attributes, and what the element draws again for. */
export const PROPERTIES: PropertyDeclarations = {
  src: {},
  task: {},
  dialect: {},
  view: {},
  mode: { reflect: true },
  theme: { reflect: true },
  frame: {},
  assets: {},
  store: {},
  readonly: { type: Boolean },
  words: { attribute: false },
  state: { state: true },
  records: { state: true },
  trouble: { state: true },
  info: { state: true },
  asked: { state: true },
};
