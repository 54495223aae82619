import type { ClaimTimes } from '../../../workers/store/postgres/leases.ts';

/** Leases that outlast a test on a busy machine. */
export const LASTING: ClaimTimes = { leaseMs: 600_000, renewMs: 200_000, askMs: 20 };
