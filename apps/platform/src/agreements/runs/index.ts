export { FLOW_RUNS } from './capability.ts';
