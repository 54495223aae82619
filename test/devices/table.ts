import { PART_IDS, type PartId, type SelftestResult } from '../../web/selftest/result.ts';
import { fillPlaces, table } from '../bench/places.ts';

/** `devices.json`: results of the self-test, the form of a shared link, and the devices that no result is of. */
export interface Devices {
  readonly results: readonly SelftestResult[];
  /** Browsers and systems that were not tried. */
  readonly untried: readonly string[];
}

/** The text with the table of devices made anew. Throws for a place that no table has. */
export function fillDevices(text: string, devices: Devices): string {
  return fillPlaces(text, 'devices', { results: () => results(devices) });
}

const HEAD = ['device', 'tested', 'kernel', 'ledger', 'signs', 'overlay', 'vectors', 'passed', 'not tried'];

function results({ results: tested, untried }: Devices): string[] {
  const rows = tested.map((result) => {
    const { device, product, at, parts } = result;
    const { store, mirror, signs, sees } = parts.start?.facts ?? {};
    const { vectors, passed } = parts.conformance?.facts ?? {};
    return [
      `${device.browser} ${device.version}, ${device.system}`,
      `${at.slice(0, 10)}, ${product}`,
      String(parts.lock?.facts?.['isolation'] ?? NOT_TRIED),
      mirror === 'opfs' ? `${store}, private files` : String(store ?? NOT_TRIED),
      yesOrNo(signs),
      yesOrNo(sees),
      vectors === undefined ? NOT_TRIED : `${passed} of ${vectors}`,
      String(partsThat(result, 'pass').length),
      [...partsThat(result, 'fail').map((id) => `**${id} failed**`), ...partsThat(result, 'not_tried')].join(', '),
    ];
  });
  return table(HEAD, [...rows, ...untried.map((name) => [name, ...HEAD.slice(1).map(() => NOT_TRIED)])]);
}

const NOT_TRIED = 'not tried';

function yesOrNo(fact: unknown): string {
  return fact === undefined ? NOT_TRIED : fact === true ? 'yes' : 'no';
}

function partsThat({ parts }: SelftestResult, outcome: 'pass' | 'fail' | 'not_tried'): readonly PartId[] {
  return PART_IDS.filter((id) => (parts[id]?.outcome ?? 'not_tried') === outcome);
}
