import { z } from 'zod';
import { named } from '../core/named.ts';
import { PluginUse, ValueType } from '../plugins/shapes.ts';
import { Condition, Expr } from './flow-expression.ts';

/** What happens when a run reaches a leaf. @spec D2-1 */
export const OutputMode = z.enum(['data_only', 'document']);

/** A role that is bound to a user when a run starts. The caller binds a party without a type. @spec D2-2.1 */
const Party = z.object({ key: z.string(), label: z.string(), type: z.enum(['owner', 'person', 'company']).optional() });

const show_if = Condition.optional();

/** An element of a step. @spec D2-2.6 @gap D2-2.2 */
const Element = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('field'),
    slug: z.string(),
    label: z.string(),
    type: z.string(),
    required: z.boolean(),
    show_if,
    options: z.array(z.string()).optional(),
    default: Expr.optional(),
    min: Expr.optional(),
    max: Expr.optional(),
    link: z.enum(['connected', 'verified']).optional(),
  }),
  z.object({ kind: z.literal('text'), text: z.string(), show_if }),
  z.object({ kind: z.literal('image'), asset_key: z.string(), alt: z.string().optional(), show_if }),
  z.object({ kind: z.literal('plugin'), slug: z.string(), label: z.string(), required: z.boolean(), show_if, plugin: PluginUse }),
]);

/** One way to make a document: exactly one source of the PDF, and when it applies. @spec D2-2.4 @gap D2-2.2 */
const Rule = z.object({
  asset_key: z.string().optional(),
  source_field: z.string().optional(),
  source_connection: z.object({ party: z.string(), request_slug: z.string() }).optional(),
  when: Condition.optional(),
  languages: z.union([z.literal('all'), z.array(z.string())]),
  signers: z.array(z.object({ party: z.string(), action: z.enum(['sign', 'accept']) })).optional(),
});

/** A step that one party fills. A leaf that makes documents has an `output`. @gap D2-2.2 */
const Node = z.object({
  key: z.string(),
  party: z.string(),
  title: z.string(),
  elements: z.array(Element),
  output: z
    .object({
      language_party: z.string(),
      documents: z.array(z.object({ output_key: z.string(), name: z.string(), rules: z.array(Rule) })),
    })
    .optional(),
});

/** A hidden value that is computed from the answers. @spec D2-2.5 */
const Constant = z.object({
  key: z.string(),
  label: z.string().optional(),
  result_type: ValueType,
  expr: Expr,
  shown_on: z.array(z.string()),
});

/** A published graph, from which clients render and route. @spec D2-2.2 @gap D2-2.2 */
export const FlowDefinition = named(
  'FlowDefinition',
  z.object({
    entry: z.string(),
    output_mode: OutputMode,
    parties: z.array(Party),
    nodes: z.array(Node),
    edges: z.array(z.object({ from: z.string(), to: z.string(), when: Condition.optional() })),
    constants: z.array(Constant),
  }),
);
export type FlowDefinition = z.infer<typeof FlowDefinition>;

/** A draft may hold anything. Validating and publishing say what is wrong with it. @gap D2-1 */
export const FlowDraft = z.record(z.string(), z.unknown());
