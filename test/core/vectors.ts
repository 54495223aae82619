export * from '../../web/selftest/vectors.ts';
