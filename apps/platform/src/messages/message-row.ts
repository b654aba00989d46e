/** A message as the company's region keeps it. */
export interface MessageRow {
  message_id: string;
  company_user_id: string;
  service_id: string;
  connection_id: string;
  customer_user_id: string;
  sender: Sender;
  /** Ciphertext. */
  body: string;
  /** What tells a repeated call from a new message. */
  repeat_hash: Buffer;
  /** Later than that of every message before it on the connection. */
  created_at: Date;
  read_at: Date | null;
}

/** Which side of a connection wrote a message; a company that is the customer is its person. */
export type Sender = 'person' | 'company';
