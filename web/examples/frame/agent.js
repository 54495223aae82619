// The page in the frame: it names who may embed it, here and in its `frame-ancestors` header.
import { serveFrame } from './sallyport/element.js';

const host = new URLSearchParams(location.search).get('host') ?? location.origin;
await serveFrame(document.querySelector('sallyport-run'), [host]);
