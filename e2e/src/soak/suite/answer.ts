/** What the company's own service answers to a message. */
export const answerTo = (text: string): string => `You get ${text}`;
