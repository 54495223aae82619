/** The text of a guest module, as the bundler and the test runner hand it over. */
declare module '*.js?raw' {
  const text: string;
  export default text;
}
