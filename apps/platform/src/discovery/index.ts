export { DISCOVERY } from './capability.ts';
export { API_DOCUMENT } from './api-document.http.ts';
