import type { ConnectionSource, FlowNode, Rule } from '../definition/definition.ts';
import { finding, type Finding, type FindingKey, type Where } from '../definition/finding.ts';
import { LIMITS } from '../definition/limits.ts';
import { sourceOf, type Source } from '../outputs/sources.ts';
import type { Check, RequestField, CheckContext } from './check-context.ts';

const PDF = 'pdf_document';
const invalid = (where: Where, message: string): Finding => finding('flows.definition_invalid', where, message);

/** Every leaf of a document flow declares its documents, and no other node does. @spec D2-2.4 @gap D2-7 */
export const leavesProduceDocuments: Check = function* ({ definition: { nodes, edges, output_mode }, doubts }) {
  if (doubts.has('output_mode')) return;
  const left = new Set(edges.map(({ from }) => from));
  for (const { key, output } of nodes) {
    const isDocumentLeaf = output_mode === 'document' && !left.has(key);
    if (output && !isDocumentLeaf) yield invalid({ node: key }, `${key} declares an output, but is no leaf of a document flow`);
    const isSilent = isDocumentLeaf && !output?.documents.length && !doubts.has('edges') && !doubts.has('outputs');
    if (isSilent) yield invalid({ node: key }, `${key} is a leaf of a document flow: declare its output documents`);
  }
};

/** One rule of an output document, with its place. */
interface PlacedRule {
  node: FlowNode;
  rule: Rule;
  where: Where;
}

const rulesOf = ({ definition, incomplete }: CheckContext): PlacedRule[] =>
  definition.nodes
    .flatMap((node) =>
      (node.output?.documents ?? []).flatMap(({ output_key, rules }) =>
        rules.map((rule, i) => ({ node, rule, where: { node: node.key, output: output_key, rule: i } })),
      ),
    )
    .filter(({ rule }) => !incomplete.has(rule));

/** Output documents are distinct and have rules, and their language party exists. @spec D2-2.4 @gap D2-7 */
export const documentsAreSound: Check = function* ({ definition: { nodes }, isParty, incomplete }) {
  for (const { key: node, output } of nodes) {
    const speaker = output?.language_party;
    if (speaker !== undefined && !isParty(speaker)) yield invalid({ node }, `The language party ${speaker} of ${node} does not exist`);
    const seen = new Set<string>();
    for (const document of output?.documents ?? []) {
      const { output_key, rules } = document;
      if (seen.has(output_key)) yield invalid({ node, output: output_key }, `${node} declares the output ${output_key} twice: rename one`);
      if (!rules.length && !incomplete.has(document))
        yield invalid({ node, output: output_key }, `The output ${output_key} has no rule, so it is never made`);
      seen.add(output_key);
    }
  }
};

/** Every rule applies to at least one language, and its signers are parties, each once. @spec D2-2.4 @gap D2-2.4 */
export const rulesAreSound: Check = function* (context) {
  for (const { rule, where } of rulesOf(context)) {
    const signers = (rule.signers ?? []).map(({ party }) => party);
    if (rule.languages.length === 0) yield invalid(where, 'The rule applies to no language: name some, or all');
    if (!signers.every((party) => context.isParty(party))) yield invalid(where, 'The rule names a signer that is no party');
    if (new Set(signers).size < signers.length) yield invalid(where, 'The rule names a signer twice');
  }
};

/** Every rule has exactly one PDF source, and the source exists and gives a PDF. @spec D2-7 @spec D2-2.4 */
export const sourcesAreSound: Check = function* (context) {
  for (const { rule, where } of rulesOf(context)) {
    const fault = sourceFault(context, sourceOf(rule));
    if (fault) yield finding(fault[0], where, fault[1]);
  }
};

function sourceFault(context: CheckContext, source: Source | undefined): [FindingKey, string] | undefined {
  if (!source) return ['pdf.source_invalid', 'A rule needs exactly one of asset_key, source_field and source_connection'];
  if (source.kind === 'asset') {
    const { asset_key } = source;
    return context.inputs.templates.has(asset_key) ? undefined : ['pdf.source_invalid', `No template ${asset_key} was uploaded`];
  }
  if (source.kind === 'field') {
    return isPdfField(context, source.slug) ? undefined : ['pdf.source_field_invalid', `${source.slug} is no field of type ${PDF}`];
  }
  const { party, request_slug } = source;
  if (isPdfRequest(context, source)) return undefined;
  return ['pdf.source_connection_invalid', `${party} must be a person or company that the request field ${request_slug} asks for a ${PDF}`];
}

const isPdfField = ({ elements, inputs, doubts }: CheckContext, slug: string): boolean =>
  doubts.has('slugs') ||
  elements.some(({ element }) => {
    if (element.kind === 'unreadable') return element.slug === slug;
    return element.kind === 'field' && element.slug === slug && inputs.fieldTypes.accepts(PDF, element.type);
  });

function isPdfRequest({ definition, inputs, doubts }: CheckContext, { party, request_slug }: ConnectionSource): boolean {
  const type = definition.parties.find(({ key }) => key === party)?.type;
  if (doubts.has('parties')) return true;
  if (type !== 'person' && type !== 'company') return false;
  const asks = ({ slug, audience }: RequestField) => slug === request_slug && (audience === 'both' || audience === type);
  return inputs.request_fields.some((field) => asks(field) && inputs.fieldTypes.accepts(PDF, field.type));
}

/**
 * Template tags name keys that can be filled at the leaf. A tag of a template is reported once for each leaf, by its first rule. The check
 * ends with as many warnings as are reported at all. @spec D2-7 @spec D2-4.3.6
 */
export const templateTagsAreKnown: Check = function* (context) {
  const seen = new Set<string>();
  let left: number = LIMITS.findings;
  for (const { node, rule, where } of rulesOf(context)) {
    const { asset_key = '' } = rule;
    const use = JSON.stringify([node.key, asset_key]);
    if (seen.has(use)) continue;
    seen.add(use);
    for (const tag of context.inputs.templates.get(asset_key) ?? []) {
      if (context.isKnown(tag) && context.isAvailable(tag, node.key)) continue;
      yield finding('pdf.unknown_tag', where, `The template's tag {{${tag}}} prints nothing on ${node.key}`);
      if (--left === 0) return;
    }
    yield;
  }
};
