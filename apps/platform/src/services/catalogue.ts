/** What services ask of the registry. The two stand side by side, so neither imports the other: the region's role brings them together. */
export interface Catalogue {
  /** Whether a request row may have the type: one of the registry that needs no step to supply its options. @spec D1-2.5 */
  isRequestable(type: string): boolean;
  /** The contact fields of an owner, those of the platform among them. */
  fieldsOf(owner_user_id: string): Promise<readonly { slug: string; usertype: 'person' | 'company' | 'any' }[]>;
}
export const CATALOGUE = Symbol('Catalogue');
