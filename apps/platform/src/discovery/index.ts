export { API_DOCUMENT } from './api-document.http.ts';
export { DiscoveryModule } from './discovery.module.ts';
