import { BUS_MESSAGE_BYTES, DOCUMENT_MAX_MB, PHOTO_CHARS } from '../core/limits.ts';

/** The deepest nesting of expressions in constants, defaults and bounds. @spec D2-8 */
export const EXPRESSION_LEVELS = 64;
/** For how many days run data is kept after the company has lost its level. @spec D2-8 */
export const RUN_RETENTION_DAYS = { without_flows: 30, free: 7 } as const;
/** @gap D2-8 */
export const RUN_PARTIES = 20;
/** The most answers of one turn. @gap D2-8 */
export const TURN_ANSWERS = 200;
/** The most bytes of the answers that one party reads of a run: with the definition they fit into a message of the bus. @gap D2-8 */
export const RUN_ANSWER_BYTES = 4 * 1024 * 1024;
/** The largest body of a generate call: the answers that one party reads of a run, in base64, and the names of inputs. @gap D2-4.3 */
export const GENERATION_BODY_BYTES = RUN_ANSWER_BYTES * 1.5;
/** The most participants' PDFs of one generation. @gap D2-4.3 */
export const GENERATION_INPUTS = 500;
/** The most flows of one service, and the most files and versions of one flow. @gap D2-8 */
export const FLOW_LIMITS = { flows: 200, files: 50, versions: 1000 } as const;
/**
 * The largest definition with the descriptions of its plugins, as JSON. It travels in one message when its company moves, inside of a text
 * inside of a text, where a quote or a backslash takes four bytes. @gap D2-8
 */
export const DEFINITION_BYTES = (BUS_MESSAGE_BYTES - 128 * 1024) / 4;
/** The largest file answer before it is sealed: that of photos as a data URI, or that of documents. @gap D2-4.2 */
export const FILE_BYTES = { photo: Math.floor(((PHOTO_CHARS - 1024) * 3) / 4), document: DOCUMENT_MAX_MB * 1024 * 1024 } as const;
/** How long a request for a turn may wait for one. */
export const TURN_WAIT_SECONDS = 25;
/** How long a turn is held for the caller that took it. */
export const TURN_HOLD_SECONDS = { usual: 60, most: 24 * 60 * 60 } as const;
/** The most nodes that one request for a turn may name. */
export const TURN_NODES = 300;
/** The most turns in one list. */
export const TURN_LIST = 200;
/** How long the stream TURNS keeps an event. */
export const TURNS_STREAM_DAYS = 30;
/** The largest PDF template or image of a flow. @gap D2-8 */
export const TEMPLATE_MAX_MB = 10;
/** The same limit as a data URI, and the largest body around it. @gap D2-8 */
export const TEMPLATE_CHARS = Math.ceil((TEMPLATE_MAX_MB * 1024 * 1024 * 4) / 3) + 1024;
export const TEMPLATE_BODY_BYTES = TEMPLATE_CHARS + 64 * 1024;
