import { BUDGETS, type Dialect } from '../../../core/index.ts';
import { sendAsks } from '../parts/dialog-asks.ts';
import type { Playground } from '../playground.ts';

/** A call in the form of the run's dialect. The arguments are the typed text, unparsed: the gates read them. */
export function callText(dialect: Dialect, name: string, args: string): string {
  const tool = JSON.stringify(name);
  if (dialect === 'femtoclaw') return `{"tool_call":{"tool":${tool},"args":${args}}}`;
  if (dialect === 'catalytic') return messageText('Try it', `@TOOLS/${name}`, 'EXECUTE', `{"args":${args}}`);
  return `{"next_step":{"tool":${tool},"arguments":${args},"goal":"Try it"}}`;
}

function messageText(intent: string, symbol: string, type: string, params: string): string {
  const target = JSON.stringify(symbol);
  const op = `{"type":"${type}","target":${target},"params":${params}}`;
  return `{"intent":${JSON.stringify(intent)},"refs":[${target}],"ops":[${op}],${REST}}`;
}

const REST = `"budgets":${JSON.stringify(BUDGETS)},"required_outputs":[]`;

const THAT_WAS_IT: { readonly [D in Dialect]: string } = {
  xct: '{"done":true,"message":"That was it."}',
  femtoclaw: '{"message":{"content":"That was it."}}',
  catalytic: `{"intent":"That was it.","refs":[],"ops":[],${REST}}`,
};

const OPERATIONS: { readonly [name: string]: string } = {
  'content.read': messageText('Try it', '@BAKERY/PAYING', 'READ', '{"slice":"head(7)"}'),
  'content.write': messageText('Try it', '@BAKERY/PAYING', 'WRITE', '{"content":"","expected_hash":""}'),
};

/** A first message for an operation that only a message can ask for; undefined for a capability that can be called. */
export function operationText(name: string): string | undefined {
  return Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
}

/** Switches to a new run in which the person is the model, with a first call to edit. The call is not sent. */
export function proposeAsYou(store: Playground, name: string, args: string): void {
  const operation = operationText(name);
  store.turnTo(name);
  store.choose('you');
  store.startRun();
  if (operation !== undefined) store.speak('catalytic');
  store.draftUndo.put(operation ?? callText(store.scenario.dialect, name, args));
  store.column.value = 'setup';
  store.view.value = 'run';
  sendAsks.value = true;
}

/** Switches to a new run whose script is these proposals, or the call and the end. The run does not start. */
export function proposeAsScript(store: Playground, name: string, args: string, proposals: readonly string[]): void {
  const { dialect } = store.scenario;
  const script = proposals.length > 0 ? proposals : [callText(dialect, name, args), THAT_WAS_IT[dialect]];
  store.turnTo(name);
  store.choose('script');
  store.startRun({ task: `Try ${name}`, script, origin: 'workshop' });
  store.column.value = 'setup';
  store.view.value = 'run';
}
