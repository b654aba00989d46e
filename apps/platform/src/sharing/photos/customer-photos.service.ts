import { Injectable } from '@nestjs/common';
import { PHOTO_SUBJECTS, Refusal, type RawFile } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { StreamedAnswer } from '@codase/runtime/http';
import { Customers, movedMeanwhile, RegionRouter } from '../connections/index.ts';
import { piecesElsewhere, servedBytes } from '../../storage/files/index.ts';
import { Photos } from './photos.service.ts';
import { ShownPhotos, type ByCode, type ByConnection } from './shown-photos.service.ts';

type Piece = Awaited<ReturnType<ShownPhotos['piece']>>;
type Answer = StreamedAnswer<RawFile>;

/** What customers who are at home in this region see of the photos of services, wherever the company lives. @spec D1-5.8 @gap D1-1 */
@Injectable()
export class CustomerPhotos {
  constructor(
    private readonly bus: Bus,
    private readonly customers: Customers,
    private readonly router: RegionRouter,
    private readonly shown: ShownPhotos,
    private readonly photos: Photos,
  ) {}

  /** Reads the photo on the card of a service, before one connects to it. */
  async ofCard(company_code: string, service_code: string): Promise<Answer> {
    const { region, company_user_id } = await this.customers.companyWith(company_code);
    const by: ByCode = { company_user_id, service_code };
    const reading = region === this.router.region ? this.here(by) : this.there(this.ofCardIn(region, by));
    return reading.catch(unavailableWhileMoving);
  }

  /** Reads the photo of the service that a customer is connected to. */
  ofConnection(by: ByConnection): Promise<Answer> {
    const { user_id } = by;
    const reading = this.router.hereOrElsewhere(
      user_id,
      () => this.here(by),
      (region) => this.there((position) => this.bus.request(PHOTO_SUBJECTS.ofConnection, { region }, { ...by, position })),
    );
    return reading.catch(unavailableWhileMoving);
  }

  private ofCardIn(region: string, by: ByCode): (position: number) => Promise<Piece> {
    return (position) => this.bus.request(PHOTO_SUBJECTS.ofCard, { region }, { ...by, position });
  }

  private async here(by: ByCode | ByConnection): Promise<Answer> {
    return this.photos.serve(await this.shown.find(by));
  }

  /** Serves a photo of another region piece by piece. The transfer breaks off when the service shows another photo meanwhile. */
  private async there(ask: (position: number) => Promise<Piece>): Promise<Answer> {
    const first = await ask(1);
    const same = async (position: number) => {
      const piece = await ask(position);
      if (piece.photo_id !== first.photo_id) throw new Refusal('service.unavailable');
      return piece;
    };
    return servedBytes(first, piecesElsewhere(first, same), first.size);
  }
}

/** Replaces a refusal that names another base: the customer called the right one, and the company is moving, which takes a moment. */
function unavailableWhileMoving(error: unknown): never {
  throw movedMeanwhile(error, 'service.unavailable');
}
