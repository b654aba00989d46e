/** How many digits some field types take. @spec D1-8 */
export const PHONE_DIGITS = { least: 4, most: 15 } as const;
export const CARD_DIGITS = { least: 12, most: 19 } as const;
export const DECIMAL_DIGITS = { whole: 8, fraction: 2 } as const;
