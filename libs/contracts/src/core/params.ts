import { z } from 'zod';
import { idOr } from './text.ts';

/** The ids of paths. What cannot exist is not found, so each names the refusal of its kind. */
export const connectionId = idOr('company_data.connection_not_found');
export const documentId = idOr('documents.not_found');
export const serviceId = idOr('services.not_found');
export const flowId = idOr('flows.not_found');
export const runId = idOr('flows.run_not_found');
export const challengeId = idOr('twofa.challenge_not_found');
export const pluginId = idOr('plugins.not_found');

export const ofConnection = z.object({ connectionId });
export const ofDocument = z.object({ id: documentId });
export const ofService = z.object({ id: serviceId });
export const ofRun = z.object({ runId });
