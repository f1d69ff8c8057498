// Artifacts: listed newest first, read by id or else by name, in whole or by range.

import * as v from 'valibot'
import { ARTIFACTS_MAX, READ_PAGE } from '../../../kernel/limits.ts'
import { placeText } from '../../../kernel/positions/log-position.ts'
import { type Artifact, artifactOf } from '../../../kernel/projections/artifacts.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { condition, isRangeOf, revalidated } from '../requests/conditional-requests.ts'
import { notFound, plainError } from '../router/errors.ts'
import { type Route, route } from '../router/route.ts'
import { pagePlace } from '../streams/replay.ts'
import { listedIn } from './artifact-list.ts'
import { findKey, findSession } from './routes.ts'

export const artifactRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/sessions/:id/artifacts',
    scope: 'observe',
    summary: 'Artifacts of a session, newest first',
    session: findKey,
    query: v.looseObject({ agent: v.optional(v.string()), before: v.optional(pagePlace) }),
    answers: { 200: '`{ artifacts, next? }`; pass `next` as `before` for the next page.' },
    handle: async (call) => {
      const session = await findSession(call)
      if (session instanceof Response) return session
      const { before } = call.query
      // The page before an event of another incarnation is a page of another list: it begins again.
      const isKnown = before !== undefined && before.incarnation === session.logs.own
      const page = isKnown ? await earlierPage(session, before.seq) : newest(session)
      const { own } = session.logs
      const next = page.next && { next: own === 1 ? page.next : placeText(page.next, own) }
      return Response.json({ artifacts: page.artifacts.map(listedIn(session)), ...next })
    },
  }),
  route({
    method: 'get',
    path: '/sessions/:id/artifacts/:artifactId',
    scope: 'observe',
    summary: 'The content of an artifact; takes a Range',
    session: findKey,
    answers: {
      200: 'The content.',
      206: 'A part of it.',
      304: 'It has the tag that If-None-Match names.',
      412: 'It no longer has the tag that If-Match names.',
      416: 'The Range lies outside of it.',
    },
    handle: async (call) => {
      const session = await findSession(call)
      if (session instanceof Response) return session
      const artifact = await find(session, call.param('artifactId'))
      return artifact ? content(session, artifact, call.request) : notFound()
    },
  }),
]

interface Page {
  readonly artifacts: readonly Artifact[]
  /** Everything further back was published before this number. */
  readonly next?: number | undefined
}

const newest = ({ state: { artifacts } }: Session): Page => ({
  artifacts: artifacts.latest.toReversed(),
  next: artifacts.count > artifacts.latest.length ? artifacts.latest[0]?.seq : undefined,
})

const earlierPage = async (session: Session, before: number): Promise<Page> => {
  const artifacts: Artifact[] = []
  for await (const artifact of earlier(session, before)) {
    artifacts.push(artifact)
    if (artifacts.length >= ARTIFACTS_MAX) return { artifacts, next: artifact.seq }
  }
  return { artifacts }
}

/** Every id begins like this, so an ordinary name is never looked for among the ids of a long past. */
const ID_START = 'art-'

const find = async (session: Session, wish: string): Promise<Artifact | undefined> => {
  const { count, latest } = session.state.artifacts
  const named = latest.findLast(({ name }) => name === wish)
  const known = latest.find(({ id }) => id === wish) ?? (wish.startsWith(ID_START) ? undefined : named)
  if (known || count === latest.length) return known ?? named
  let found = named
  for await (const artifact of earlier(session, latest[0]?.seq ?? 0)) {
    if (artifact.id === wish) return artifact
    if (artifact.name === wish) found ??= artifact
  }
  return found
}

/** Read back from the log a page at a time, newest first. */
async function* earlier(session: Session, before: number): AsyncGenerator<Artifact> {
  const { born } = session.state.lifecycle
  for (let end = Math.min(before, session.state.head + 1); end > born; end -= READ_PAGE) {
    const published: Artifact[] = []
    for (let seen = Math.max(born - 1, end - 1 - READ_PAGE); seen < end - 1; ) {
      const events = await session.read(seen, end - 1 - seen)
      const last = events.at(-1)
      if (!last) break
      for (const event of events)
        if (event.type === 'artifact_published' && !event.hearsay && event.seq < end) published.push(artifactOf(event))
      seen = last.seq
    }
    yield* published.reverse()
  }
}

const content = async (session: Session, artifact: Artifact, request: Request): Promise<Response> => {
  const tag = `"${session.key.id}-${artifact.id}-${placeText(artifact.seq, session.logs.own)}"`
  const settled = condition(request, tag)
  if (settled) return settled
  const range = request.headers.get('range')
  // Half of one version and half of another would be a file that never was.
  const wanted = range !== null && isRangeOf(request, tag) ? parseRange(range, artifact.size) : null
  const headers = {
    'content-type': artifact.contentType,
    'accept-ranges': 'bytes',
    etag: tag,
    ...revalidated,
    // What an agent wrote is never a page of this server.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.name.toWellFormed())}`,
  }
  if (wanted === 'outside') {
    return plainError(416, `The Range lies outside of the artifact, which has ${artifact.size} bytes.`, {
      'content-range': `bytes */${artifact.size}`,
    })
  }
  const [from, to] = wanted ?? [0, artifact.size - 1]
  // Before anything is answered: what cannot be read is an error, not an answer that breaks off.
  const begins = await session.content(artifact.first)
  const body = bytes(session, artifact, begins, from, to)
  const length = { 'content-length': String(to - from + 1) }
  if (!wanted) return new Response(body, { headers: { ...headers, ...length } })
  return new Response(body, {
    status: 206,
    headers: { ...headers, ...length, 'content-range': `bytes ${from}-${to}/${artifact.size}` },
  })
}

/** One range; several, or a unit we do not know, are answered in whole, as the standard allows. */
export const parseRange = (range: string, size: number): readonly [number, number] | 'outside' | null => {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? []
  if (first === '' && last === '') return null
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return from >= size || to < from ? 'outside' : [from, to]
}

/** The chunks lie side by side in the log; each is read when the reader wants it. */
const bytes = (
  session: Session,
  { first, seq }: Artifact,
  begins: string,
  from: number,
  to: number,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let next = first
  let offset = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (next < seq && offset <= to) {
        const chunk = encoder.encode(next === first ? begins : await session.content(next))
        next += 1
        const part = chunk.subarray(Math.max(0, from - offset), Math.max(0, to + 1 - offset))
        offset += chunk.byteLength
        if (part.byteLength > 0) return controller.enqueue(part)
      }
      controller.close()
    },
  })
}
