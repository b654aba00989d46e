export { soak, type SoakOptions, type SoakResult } from './soak/soak.ts';
