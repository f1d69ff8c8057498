// Artifacts: listed newest first, read by id or else by name, in whole or by range.

import * as v from 'valibot'
import { ARTIFACTS_MAX, READ_PAGE } from '../../../kernel/limits.ts'
import { positionText } from '../../../kernel/positions/log-position.ts'
import { type Artifact, artifactOf } from '../../../kernel/projections/artifacts.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { json } from '../answers/answer-schema.ts'
import { artifactContentAnswer, artifactPageAnswer, artifactPartAnswer } from '../answers/session-answers.ts'
import { conditionalResponse, rangeMatchesTag, revalidateHeaders } from '../requests/conditional-requests.ts'
import { Denial, isDenial, notFound } from '../router/denial.ts'
import { type Route, route } from '../router/route.ts'
import { pageCursorSchema } from '../streams/replay.ts'
import type { ArtifactPage } from '../wire.ts'
import { summarizeIn } from './artifact-list.ts'
import { findKey, findSession } from './routes.ts'

export const artifactRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/sessions/:id/artifacts',
    scope: 'observe',
    summary: 'Artifacts of a session, newest first',
    session: findKey,
    query: v.looseObject({ agent: v.optional(v.string()), before: v.optional(pageCursorSchema) }),
    answers: { 200: artifactPageAnswer },
    handle: async (call) => {
      const session = await findSession(call)
      if (isDenial(session)) return session
      const { before } = call.query
      // The page before an event of another incarnation is a page of another list: it begins again.
      const isKnown = before !== undefined && before.incarnation === session.incarnations.own
      const page = isKnown ? await earlierPage(session, before.seq) : newestPage(session)
      const { own } = session.incarnations
      const next = page.next && { next: own === 1 ? page.next : positionText(page.next, own) }
      return json<ArtifactPage>({ artifacts: page.artifacts.map(summarizeIn(session)), ...next })
    },
  }),
  route({
    method: 'get',
    path: '/sessions/:id/artifacts/:artifactId',
    scope: 'observe',
    summary: 'The content of an artifact; takes a Range',
    session: findKey,
    headers: ['Range', 'If-Range', 'If-None-Match', 'If-Match'],
    answers: { 200: artifactContentAnswer, 206: artifactPartAnswer },
    handle: async (call) => {
      const session = await findSession(call)
      if (isDenial(session)) return session
      const artifact = await findArtifact(session, call.param('artifactId'))
      return artifact ? contentResponse(session, artifact, call.request) : notFound()
    },
  }),
]

interface PublishedPage {
  readonly artifacts: readonly Artifact[]
  /** Everything further back was published before this number. */
  readonly next?: number | undefined
}

const newestPage = ({ state: { artifacts } }: Session): PublishedPage => ({
  artifacts: artifacts.latest.toReversed(),
  next: artifacts.count > artifacts.latest.length ? artifacts.latest[0]?.seq : undefined,
})

const earlierPage = async (session: Session, before: number): Promise<PublishedPage> => {
  const artifacts: Artifact[] = []
  for await (const artifact of artifactsBefore(session, before)) {
    artifacts.push(artifact)
    if (artifacts.length >= ARTIFACTS_MAX) return { artifacts, next: artifact.seq }
  }
  return { artifacts }
}

/** Every id begins like this, so an ordinary name is never looked for among the ids of a long past. */
const ID_START = 'art-'

const findArtifact = async (session: Session, wish: string): Promise<Artifact | undefined> => {
  const { count, latest } = session.state.artifacts
  const named = latest.findLast(({ name }) => name === wish)
  const known = latest.find(({ id }) => id === wish) ?? (wish.startsWith(ID_START) ? undefined : named)
  if (known || count === latest.length) return known ?? named
  let found = named
  for await (const artifact of artifactsBefore(session, latest[0]?.seq ?? 0)) {
    if (artifact.id === wish) return artifact
    if (artifact.name === wish) found ??= artifact
  }
  return found
}

/** Read back from the log a page at a time, newest first. */
async function* artifactsBefore(session: Session, before: number): AsyncGenerator<Artifact> {
  const { firstSeq } = session.state.lifecycle
  for (let end = Math.min(before, session.state.head + 1); end > firstSeq; end -= READ_PAGE) {
    const published: Artifact[] = []
    for (let seen = Math.max(firstSeq - 1, end - 1 - READ_PAGE); seen < end - 1; ) {
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

const contentResponse = async (session: Session, artifact: Artifact, request: Request): Promise<Response | Denial> => {
  const tag = `"${session.key.id}-${artifact.id}-${positionText(artifact.seq, session.incarnations.own)}"`
  const settled = conditionalResponse(request, tag)
  if (settled) return settled
  const range = request.headers.get('range')
  // Half of one version and half of another would be a file that never was.
  const wanted = range !== null && rangeMatchesTag(request, tag) ? parseRange(range, artifact.size) : null
  const headers = {
    'content-type': artifact.contentType,
    'accept-ranges': 'bytes',
    etag: tag,
    ...revalidateHeaders,
    // What an agent wrote is never a page of this server.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.name.toWellFormed())}`,
  }
  if (wanted === 'outside') {
    return new Denial(
      'range_not_satisfiable',
      `The Range lies outside of the artifact, which has ${artifact.size} bytes.`,
      {
        'content-range': `bytes */${artifact.size}`,
      },
    )
  }
  const [from, to] = wanted ?? [0, artifact.size - 1]
  // Before anything is answered: what cannot be read is an error, not an answer that breaks off.
  const begins = await session.readChunkText(artifact.firstChunkSeq)
  const body = byteStream(session, artifact, begins, from, to)
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
const byteStream = (
  session: Session,
  { firstChunkSeq, seq }: Artifact,
  begins: string,
  from: number,
  to: number,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let next = firstChunkSeq
  let offset = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (next < seq && offset <= to) {
        const chunk = encoder.encode(next === firstChunkSeq ? begins : await session.readChunkText(next))
        next += 1
        const part = chunk.subarray(Math.max(0, from - offset), Math.max(0, to + 1 - offset))
        offset += chunk.byteLength
        if (part.byteLength > 0) return controller.enqueue(part)
      }
      controller.close()
    },
  })
}
