import { type Device, wordOf } from './result.ts';

/** `navigator.userAgentData` of Chromium; no other browser has it. */
interface UserAgentData {
  getHighEntropyValues(hints: readonly string[]): Promise<{
    readonly fullVersionList?: readonly { readonly brand: string; readonly version: string }[];
    readonly platform?: string;
    readonly platformVersion?: string;
    readonly model?: string;
  }>;
}

const HINTS = ['fullVersionList', 'platformVersion', 'model'];

/** Names in a user agent and the browsers that they stand for: a browser also names those that it is like. */
const NAMES: readonly (readonly [name: string, browser: string])[] = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['FxiOS', 'Firefox for iOS'],
  ['CriOS', 'Chrome for iOS'],
  ['Firefox', 'Firefox'],
  ['HeadlessChrome', 'Chromium'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
];

/** Browser, version and system of this device, as the browser tells them. */
export async function deviceHere(): Promise<Device> {
  const { userAgentData: data } = navigator as { readonly userAgentData?: UserAgentData };
  const told = await data?.getHighEntropyValues(HINTS).catch(() => undefined);
  const plain = deviceIn(navigator.userAgent);
  const own = (told?.fullVersionList ?? []).filter(({ brand }) => !/not.*brand/i.test(brand));
  const brand = own.find(({ brand: each }) => each !== 'Chromium') ?? own[0];
  const system = [told?.platform, told?.platformVersion, told?.model].filter((each) => each).join(' ');
  return {
    browser: wordOf(brand?.brand.replace('HeadlessChrome', 'Chromium') ?? plain.browser),
    version: wordOf(brand?.version ?? plain.version),
    system: wordOf(system === '' ? plain.system : system),
  };
}

/** Browser, version and system in a user agent. */
export function deviceIn(agent: string): Device {
  const [, system = 'unknown'] = /\(([^)]*)\)/.exec(agent) ?? [];
  for (const [name, browser] of NAMES) {
    const [, version] = new RegExp(`\\b${name}/([\\d.]+)`).exec(agent) ?? [];
    if (version !== undefined) return { browser, version, system };
  }
  return { browser: 'unknown', version: 'unknown', system };
}
