/** A PDF that needs a signature, as a region's database has it. */
export interface StoredContract {
  document_id: string;
  is_sealed: boolean;
  acts: number;
  /** The parties that have a payload. The company has one only of the sealed PDF. */
  readers: readonly string[];
}

interface SealCounts {
  sealsWithoutAct: number;
  actsWithoutSeal: number;
  /** Signatures beyond the one that each contract needs, and contracts that are in two regions. */
  doubledActs: number;
}

/** Checks "No seal, no act" in the stored contracts at the end. A seal is whole when both parties have the sealed PDF. @spec D1-2.12.5 */
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
