/**
 * What publishing a flow can find; any error blocks it. This is plain data behind an entry point of its own (`@codase/contracts/findings`),
 * so that a phone's bundle that checks a flow carries no zod. @spec D2-7
 */
export const SPEC_FINDINGS = {
  'constant.key_invalid': 'error',
  'constant.key_duplicate': 'error',
  'constant.ref_unknown': 'error',
  'constant.cycle': 'error',
  'constant.ref_not_answerable': 'error',
  'constant.shown_on_unknown_node': 'error',
  'constant.shown_on_not_computable': 'error',
  'constant.type_mismatch': 'error',
  'constant.expr_too_deep': 'error',
  'constant.unused': 'warning',
  'pdf.unknown_tag': 'warning',
  'pdf.source_invalid': 'error',
  'pdf.source_field_invalid': 'error',
  'pdf.source_connection_invalid': 'error',
  'element.kind_invalid': 'error',
  'flow_plugin.unknown': 'error',
  'flow_plugin.field_type_unknown': 'error',
  'flow_plugin.input_unwired': 'error',
  'flow_plugin.input_not_answerable': 'error',
  'flow_plugin.input_type_mismatch': 'error',
  'field.default_not_allowed': 'error',
  'field.default_type_mismatch': 'error',
  'field.bound_type_mismatch': 'error',
  'field.ref_not_answerable': 'error',
  'field.expr_too_deep': 'error',
  'dependency.cycle': 'error',
} as const satisfies Record<string, Severity>;

/** Findings that the specification does not name. */
export const OWN_FINDINGS = {
  /** @gap D2-7 the definition does not hold together */
  'flows.definition_invalid': 'error',
  /** @gap D2-7 an edge, show_if or rule names a key that does not exist */
  'condition.ref_unknown': 'error',
  /** @gap D2-7 an edge, show_if or rule names a field that nobody can have answered by then */
  'condition.ref_not_answerable': 'warning',
  /** @gap D2-7 text names a value that will never be there */
  'text.unknown_tag': 'warning',
  /** @gap D2-7 no path from the entry leads here */
  'node.unreachable': 'warning',
} as const satisfies Record<string, Severity>;

export type Severity = 'error' | 'warning';

/** Every finding and its severity. */
export const FINDINGS = { ...SPEC_FINDINGS, ...OWN_FINDINGS };
export type FindingKey = keyof typeof FINDINGS;
