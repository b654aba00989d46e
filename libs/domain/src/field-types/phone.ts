const SEPARATORS = /[ \-().]/g;

/** Whether the text, without its separators, is 4 to 15 digits with an optional leading +. @spec D1-2.5 @spec D1-8 */
export const isPhone = (text: string): boolean => /^\+?[0-9]{4,15}$/.test(text.replace(SEPARATORS, ''));
