import { SallyportError } from '../../core/index.ts';
import type { CapabilityDefinition, GrantOption, StartOptions } from '../../workers/api.ts';
import { ownProperties } from '../../workers/own-properties.ts';

/** The JSON file of this origin that `src` names. The kernel checks each member before it is used. */
export interface Scenario {
  readonly task?: string;
  readonly dialect?: StartOptions['dialect'];
  readonly capabilities?: readonly CapabilityDefinition[];
  readonly grants?: readonly GrantOption[];
  /** Proposals of a scripted model, in order: texts as they are, objects as their JSON. */
  readonly script?: readonly (string | object)[];
}

const BYTES_MAX = 1 << 20;

/**
 * Loads the scenario from this origin; a redirect to another origin is refused. Rejects with `SallyportError`
 * `scenario_invalid`.
 */
export async function loadScenario(src: string): Promise<Scenario> {
  const url = new URL(src, document.baseURI);
  if (url.origin !== location.origin) throw invalid(`it is of another origin, ${url.origin}`);
  const response = await fetch(url, { credentials: 'omit', mode: 'same-origin' }).catch(() => undefined);
  if (response === undefined)
    throw invalid(`no answer for ${url}. The policy of the page has to allow connect-src 'self'`);
  if (!response.ok) throw invalid(`the server answered ${response.status} for ${url}`);
  const text = await response.text();
  if (text.length > BYTES_MAX) throw invalid(`it is longer than ${BYTES_MAX} characters`);
  return scenarioOf(parse(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('it is not JSON');
  }
}

function scenarioOf(value: unknown): Scenario {
  const { task, dialect, capabilities, grants, script } = ownProperties(Object(value)) as {
    readonly [name: string]: unknown;
  };
  const lists = [capabilities, grants, script].every((list) => list === undefined || Array.isArray(list));
  if (!lists || !isText(task) || !isText(dialect)) throw invalid('a member has the wrong type');
  return { task, dialect, capabilities, grants, script } as Scenario;
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function invalid(reason: string): SallyportError {
  return new SallyportError('scenario_invalid', `The scenario cannot be used: ${reason}.`, { reason });
}
