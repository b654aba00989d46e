// A service with an endpoint of each kind, for the specs of the HTTP server.
import { Controller, Injectable, Module } from '@nestjs/common';
import { BinaryAnswer, BODY_BYTES, endpoint, Page, photos, Refusal, type Endpoint, type Input } from '@codase/contracts';
import { servedElsewhere, GATEKEEPER, notBuilt, RefusesWith, Serves, type Call, type Gatekeeper } from '@codase/runtime/http';
import { startService, type RunningService } from '@codase/runtime/service';
import { TestBus } from '@codase/testing';
import { z } from 'zod';
import { serviceConfig } from './service-config.ts';

/** One endpoint of each kind. */
export const orders = {
  place: endpoint('place_order', 'POST /shops/{shop}/orders', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'Place an order',
    description: 'For a test alone',
    callers: ['anyone'],
    params: z.object({ shop: z.string().max(20) }),
    query: z.object({ express: z.enum(['yes', 'no']).default('no') }),
    body: z.strictObject({ item: z.string(), count: z.int().min(1), gift: z.boolean().optional() }),
    largest: BODY_BYTES,
    status: 201,
    result: z.object({ shop: z.string(), item: z.string(), count: z.number(), express: z.string() }),
    refusals: ['request.invalid'],
  }),
  trouble: endpoint('trouble', 'GET /trouble', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'Fail',
    description: 'For a test alone',
    callers: ['anyone'],
    result: z.object({}),
    refusals: [],
  }),
  guarded: endpoint('guarded', 'POST /guarded', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'Needs a caller',
    description: 'For a test alone',
    callers: ['service'],
    body: z.strictObject({}),
    result: z.object({ service_id: z.string() }),
    refusals: ['auth.token_invalid'],
  }),
  receipt: endpoint('receipt', 'GET /receipts/{kind}', {
    at: ['region'],
    spec: 'D1-2.8',
    summary: 'Bytes or not',
    description: 'For a test alone',
    callers: ['anyone'],
    params: z.object({ kind: z.enum(['raw', 'json', 'sealed']) }),
    result: BinaryAnswer,
    produces: 'bytes',
    refusals: ['request.invalid'],
  }),
  cancel: endpoint('cancel', 'DELETE /orders/{id}', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'Nothing to say',
    description: 'For a test alone',
    callers: ['anyone'],
    params: z.object({ id: z.string() }),
    refusals: [],
  }),
  signIn: endpoint('sign_in', 'GET /sign-in', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'A page',
    description: 'For a test alone',
    callers: ['anyone'],
    query: z.object({ shop: z.string('request.invalid') }),
    result: Page,
    produces: 'page',
    refusals: ['request.invalid'],
  }),
  signedIn: endpoint('signed_in', 'POST /sign-in', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'Onwards',
    description: 'For a test alone',
    callers: ['anyone'],
    consumes: 'form',
    body: z.object({ client_id: z.string(), client_secret: z.string() }),
    status: 303,
    result: z.object({ location: z.string() }),
    produces: 'redirect',
    refusals: ['request.invalid', 'oauth.invalid_request'],
  }),
  later: endpoint('later', 'GET /later', {
    at: ['region'],
    spec: 'D1-4',
    summary: 'Not built',
    description: 'For a test alone',
    callers: ['service'],
    result: z.object({}),
    refusals: ['auth.token_invalid'],
  }),
  far: endpoint('far', 'GET /far', {
    at: ['front-door'],
    spec: 'D1-4',
    summary: 'Served elsewhere',
    description: 'For a test alone',
    callers: ['anyone'],
    result: z.object({}),
    refusals: ['region.rebase_required'],
  }),
};

const SEALED = JSON.stringify({ _enc: 1, k: 'k', iv: 'iv', d: 'd' }) as never;

@Injectable()
export class Kept {
  orders = 0;
  checks = 0;
}

@Controller()
class OrdersHttp {
  constructor(private readonly kept: Kept) {}

  @Serves(orders.place)
  place({ params, query, body }: Input<typeof orders.place>) {
    this.kept.orders++;
    return { shop: params.shop, item: body.item, count: body.count, express: query.express, internal_note: 'never on the wire' };
  }

  @Serves(orders.trouble)
  trouble(): never {
    throw new Error('choked on hunter2');
  }

  @Serves(orders.receipt)
  receipt({ params }: Input<typeof orders.receipt>) {
    if (params.kind === 'sealed') return { encrypted: true as const, value: SEALED };
    if (params.kind === 'json') return { content_type: 'application/json', bytes: Buffer.from('{"tea":1}') };
    return { content_type: 'text/plain', bytes: Buffer.from('one tea') };
  }

  @Serves(orders.cancel)
  cancel() {}

  @Serves(orders.signIn)
  @RefusesWith((refusal, sent) => ({ html: `<p>${refusal.message}, said to ${sent['who']}` }))
  signIn({ query }: Input<typeof orders.signIn>) {
    this.kept.checks++;
    return { html: `<h1>${query.shop}</h1>` };
  }

  @Serves(orders.signedIn)
  signedIn({ body }: Input<typeof orders.signedIn>) {
    return { location: `http://shop/${body.client_id}/${body.client_secret}` };
  }

  @Serves(photos.addPhoto)
  addPhoto({ body }: Input<typeof photos.addPhoto>) {
    return { id: 'photo', content_type: body.mime_type, size: body.size, created_at: '2026-01-01T00:00:00Z' };
  }

  @Serves(orders.guarded)
  guarded(_: Input<typeof orders.guarded>, caller: { service_id: string }) {
    return { service_id: caller.service_id };
  }
}

class TestGatekeeper implements Gatekeeper {
  admit(contract: Endpoint, { authorization }: Call) {
    if (contract.callers.includes('anyone')) return null;
    if (authorization !== 'Bearer good') throw new Refusal('auth.token_invalid');
    return { kind: 'service', service_id: 'shop', client_id: 'svc_1', company_user_id: 'acme' };
  }
  async pointElsewhere(): Promise<never> {
    throw new Refusal('region.rebase_required', { api_url: 'http://front-door' });
  }
  async turnAway(path: string): Promise<never> {
    throw new Refusal('request.not_found').because(`There is no ${path}`);
  }
}

@Module({
  controllers: [OrdersHttp, servedElsewhere([orders.far]), notBuilt([orders.later])],
  providers: [Kept, { provide: GATEKEEPER, useClass: TestGatekeeper }],
})
export class OrdersModule {}

/** Starts the service on a bus of its own. */
export async function startOrders(): Promise<{ service: RunningService; close(): Promise<void> }> {
  process.env['LOG_LEVEL'] ??= 'silent';
  const nats = await TestBus.open();
  const service = await startService({
    name: 'orders',
    config: serviceConfig(nats),
    build: async () => ({ module: OrdersModule, listen: { host: '127.0.0.1', port: 0 } }),
  });
  const close = async () => {
    await service.close();
    await nats.close();
  };
  return { service, close };
}
