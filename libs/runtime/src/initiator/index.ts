export { onBehalfOf, currentInitiator, identifyInitiator, type Initiator } from './initiator.ts';
