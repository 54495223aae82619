export * from '../../../workers/testing/store/sample.ts';
