export { StringShortener } from '../http/string-shortener.ts';
