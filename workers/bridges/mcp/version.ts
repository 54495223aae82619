/** Version of the package; the build sets it. */
declare const SALLYPORT_VERSION: string | undefined;

/** Version that servers and hosts read. A source tree that is not built has none. */
export const VERSION: string = typeof SALLYPORT_VERSION === 'string' ? SALLYPORT_VERSION : '0.0.0';
