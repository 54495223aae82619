/** The URL of a module finished as one plain file that a worker thread of Node can load. */
declare module '*?thread' {
  const url: URL;
  export default url;
}

/** The text of a module finished as one classic script. */
declare module '*?script' {
  const text: string;
  export default text;
}
