import type { Person } from '@codase/actors';
import type { ShopField } from '@codase/stack';

/** The input of an action: a field and, when the action takes one, a value. */
export interface ActionInput {
  field: ShopField;
  value?: string;
  /** The document that is meant. The newest that fits when it is absent. */
  document_id?: string;
  /** The last day of the contract that is cancelled. */
  day?: string;
}

/** What was done, in words, and the value if there is one. */
export interface ActionResult {
  said: string;
  field?: string;
  value?: string;
  document_id?: string;
  status?: string;
}

/** Something that a person does, and about which the shop gets an event. */
export interface Action {
  /** Whether the action takes a text with `--value` although it is about no field. */
  takesText?: true;
  /** Whether the action is about a document, and whether it takes a day. */
  takesDocument?: true;
  takesDay?: true;
  /** The field that the action uses when none is named. Absent for an action that is about no field. */
  field?: ShopField;
  do(person: Person, input: ActionInput): Promise<ActionResult>;
}
