export { SECOND_FACTOR } from './capability.ts';
export { SecondFactorCheck } from './second-factor-check.service.ts';
export { TrustedBrowsers } from './trusted-browsers.service.ts';
