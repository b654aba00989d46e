import type { Person } from '@cds/actors';
import type { ShopField } from '@cds/stack';

/** What a person is to do it with: a field and, where the action takes one, a value. */
export interface ActionInput {
  field: ShopField;
  value?: string;
  /** The document that is meant; the newest that fits unless given. */
  document_id?: string;
  /** The last day of what is cancelled. */
  day?: string;
}

/** What was done, for people, and the value where there is one. */
export interface ActionResult {
  said: string;
  field?: string;
  value?: string;
  document_id?: string;
  status?: string;
}

/** Something a person does that the shop gets an event of. */
export interface Action {
  /** Whether `--value` says something though the action is about no field. */
  takesText?: true;
  /** Whether it is about a document, and whether it has a day. */
  takesDocument?: true;
  takesDay?: true;
  /** The field it is about when none is named; absent for an action that is about none. */
  field?: ShopField;
  do(person: Person, input: ActionInput): Promise<ActionResult>;
}
