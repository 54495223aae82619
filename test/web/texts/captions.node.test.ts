import { describe, expect, it } from 'vitest';
import { bakery } from '../../../web/playground/demo/scenario.ts';
import { formsOf, loadScenario, SCENARIO_IDS } from '../../../web/playground/gallery/shelf.ts';
import { type CaptionedScenario, captionOf, captionsName } from '../../../web/texts/captions.ts';
import { de } from '../../../web/texts/de/index.ts';
import { spoken } from './spoken.ts';

async function formsOfGallery(id: string): Promise<readonly CaptionedScenario[]> {
  const source = await loadScenario(id);
  return source === undefined ? [] : formsOf(source);
}

const scenarios: readonly CaptionedScenario[] = [
  ...(['xct', 'femtoclaw', 'catalytic'] as const).map(bakery),
  ...(await Promise.all(SCENARIO_IDS.map(formsOfGallery))).flat(),
];

describe('the captions of the scripts', () => {
  it.each(scenarios)('German has a caption for each step of $id in the dialect $dialect', (scenario) => {
    const german = de.captions[captionsName(scenario)] ?? [];
    expect(german).toHaveLength(scenario.steps.length);
    spoken('de');
    for (const [step, { caption }] of scenario.steps.entries()) {
      expect(captionOf(scenario, step)).toMatch(/^[\p{Lu}„].*\.$/u);
      expect(captionOf(scenario, step)).not.toBe(caption);
    }
  });

  it('German has captions for no further script', () => {
    const names = new Set(scenarios.map(captionsName));
    expect(Object.keys(de.captions).toSorted()).toEqual([...names].toSorted());
  });

  it('German captions of the same step name the same capabilities, numbers and addresses', () => {
    const named = (text: string): string[] => (text.match(/[a-z]+\.[a-z]+|\d[\d:.]*\d/gu) ?? []).toSorted();
    for (const scenario of scenarios)
      for (const [step, { caption }] of scenario.steps.entries())
        expect(named(de.captions[captionsName(scenario)]?.[step] ?? ''), caption).toEqual(named(caption));
  });

  it('English captions are those of the script', () => {
    spoken('en');
    for (const scenario of scenarios)
      expect(scenario.steps.map((_, step) => captionOf(scenario, step))).toEqual(
        scenario.steps.map(({ caption }) => caption),
      );
  });

  it('a caption that German lacks stays in English and is marked as English', () => {
    spoken('de');
    const own = { id: 'own', dialect: 'xct', steps: [{ caption: 'A caption.' }] };
    expect(captionOf(own, 0)).toMatchObject({ strings: expect.arrayContaining(['<span lang="en">']) as string[] });
    expect(captionOf({ ...own, id: 'constructor' }, 0)).toMatchObject({ values: ['A caption.'] });
    expect(captionOf(own, 1)).toBeUndefined();
  });
});
