const SEPARATORS = /[ \-().]/g;

/** Digits with an optional leading +, 4 to 15 of them once the separators are gone. @spec D1-2.5 @spec D1-8 */
export const isPhone = (text: string): boolean => /^\+?[0-9]{4,15}$/.test(text.replace(SEPARATORS, ''));
