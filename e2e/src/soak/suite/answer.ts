/** Returns the answer of the company's own service to a message. */
export const answerTo = (text: string): string => `You get ${text}`;
