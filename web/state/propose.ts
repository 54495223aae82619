import type { Dialect } from '../../core/index.ts';
import type { Playground } from './playground.ts';

/** A call in the form of the playground's dialects. The arguments are what was typed, not what it means: the gates read them. */
function callText(dialect: Dialect, name: string, args: string): string {
  const tool = JSON.stringify(name);
  if (dialect === 'femtoclaw') return `{"tool_call":{"tool":${tool},"args":${args}}}`;
  return `{"next_step":{"tool":${tool},"arguments":${args},"goal":"Try it"}}`;
}

function endText(dialect: Dialect): string {
  return dialect === 'femtoclaw' ? '{"message":{"content":"That was it."}}' : '{"done":true,"message":"That was it."}';
}

/** Turns to a new run in which you are the model, with a call to begin with. Nothing is sent. */
export function proposeAsYou(store: Playground, name: string, args: string): void {
  store.choose('you');
  store.startRun();
  store.draft.value = callText(store.scenario.dialect, name, args);
  store.column.value = 'setup';
  store.view.value = 'run';
}

/** Turns to a new run whose script is these proposals, or one call and the end. Nothing is run. */
export function proposeAsScript(store: Playground, name: string, args: string, proposals: readonly string[]): void {
  const { dialect } = store.scenario;
  const script = proposals.length > 0 ? proposals : [callText(dialect, name, args), endText(dialect)];
  store.choose('script');
  store.startRun({ task: `Try ${name}`, script, origin: 'workshop' });
  store.column.value = 'setup';
  store.view.value = 'run';
}
