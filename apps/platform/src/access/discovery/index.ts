export { DISCOVERY } from './capability.ts';
export { API_DOCUMENT } from './api-document.http.ts';
export { API_INTRODUCTION } from './api-introduction.ts';
