/** What is on its way, to be asked at once; its methods are all async. */
export function lazily<T extends object>(names: readonly (keyof T)[], loaded: Promise<T>): T {
  type Method = (...given: readonly unknown[]) => unknown;
  // whoever asks is told
  loaded.catch(() => undefined);
  const asked =
    (name: keyof T) =>
    async (...given: readonly unknown[]) =>
      ((await loaded)[name] as Method)(...given);
  return Object.fromEntries(names.map((name) => [name, asked(name)])) as T;
}
