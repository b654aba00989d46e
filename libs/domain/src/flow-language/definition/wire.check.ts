// What travels and what is reasoned about are the same shapes; should they drift apart, this file does not compile. They are written
// twice because the ones that travel are zod's, and a phone's bundle should not carry zod to play a flow.
import type { EXPRESSION_LEVELS, Finding as WireFinding, FlowDefinition, RUN_PARTIES } from '@cds/contracts';
import type { Definition } from './definition.ts';
import type { Finding } from './finding.ts';
import { LIMITS, MAX_LEVELS } from './limits.ts';

/** A published definition can be played as it was received. */
export const played = (definition: FlowDefinition): Definition => definition;

/** Findings travel as they were found, and all that may travel can be found. */
export const sent = (finding: Finding): WireFinding => finding;
export const found = (finding: WireFinding): Finding => finding;

/** As deep and as many as the contracts say. */
export const levels: typeof EXPRESSION_LEVELS = MAX_LEVELS;
export const parties: typeof RUN_PARTIES = LIMITS.parties;
