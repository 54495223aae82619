import type { TemplateResult } from 'lit';
import { type Captions, speech } from './area.ts';
import { inEnglish } from './recorded.ts';

/** The part of a scenario that names its captions. */
export interface CaptionedScenario {
  readonly id: string;
  readonly dialect: string;
  readonly steps: readonly { readonly caption: string }[];
}

/** Name of a scenario's captions: its id; the messages of the Catalytic form are other steps. */
export function captionsName({ id, dialect }: CaptionedScenario): string {
  return dialect === 'catalytic' ? `${id}/catalytic` : id;
}

/**
 * The caption of a step of the script, from 0, in the language of the interface; in English, marked as such, where that
 * language has none. Undefined for a step that the script does not have.
 */
export function captionOf(scenario: CaptionedScenario, step: number): TemplateResult | string | undefined {
  const english = scenario.steps[step]?.caption;
  if (english === undefined) return undefined;
  const captions: Captions = speech().tables?.captions ?? {};
  const name = captionsName(scenario);
  const own = Object.hasOwn(captions, name) ? captions[name] : undefined;
  return own?.[step] ?? inEnglish(english);
}
