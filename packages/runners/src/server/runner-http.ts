// Shared by the runner's routes: authorization, reading requests, and answers of one shape.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeeperThan } from '@bridle/events/json'
import { DEPTH_MAX } from '@bridle/events/limits'
import { tryOr } from '@bridle/kernel/try-or'
import type { GenericSchema } from 'valibot'
import { parseBody } from '../protocol/protocol.ts'
import type { RunRecord } from './run-record.ts'

/** A prompt has at most 1.5 million characters; with settings and variables it fits many times. */
const RUNNER_BODY_BYTES_MAX = 8 * 1024 * 1024

export const isAuthorized = (incoming: IncomingMessage, token: string | null | undefined): boolean =>
  !token || hasBearer(incoming, token)

export const hasBearer = (incoming: IncomingMessage, token: string): boolean =>
  hasBearerDigest(incoming, createHash('sha256').update(token).digest('hex'))

export const hasBearerDigest = ({ headers }: IncomingMessage, digest: string): boolean => {
  const [, bearer = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  const isPresent = bearer !== ''
  return timingSafeEqual(createHash('sha256').update(bearer).digest(), Buffer.from(digest, 'hex')) && isPresent
}

/** Checks a caller without a token: refuses pages in a browser, and host names that only resolve to this machine. */
export const isLoopbackCaller = ({ headers }: IncomingMessage): boolean => {
  const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)
  const { origin } = headers
  const from = origin === undefined ? '' : /^https?:\/\/([^/]+)$/.exec(origin)?.[1]
  return isLoopback(headers.host ?? '') && (from === '' || (from !== undefined && isLoopback(from)))
}

export const frameCursor = ({ headers }: IncomingMessage, query: URLSearchParams): number | null => {
  const cursor = headers['last-event-id'] ?? query.get('after') ?? '0'
  return /^\d{1,15}$/.test(String(cursor)) ? Number(cursor) : null
}

/** Undefined: the request was refused, and the refusal is sent. */
export const readRequestBody = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<unknown> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length
    // Read the body to its end: a client that is still writing does not read the refusal.
    if (size <= RUNNER_BODY_BYTES_MAX) chunks.push(chunk as Buffer)
  }
  if (size > RUNNER_BODY_BYTES_MAX)
    return void sendError(outgoing, 413, 'too_large', `The body is larger than ${RUNNER_BODY_BYTES_MAX} bytes.`)
  try {
    const body: unknown = size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (!isDeeperThan(body, DEPTH_MAX)) return body
    return void sendError(outgoing, 400, 'bad_request', `The body is nested deeper than ${DEPTH_MAX} levels.`)
  } catch {
    return void sendError(outgoing, 400, 'bad_request', 'The body is not JSON.')
  }
}

export const decodePathPart = (part: string): string => tryOr(part, () => decodeURIComponent(part))

export const sendJson = (outgoing: ServerResponse, status: number, body: object): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(body))
}

export const sendError = (outgoing: ServerResponse, status: number, type: string, message: string): void => {
  if (outgoing.headersSent) return void outgoing.destroy()
  sendJson(outgoing, status, { error: { type, message } })
}

/** Acts on a body that is valid and comes from the run's latest owner; answers with the refusal otherwise. */
export const handleBody = async <T extends object>(
  outgoing: ServerResponse,
  schema: GenericSchema<unknown, T>,
  body: unknown,
  run: RunRecord | null,
  act: (value: T) => unknown,
): Promise<void> => {
  const parsed = parseBody(schema, body)
  if ('problem' in parsed) return sendError(outgoing, 400, 'bad_request', parsed.problem)
  if (run && refuseStaleEpoch(outgoing, run, (parsed.value as { epoch?: number }).epoch)) return
  await act(parsed.value)
}

/** Answers with a refusal where a later owner was seen. Epochs belong to a session, so those of other runs are not compared. */
export const refuseStaleEpoch = (outgoing: ServerResponse, run: RunRecord, epoch = run.epoch): boolean => {
  if (epoch < run.epoch) sendError(outgoing, 409, 'stale_epoch', `Epoch ${epoch} is over; ${run.epoch} was seen.`)
  else run.epoch = epoch
  return epoch < run.epoch
}
