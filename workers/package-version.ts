/** The build sets it. */
declare const SALLYPORT_VERSION: string | undefined;

/** Version of this package. A source tree that is not built has none. */
export const PACKAGE_VERSION: string = typeof SALLYPORT_VERSION === 'string' ? SALLYPORT_VERSION : '0.0.0';
