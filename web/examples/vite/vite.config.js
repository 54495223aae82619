import { lock } from 'sallyport/vite';

export default { plugins: [lock()] };
