// The shapes on the wire and the types of this library are the same. If they ever differ, this file does not compile. They are written
// twice because those on the wire are zod's, and a phone's bundle should not need zod to play a flow.
import type { EXPRESSION_LEVELS, Finding as WireFinding, FlowDefinition, RUN_PARTIES } from '@codase/contracts';
import type { Definition } from './definition.ts';
import type { Finding } from './finding.ts';
import { LIMITS, MAX_LEVELS } from './limits.ts';

/** A published definition can be played as it was received. */
export const played = (definition: FlowDefinition): Definition => definition;

/** Findings have the same shape here and on the wire, in both directions. */
export const sent = (finding: Finding): WireFinding => finding;
export const found = (finding: WireFinding): Finding => finding;

/** These limits are the same as in the contracts. */
export const levels: typeof EXPRESSION_LEVELS = MAX_LEVELS;
export const parties: typeof RUN_PARTIES = LIMITS.parties;
