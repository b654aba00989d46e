/** A message as the region of the company stores it. */
export interface MessageRow {
  message_id: string;
  company_user_id: string;
  service_id: string;
  connection_id: string;
  customer_user_id: string;
  sender: Sender;
  /** Ciphertext. */
  body: string;
  /** The hash by which a repeated call is recognised. */
  repeat_hash: Buffer;
  /** The time of the message, later than that of every earlier message on the connection. */
  created_at: Date;
  read_at: Date | null;
}

/** The side of a connection that wrote a message; a company that is the customer counts as `person`. */
export type Sender = 'person' | 'company';
