export { DEVICES } from './capability.ts';
export { PublishedDevices } from './published-devices.service.ts';
