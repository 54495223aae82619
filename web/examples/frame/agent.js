// The page in the frame. It names the one page that may embed it, here and in its `frame-ancestors` header: a constant,
// because an address, a query or a message can be written by any page.
import { serveFrame } from './sallyport/element.js';

const HOST = 'https://shop.example';
await serveFrame(document.querySelector('sallyport-run'), [HOST]);
