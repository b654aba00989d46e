import { FINDINGS, type FindingKey, type Severity } from '@codase/contracts/findings';

export { FINDINGS, type FindingKey, type Severity };

/** The place of a finding. `path` is set when the definition could not be read. */
export interface Where {
  party?: string;
  node?: string;
  /** Slug of the element. */
  element?: string;
  /** Index of the element on its node, for one without a slug. */
  index?: number;
  /** Index of the edge in the definition. */
  edge?: number;
  constant?: string;
  output?: string;
  /** Index of the rule in its document. */
  rule?: number;
  path?: string;
}

/** One error or warning that publishing reports about a definition. */
export interface Finding {
  key: FindingKey;
  severity: Severity;
  where: Where;
  message: string;
}

export const finding = (key: FindingKey, where: Where, message: string): Finding => ({ key, severity: FINDINGS[key], where, message });
