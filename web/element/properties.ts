import type { PropertyDeclarations } from 'lit';

/** Options for opening an agent; a change counts from the next run on. */
const GIVEN = {
  src: {},
  task: {},
  dialect: {},
  assets: {},
  store: {},
  capabilities: { attribute: false },
  grants: { attribute: false },
  model: { attribute: false },
  runtime: { attribute: false },
};

export const GIVEN_NAMES = Object.keys(GIVEN) as readonly (keyof typeof GIVEN)[];

/** Attributes, and the properties whose change draws the element again. */
export const PROPERTIES: PropertyDeclarations = {
  ...GIVEN,
  view: {},
  mode: { reflect: true },
  theme: { reflect: true },
  frame: {},
  readonly: { type: Boolean },
  words: { attribute: false },
  state: { state: true },
  records: { state: true },
  trouble: { state: true },
  info: { state: true },
  asked: { state: true },
  saying: { state: true },
};
