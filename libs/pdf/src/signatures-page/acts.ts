/** How a person was recognised when acting. @spec D1-2.12 */
export type SignatureMethod = 'biometric' | 'twofa' | 'email' | 'custodian';

/** One act on a document, with the members of its record. @spec D1-2.12 */
export interface SignatureAct {
  action: 'signed' | 'accepted';
  method: SignatureMethod | null;
  signer_first_name: string;
  signer_last_name: string;
  signer_name_verified: boolean;
  created_at: string;
}

/** The content of a Signatures page. */
export interface SignaturesPage {
  document_name: string;
  acts: readonly SignatureAct[];
}

/** One paragraph, which is wrapped to the width of the page. */
export interface Paragraph {
  text: string;
  size: number;
  indent: number;
  /** The space above the paragraph. */
  space: number;
  /** Whether a line is drawn above the paragraph, which is so where an act begins. */
  hasRule: boolean;
}

const METHODS: Readonly<Record<SignatureMethod, string>> = {
  biometric: 'unlocked by face, fingerprint or passcode on their own phone',
  twofa: 'approved by a second factor',
  email: 'confirmed by a code sent by e-mail',
  custodian: 'by a custodian',
};

const paragraph = (text: string, size: number, more: Partial<Paragraph> = {}): Paragraph => ({
  text,
  size,
  indent: 0,
  space: 4,
  hasRule: false,
  ...more,
});

/** Returns the page as paragraphs. Times are in UTC, so that they mean the same to all readers. */
export function paragraphsOf({ document_name, acts }: SignaturesPage, signed: { bytes: number; sha256: string }): Paragraph[] {
  return [
    paragraph('Signatures', 20),
    paragraph(document_name, 11, { space: 10 }),
    paragraph(`SHA-256 of the signed document, the first ${signed.bytes} bytes of this file:`, 8.5, { space: 8 }),
    paragraph(signed.sha256, 8.5),
    ...acts.flatMap((act, nth) => actParagraphs(act, nth + 1)),
  ];
}

function actParagraphs(act: SignatureAct, nth: number): Paragraph[] {
  const name = `${act.signer_first_name} ${act.signer_last_name}`.trim();
  const method = act.method === null ? '' : `, ${act.method}: ${METHODS[act.method]}`;
  const verified = act.signer_name_verified ? 'The name is that of a verified identity document.' : 'The name is not verified.';
  return [
    paragraph(`${nth}. ${name}`, 12, { space: 14, hasRule: true }),
    paragraph(`${act.action} at ${inUtc(act.created_at)}${method}`, 9.5, { indent: 16 }),
    paragraph(verified, 9, { indent: 16 }),
  ];
}

const inUtc = (time: string) => `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
