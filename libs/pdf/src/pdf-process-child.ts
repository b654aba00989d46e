// The program of a process that reads PDFs of unknown origin. The process has no key and no secret, does one job at a time, and is killed
// when a job needs too much time or memory.
import { X509Certificate } from 'node:crypto';
import { findTags } from './find-tags.ts';
import type { PdfAnswer, PdfJob } from './pdf-process-messages.ts';
import { prepareSeal } from './prepare-seal.ts';
import { asRefusal } from './refusal.ts';
import { verify } from './verify.ts';

async function work(job: PdfJob): Promise<PdfAnswer> {
  try {
    return { ok: true, result: await resultOf(job) };
  } catch (error) {
    const { reason, detail } = asRefusal(error);
    return { ok: false, reason, detail };
  }
}

function resultOf(job: PdfJob) {
  if (job.kind === 'tags') return findTags(asBuffer(job.pdf));
  if (job.kind === 'fill') return fillIn(job);
  return job.kind === 'verify' ? verifyIn(job) : prepareIn(job);
}

const verifyIn = ({ pdf, certificates, limits }: Extract<PdfJob, { kind: 'verify' }>) =>
  verify(asBuffer(pdf), { certificates: certificates.map((raw) => new X509Certificate(raw)), limits });

async function fillIn({ pdf, values, limits }: Extract<PdfJob, { kind: 'fill' }>) {
  const { fill } = await import('./fill/fill.ts'); // imported only when needed, because it loads fonts
  return fill(asBuffer(pdf), values, limits);
}

async function prepareIn({ pdf, options, signaturesPage }: Extract<PdfJob, { kind: 'prepare' }>) {
  const original = asBuffer(pdf);
  if (!signaturesPage) return prepareSeal(original, options);
  const { drawSignaturesPage } = await import('./signatures-page/signatures-page.ts'); // imported only when needed, because it loads fonts
  return prepareSeal(original, { ...options, pages: await drawSignaturesPage(original, signaturesPage) });
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength);

process.on('message', (job: PdfJob) => void work(job).then((answer) => process.send!(answer)));
process.on('disconnect', () => process.exit(0));
process.send!('ready');
