/** The table of used proofs, which the front door and each region have. */
export const USED_PROOF_TABLE = `create table used_proof (proof_hash text primary key, expires_at timestamptz not null)`;
