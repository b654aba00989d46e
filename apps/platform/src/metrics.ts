/** What is counted by what no capability owns. */
export const METRICS = {
  republished: {
    name: 'cds.told_again',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to take back what the regions were told of a change that was not committed',
  },
} as const;
