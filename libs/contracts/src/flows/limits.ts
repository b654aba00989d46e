/** Nesting of expressions in constants, defaults and bounds. @spec D2-8 */
export const EXPRESSION_LEVELS = 64;
/** Run data is deleted after the level was lost. @spec D2-8 */
export const RUN_RETENTION_DAYS = { without_flows: 30, free: 7 } as const;
/** @gap D2-8 */
export const RUN_PARTIES = 20;
/** Answers of one turn. @gap D2-8 */
export const TURN_ANSWERS = 200;
