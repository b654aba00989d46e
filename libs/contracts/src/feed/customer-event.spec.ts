import { CustomerEvent, customerCollapseKey, type CustomerEventBody } from './customer-event.ts';

const about = { service_id: 'ser_1', connection_id: 'conn_1', at: '2026-11-16T12:00:00.000Z' };

describe("an event of a company's own feed @gap D1-4.6", () => {
  it.each<[CustomerEventBody, string | null]>([
    [{ event: 'connection_deleted', ...about }, null],
    [{ event: 'fields_requested', ...about }, 'fields:conn_1'],
    [{ event: 'document_created', document_id: 'doc_1', ...about }, null],
    [{ event: 'document_updated', document_id: 'doc_1', ...about }, null],
    [{ event: 'document_deleted', document_id: 'doc_1', ...about }, null],
    [{ event: 'document_status_changed', document_id: 'doc_1', ...about }, 'document_status:doc_1'],
    [{ event: 'flow_run_turn', flow_run_id: 'run_1', ...about }, null],
    [{ event: 'flow_completed', flow_run_id: 'run_1', ...about }, null],
    [{ event: 'message_received', message_id: 'msg_1', ...about }, null],
  ])('accepts exactly its members and has the expected collapse key: %j', (body, key) => {
    const event = { id: 'cevt_1', ...body };

    expect(CustomerEvent.parse(event)).toEqual(event);
    expect(customerCollapseKey(body)).toBe(key);
    expect(CustomerEvent.safeParse({ ...event, value: 'x' }).success).toBe(false);
  });
});
