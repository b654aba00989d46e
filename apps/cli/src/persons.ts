/** The persons of the demo, by share code. */
export const PERSONS = ['ANA', 'BEN', 'CHIARA'] as const;
