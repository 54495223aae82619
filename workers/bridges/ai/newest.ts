/** Calls that are remembered: a program may keep a session for months. */
const CALLS_MAX = 1000;

/** A map that keeps the newest entries. */
export class Newest<V> extends Map<string, V> {
  override set(key: string, value: V): this {
    this.delete(key);
    const [oldest] = this.keys();
    if (this.size >= CALLS_MAX && oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}
