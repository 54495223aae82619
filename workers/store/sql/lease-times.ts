/** Times of a lease, in ms. */
export interface LeaseTimes {
  /** A store that does not renew a lease for so long loses it to the next store that asks. */
  readonly leaseMs: number;
  /** Interval of the renewals. */
  readonly renewMs: number;
  /** Interval at which a store that waits for a lease asks again. */
  readonly askMs: number;
}
