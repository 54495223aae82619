import { FORMS, stepIn } from '../demo/moves.ts';
import type { PlaygroundScenario } from '../scenario.ts';
import type { ScenarioSource } from './source.ts';

/** The scenario in each dialect of calls, `xct` first: the same moves in another form. */
export function formsOf({ moves, ...scenario }: ScenarioSource): readonly PlaygroundScenario[] {
  return (['xct', 'femtoclaw'] as const).map((dialect) => {
    const steps = moves.map(stepIn(FORMS[dialect]));
    return { ...scenario, dialect, steps, script: steps.map(({ text }) => text), symbols: [] };
  });
}
