import { describe, expect, test } from 'vitest';
import { DatabaseFailure, isPassing, refusalOf } from '../../../../workers/store/postgres/refusal.ts';
import { AlteredData } from '../../../../workers/store/sql/frames.ts';

/** Exception of `pg` with this SQLSTATE. */
function failure(state: string | undefined, message = 'said'): DatabaseFailure {
  return new DatabaseFailure(Object.assign(new Error(message), state === undefined ? {} : { code: state }));
}

describe('a failure of a database', () => {
  test('a database that takes no writes is refused with store_readonly', () => {
    expect(refusalOf(failure('25006'))).toMatchObject({ refusal: { code: 'store_readonly' } });
  });

  test('a role without a right is refused with store_denied, and the refusal says what the server said', () => {
    expect(refusalOf(failure('42501', 'permission denied for table batch'))).toMatchObject({
      refusal: { code: 'store_denied', details: { reason: 'permission denied for table batch' } },
    });
  });

  test.each([
    ['a full disk', '53100', 'store_full'],
    ['a missing table', '42P01', 'store_damaged'],
    ['a damaged page', 'XX001', 'store_damaged'],
    ['a place that is taken', '23505', 'store_damaged'],
    ['a lock that another process holds', '55P03', 'store_locked'],
    ['a wrong password', '28P01', 'store_unopened'],
    ['a database that is not there', '3D000', 'store_unopened'],
    ['a certificate that is not trusted', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'store_unopened'],
    ['a connection that ended', undefined, 'store_lost'],
    ['a failure of the system', 'ECONNREFUSED', 'store_lost'],
  ])('%s is refused by its code', (_title, state, code) => {
    expect(refusalOf(failure(state))).toMatchObject({ ok: false, refusal: { code } });
  });

  test('an altered row is refused with store_damaged, and the message names the database', () => {
    expect(refusalOf(new AlteredData('has no batch at place 7'))).toMatchObject({
      refusal: { code: 'store_damaged', message: expect.stringContaining('database has no batch at place 7') },
    });
  });

  test('an exception of our own code is thrown again', () => {
    const defect = new TypeError('x');
    expect(() => refusalOf(defect)).toThrow(defect);
    expect(isPassing(defect)).toBe(false);
  });

  test.each([undefined, 'EPIPE', '08006', '57P01', '57P03', '57P05', '53300', '40P01', '25P03'])(
    'a write that failed with %s is repeated',
    (state) => {
      expect(isPassing(failure(state))).toBe(true);
    },
  );

  test.each([
    ...['25006', '42501', '53100', '42P01', '28P01', '57014', '23505'],
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('a write that failed with %s is not repeated', (state) => {
    expect(isPassing(failure(state))).toBe(false);
  });
});
