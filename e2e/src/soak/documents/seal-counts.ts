/** A PDF that somebody was to sign, as the database of a region has it. */
export interface StoredContract {
  document_id: string;
  /** Whether the row says when it was sealed. */
  is_sealed: boolean;
  /** How many signatures it has. */
  acts: number;
  /** Who has a payload of it. The company has one of the sealed PDF alone. */
  readers: readonly string[];
}

export interface SealCounts {
  sealsWithoutAct: number;
  actsWithoutSeal: number;
  /** Signatures beyond the one that each contract asks for, and contracts that two regions have. */
  doubledActs: number;
}

/** "No seal, no act", of what is stored in the end. A seal is whole where both parties have the sealed PDF. @spec D1-2.12.5 */
export function countSeals(contracts: readonly StoredContract[]): SealCounts {
  const isWhole = ({ is_sealed, readers }: StoredContract) => is_sealed && readers.includes('company') && readers.includes('recipient');
  const hasSome = ({ is_sealed, readers }: StoredContract) => is_sealed || readers.includes('company');
  const ids = new Set(contracts.map(({ document_id }) => document_id));
  return {
    sealsWithoutAct: contracts.filter((contract) => contract.acts === 0 && hasSome(contract)).length,
    actsWithoutSeal: contracts.filter((contract) => contract.acts > 0 && !isWhole(contract)).length,
    doubledActs: contracts.reduce((extra, { acts }) => extra + Math.max(0, acts - 1), contracts.length - ids.size),
  };
}
