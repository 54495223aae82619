import { describe, expect, it } from 'vitest';
import { headersFor, roleOf } from '../../../workers/lock/headers.ts';

const policy = (role: Parameters<typeof headersFor>[0]): string => headersFor(role)['Content-Security-Policy'] ?? '';

describe('the role of a response', () => {
  it.each([
    ['/assets/worker-kernel-Ab_c-123.js', undefined],
    ['/worker-sandbox.js', undefined],
    ['/sub/path/worker-kernel.js?v=2', undefined],
    ['/anything.js', 'worker'],
  ])('the path %s with destination %s has the role worker', (path, destination) => {
    expect(roleOf({ path, destination })).toBe('worker');
  });

  it.each([
    ['/', 'document'],
    ['/assets/index-worker-1.js', 'script'],
    ['/assets/worker-kernel.css', 'style'],
    ['/worker-kernel.js/other', undefined],
  ])('the path %s with destination %s has the role page', (path, destination) => {
    expect(roleOf({ path, destination })).toBe('page');
  });

  it('a development worker has its role only in development', () => {
    const path = '/workers/kernel/worker.ts?worker_file&type=module';
    expect(roleOf({ path, development: true })).toBe('development-worker');
    expect(roleOf({ path })).toBe('worker');
  });

  it.each(['/assets/worker-endpoint-Ab_c-123.js', '/worker-endpoint.js'])(
    'the path %s has the role endpoint-worker',
    (path) => {
      expect(roleOf({ path })).toBe('endpoint-worker');
      expect(roleOf({ path, destination: 'worker' })).toBe('endpoint-worker');
    },
  );

  it.each(['/assets/worker-model-Ab_c-123.js', '/worker-model.js'])('the path %s has the role model-worker', (path) => {
    expect(roleOf({ path })).toBe('model-worker');
    expect(roleOf({ path, destination: 'worker' })).toBe('model-worker');
  });

  it.each(['/assets/worker-model-gguf-Ab_c-123.js', '/worker-model-gguf.js'])(
    'the path %s has the role gguf-worker',
    (path) => {
      expect(roleOf({ path })).toBe('gguf-worker');
      expect(roleOf({ path, destination: 'worker' })).toBe('gguf-worker');
    },
  );

  it('the source of a model worker has its role in development', () => {
    const path = '/src/worker-model.ts?worker_file&type=module';
    expect(roleOf({ path, development: true })).toBe('development-model-worker');
    expect(roleOf({ path: '/src/worker-model.ts' })).toBe('page');
    for (const own of ['/workers/bridges/model-gguf/worker.ts', '/src/worker-model-gguf.ts'])
      expect(roleOf({ path: `${own}?worker_file&type=module`, development: true })).toBe('development-gguf-worker');
  });

  it('a response for the destination serviceworker has that role under any file name', () => {
    expect(roleOf({ path: '/worker-cache.js', destination: 'serviceworker' })).toBe('service-worker');
  });
});

describe('the policy', () => {
  it('the policy of a worker is the lock, to the letter', () => {
    expect(policy('worker')).toBe(
      "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'none'",
    );
  });

  it('the policy of the endpoint worker permits requests, and neither code nor workers', () => {
    expect(policy('endpoint-worker')).toBe("default-src 'none'; worker-src 'none'; connect-src http: https:");
  });

  it('the policy of the model worker permits WASM, its own origin and workers of its own memory, and no eval', () => {
    expect(policy('model-worker')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self' blob:",
    );
  });

  it('the policy of the worker that gets engine and model as bytes permits WASM and its own memory, and no address', () => {
    expect(policy('gguf-worker')).toBe(
      "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:; connect-src blob:",
    );
  });

  it('the policy of the page permits neither eval, WASM, inline code nor blobs, and asks for Trusted Types', () => {
    expect(policy('page')).not.toMatch(/unsafe|blob:|\*/);
    expect(policy('page')).toMatch(/default-src 'none'.*require-trusted-types-for 'script'/);
  });
});
