import { isJsonObject } from '../../field-types/json-values.ts';
import { readAnswer } from '../answers/read-answers.ts';
import type { ConnectionSource, Definition, FlowNode, Rule } from '../definition/definition.ts';
import { ownValue, type Answers } from '../expressions/values.ts';

/** Where the PDF of a rule comes from. A participant's PDF has a source key. @spec D2-2.4 */
export type Source =
  | { kind: 'asset'; asset_key: string }
  | { kind: 'field'; source_key: string; slug: string }
  | { kind: 'connection'; source_key: string; party: string; request_slug: string };

/** Returns the source of a rule. Undefined when the rule names none or several. @spec D2-2.4 */
export function sourceOf({ asset_key, source_field, source_connection }: Rule): Source | undefined {
  const sources: Source[] = [];
  if (asset_key !== undefined) sources.push({ kind: 'asset', asset_key });
  if (source_field !== undefined) sources.push({ kind: 'field', source_key: `field:${source_field}`, slug: source_field });
  if (source_connection !== undefined) sources.push(connectionSource(source_connection));
  return sources.length === 1 ? sources[0] : undefined;
}

const connectionSource = ({ party, request_slug }: ConnectionSource) =>
  ({ kind: 'connection', source_key: `conn:${party}:${request_slug}`, party, request_slug }) as const;

const rulesOf = ({ output }: FlowNode): Rule[] => output?.documents.flatMap(({ rules }) => rules) ?? [];

const distinct = <S extends { source_key: string }>(sources: readonly S[]): S[] => [
  ...new Map(sources.map((source) => [source.source_key, source])).values(),
];

/** Returns the participants' PDFs that the rules of a leaf name, each once. */
export const participantSources = (leaf: FlowNode) =>
  distinct(
    rulesOf(leaf)
      .flatMap((rule) => sourceOf(rule) ?? [])
      .filter((source) => source.kind !== 'asset'),
  );

/** Returns the connection sources that rules of the flow name, each once. Their copies are staged before a run starts. @spec D2-4.1 */
export const connectionSources = ({ nodes }: Definition) =>
  distinct(nodes.flatMap(participantSources).filter((source) => source.kind === 'connection'));

/** The files of a run, as the party that generates documents sees them. */
export interface AvailableFiles {
  /** The party's own copies of the answers. */
  answers: Answers;
  source_files: Readonly<Record<string, unknown>>;
  /** The slugs of linked files that were too large to freeze. The run does not hold these. @spec D2-4.3.8 */
  live_only?: ReadonlySet<string>;
}

/** Returns the source keys that a run holds at a leaf. Exactly these must be given as inputs of generation. @spec D2-4.3.7 */
export const availableSources = (leaf: FlowNode, { answers, source_files, live_only }: AvailableFiles): string[] =>
  participantSources(leaf)
    .filter((source) =>
      source.kind === 'connection'
        ? Object.hasOwn(source_files, source.source_key)
        : isFileReference(readAnswer('binary', ownValue(answers, source.slug))) && !live_only?.has(source.slug),
    )
    .map(({ source_key }) => source_key);

/** A reference to a file answer: the file and, for a linked file, the mark of the link. Nothing else. @spec D2-2.2 @spec D2-4.2 */
export interface FileReference {
  _enc_file: string;
  _link?: 1;
}

export function isFileReference(value: unknown): value is FileReference {
  if (!isJsonObject(value)) return false;
  const { _enc_file, _link, ...rest } = value;
  const marked = Object.hasOwn(value, '_link') ? _link === 1 : true;
  return typeof _enc_file === 'string' && _enc_file !== '' && marked && Object.keys(rest).length === 0;
}
