/** The graph of a flow: the questions, the parties, the order of steps, and the output. A run is pinned to it. @spec D2-2.2 @gap D2-2.2 */
export interface Definition {
  entry: string;
  output_mode: OutputMode;
  parties: Party[];
  nodes: FlowNode[];
  edges: Edge[];
  constants: Constant[];
}

/** What happens at a leaf: the answers are shared, or documents are made of them. @spec D2-1 */
export type OutputMode = (typeof OUTPUT_MODES)[number];
export const OUTPUT_MODES = ['data_only', 'document'] as const;

/** A role that is bound to a user when a run starts. The caller binds a party without a type. @spec D2-2.1 */
export interface Party {
  key: string;
  label: string;
  type?: PartyType;
}
export type PartyType = (typeof PARTY_TYPES)[number];
export const PARTY_TYPES = ['owner', 'person', 'company'] as const;

/** One step, filled by one party. Only a document leaf has an `output`. */
export interface FlowNode {
  key: string;
  party: string;
  title: string;
  elements: Element[];
  output?: LeafOutput;
}

/** A way from one node to another. An edge without a condition always matches. @gap D2-2.2 */
export interface Edge {
  from: string;
  to: string;
  when?: Condition;
}

/** One item on a step. @spec D2-2.6 */
export type Element = FieldElement | TextElement | ImageElement | PluginElement | UnknownElement | UnreadableElement;

/** A question with a registry type, or a choice among the step's own options. */
export interface FieldElement {
  kind: 'field';
  slug: string;
  label: string;
  type: string;
  required: boolean;
  show_if?: Condition;
  options?: string[];
  default?: Expr;
  min?: Expr;
  max?: Expr;
  /** Set when the answer must be linked from the person's profile instead of typed. */
  link?: Link;
}
export type Link = (typeof LINKS)[number];
export const LINKS = ['connected', 'verified'] as const;

/** Text with markup and value tags. */
export interface TextElement {
  kind: 'text';
  text: string;
  show_if?: Condition;
}

/** A picture of the company. */
export interface ImageElement {
  kind: 'image';
  asset_key: string;
  alt?: string;
  show_if?: Condition;
}

/** A question that a plugin helps to answer. */
export interface PluginElement {
  kind: 'plugin';
  slug: string;
  label: string;
  required: boolean;
  show_if?: Condition;
  plugin: PluginUse;
}

/** An element of an unknown kind, which a draft may have. Publishing refuses it. */
export interface UnknownElement {
  kind: 'unknown';
  /** The kind that was given. Null when it is missing or no text. */
  given: string | null;
  show_if?: Condition;
}

/** A placeholder for a question that publishing could not read, so that references to it are not reported as unknown. */
export interface UnreadableElement {
  kind: 'unreadable';
  slug: string;
  show_if?: Condition;
}

/** A field of a plugin, with the plugin's description from when the flow was saved, and where its inputs come from. @spec D2-2.6 */
export interface PluginUse {
  plugin_id: string;
  field_type: string;
  snapshot: PluginSnapshot;
  /** Maps each input key of the plugin to a key of the flow: a field slug, a plugin answer key or a constant. */
  inputs: Record<string, string>;
}

/** A copy of a plugin field's description, so that a run can be read without asking the plugin. @spec D2-2.6 */
export interface PluginSnapshot {
  plugin_name: string;
  host: string;
  label: string;
  blocks: PluginBlock[];
  inputs: PluginInput[];
  outputs: PluginOutput[];
}
export interface PluginBlock {
  key: string;
  kind: BlockKind;
  label: string;
  depends_on?: string[];
}
export type BlockKind = 'search_select' | ValueType;
export interface PluginInput {
  key: string;
  type: ValueType;
  label: string;
  required: boolean;
}
export interface PluginOutput {
  key: string;
  type: ValueType;
  label: string;
}

/** The documents a leaf produces. @spec D2-2.4 */
export interface LeafOutput {
  language_party: string;
  documents: OutputDocument[];
}
export interface OutputDocument {
  output_key: string;
  name: string;
  rules: Rule[];
}

/** One way to make a document: exactly one PDF source, and when it applies. @spec D2-2.4 */
export interface Rule {
  asset_key?: string;
  source_field?: string;
  source_connection?: ConnectionSource;
  when?: Condition;
  languages: 'all' | string[];
  signers?: Signer[];
}
export interface ConnectionSource {
  party: string;
  request_slug: string;
}
export interface Signer {
  party: string;
  action: SignAction;
}
export type SignAction = (typeof SIGN_ACTIONS)[number];
export const SIGN_ACTIONS = ['sign', 'accept'] as const;

/** A hidden value computed from the answers. @spec D2-2.5 */
export interface Constant {
  key: string;
  label?: string;
  result_type: ValueType;
  expr: Expr;
  shown_on: string[];
}
export type ValueType = (typeof VALUE_TYPES)[number];
export const VALUE_TYPES = ['number', 'text', 'date', 'boolean'] as const;

/** An expression of the constants language, with one shape for each row of the specification's table. @spec D2-2.5 */
export type Expr = LitExpr | RefExpr | TodayExpr | IfExpr | ConcatExpr | DateDiffExpr | MathExpr | TooDeepExpr | UnreadableExpr;
export interface LitExpr {
  type: 'lit';
  value_type: ValueType;
  value: Scalar;
}
export type Scalar = string | number | boolean | null;
export interface RefExpr {
  type: 'ref';
  key: string;
}
export interface TodayExpr {
  type: 'today';
}
export interface IfExpr {
  type: 'if';
  cases: { when: Condition; then: Expr }[];
  else: Expr;
}
export interface ConcatExpr {
  type: 'concat';
  parts: Expr[];
  sep?: string;
}
export interface DateDiffExpr {
  type: 'datediff';
  unit: DateUnit;
  from: Expr;
  to: Expr;
}
export type DateUnit = (typeof DATE_UNITS)[number];
export const DATE_UNITS = ['days', 'weeks', 'months', 'years'] as const;
export interface MathExpr {
  type: 'math';
  op: MathOp;
  args: Expr[];
}
export type MathOp = (typeof MATH_OPS)[number];
export const MATH_OPS = ['add', 'sub', 'mul', 'div', 'mod', 'round', 'floor', 'ceil', 'abs', 'neg', 'max', 'min'] as const;

/** A placeholder for an expression that nests too deep. Its value is null, and publishing refuses it. */
export interface TooDeepExpr {
  type: 'too_deep';
}

/** A placeholder for an expression that publishing could not read. A definition that was read without faults has none. */
export interface UnreadableExpr {
  type: 'unreadable';
}

/** A test over answers and constants. @spec D2-2.2 @gap D2-2.2 */
export type Condition = AndCondition | OrCondition | NotCondition | Leaf;
export interface AndCondition {
  and: Condition[];
}
export interface OrCondition {
  or: Condition[];
}
export interface NotCondition {
  not: Condition;
}
export interface Leaf {
  field: string;
  op: ConditionOp;
  value?: Scalar | Scalar[];
}
export type ConditionOp = (typeof CONDITION_OPS)[number];
export const CONDITION_OPS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains', 'is_empty', 'is_not_empty'] as const;
