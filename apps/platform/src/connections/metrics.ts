/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  slotChangesPostponed: {
    name: 'cds.slot_changes.postponed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to deliver a change of slots to another region that failed and are repeated',
  },
  slotChangesGivenUp: {
    name: 'cds.slot_changes.given_up',
    kind: 'counter',
    unit: '{change}',
    what: 'Changes of slots that another region refused for good',
  },
  filesMoved: {
    name: 'cds.files.moved',
    kind: 'counter',
    unit: '{file}',
    what: 'Files whose content was moved to another store, by that store: postgres, s3',
  },
} as const;
