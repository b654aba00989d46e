/** A request of a service that a person connects, as the company's region keeps it. */
export interface RequestRow {
  request_id: string;
  company_user_id: string;
  service_id: string;
  person_user_id: string;
  share_code: string;
  /** What the service says to the person. It is deleted when the person has answered. */
  message: string | null;
  asked_at: Date;
  rejected_at: Date | null;
}
