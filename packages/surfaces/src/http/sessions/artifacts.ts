// Artifacts are found by id, otherwise by name.

import { ARTIFACTS_MAX, READ_PAGE } from '@bridle/events/limits'
import { positionText } from '@bridle/kernel/positions/log-position'
import { type Artifact, artifactOf } from '@bridle/kernel/projections/indexes/artifacts'
import type { Session } from '@bridle/kernel/session/session'
import { decodeBase64 } from '@bridle/kernel/text/base64'
import type { ArtifactPage } from '@bridle/wire/http/wire'
import { summarizeIn } from '@bridle/wire/views/artifact-list'
import * as v from 'valibot'
import { json } from '../answers/answer-schema.ts'
import { artifactContentAnswer, artifactPageAnswer, artifactPartAnswer } from '../answers/session-answers.ts'
import { Denial, partNotFound } from '../denials/denial.ts'
import { publicPath } from '../denials/public-path.ts'
import { conditionalResponse, rangeMatchesTag, revalidateHeaders } from '../requests/conditional-requests.ts'
import { get, type Route } from '../router/route.ts'
import { pageCursorSchema } from '../streams/replay.ts'
import { downloadDisposition } from './download-name.ts'
import { findKey, onSession } from './routes.ts'

export const artifactRoutes: readonly Route[] = [
  get('/sessions/:id/artifacts', {
    scope: 'observe',
    summary: 'A page of the artifacts of a session, newest first',
    call: 'artifacts',
    session: findKey,
    query: v.looseObject({ before: v.optional(pageCursorSchema) }),
    answers: { 200: artifactPageAnswer },
    handle: onSession(async (session, call) => {
      const { before } = call.query
      // A cursor of another incarnation belongs to a different list, so start over.
      const isOwn = before !== undefined && before.incarnation === session.incarnations.own
      const page = isOwn ? await earlierPage(session, before.seq) : newestPage(session)
      const { own } = session.incarnations
      const next = page.next && { next: own === 1 ? page.next : positionText(page.next, own) }
      return json<ArtifactPage>({ artifacts: page.artifacts.map(summarizeIn(session)), ...next })
    }),
  }),
  get('/sessions/:id/artifacts/:artifactId', {
    scope: 'observe',
    summary: 'The content of an artifact; takes a Range',
    call: 'artifact',
    session: findKey,
    headers: ['Range', 'If-Range', 'If-None-Match', 'If-Match'],
    answers: { 200: artifactContentAnswer, 206: artifactPartAnswer },
    handle: onSession(async (session, call) => {
      const id = call.param('artifactId')
      const artifact = await findArtifact(session, id)
      if (artifact) return contentResponse(session, artifact, call.request)
      const list = publicPath(call.request, `/sessions/${session.key.id}/artifacts`)
      return partNotFound('artifact', id, `GET ${list} lists them`)
    }),
  }),
]

interface PublishedPage {
  readonly artifacts: readonly Artifact[]
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

/** Other names are never searched for among all ids, because the log may be long. */
const ID_START = 'art-'

const findArtifact = async (session: Session, idOrName: string): Promise<Artifact | undefined> => {
  const { count, latest } = session.state.artifacts
  const named = latest.findLast(({ name }) => name === idOrName)
  const recent = latest.find(({ id }) => id === idOrName) ?? (idOrName.startsWith(ID_START) ? undefined : named)
  if (recent || count === latest.length) return recent ?? named
  let found = named
  for await (const artifact of artifactsBefore(session, latest[0]?.seq ?? 0)) {
    if (artifact.id === idOrName) return artifact
    if (artifact.name === idOrName) found ??= artifact
  }
  return found
}

/** Newest first. Reads the log backwards, page by page. */
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
  const conditional = conditionalResponse(request, tag)
  if (conditional) return conditional
  // Scrubbing may have shortened an imported artifact; its recorded size is the original one.
  const isSizeKnown = artifact.encoding === 'base64' || artifact.seq >= session.state.lifecycle.claimedSeq
  const range = isSizeKnown ? request.headers.get('range') : null
  // Only for the version that the caller has: mixing two versions would produce a file that never existed.
  const byteRange = range !== null && rangeMatchesTag(request, tag) ? parseRange(range, artifact.size) : null
  const headers = {
    'content-type': artifact.contentType,
    'accept-ranges': isSizeKnown ? 'bytes' : 'none',
    etag: tag,
    ...revalidateHeaders,
    // Browsers must never render an agent's content as a page of this origin.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': downloadDisposition(artifact.name),
  }
  if (byteRange === 'outside') {
    return new Denial(
      'range_not_satisfiable',
      `The Range lies outside of the artifact, which has ${artifact.size} bytes.`,
      {
        'content-range': `bytes */${artifact.size}`,
      },
    )
  }
  const [from, to] = byteRange ?? [0, isSizeKnown ? artifact.size - 1 : Number.MAX_SAFE_INTEGER - 1]
  // Read the first chunk up front, so that an unreadable artifact is an error rather than a truncated response.
  const firstChunk = await session.readChunkText(artifact.firstChunkSeq)
  const body = byteStream(session, artifact, firstChunk, from, to)
  const length: Record<string, string> = isSizeKnown ? { 'content-length': String(to - from + 1) } : {}
  if (!byteRange) return new Response(body, { headers: { ...headers, ...length } })
  return new Response(body, {
    status: 206,
    headers: { ...headers, ...length, 'content-range': `bytes ${from}-${to}/${artifact.size}` },
  })
}

/** Null: send everything, as the standard allows for several ranges and for unknown units. */
export const parseRange = (range: string, size: number): readonly [number, number] | 'outside' | null => {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? []
  if (first === '' && last === '') return null
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return from >= size || to < from ? 'outside' : [from, to]
}

/** An artifact's chunks are adjacent in the log. Each is read after the previous one was consumed. */
const byteStream = (
  session: Session,
  { firstChunkSeq, seq, encoding }: Artifact,
  firstChunk: string,
  from: number,
  to: number,
): ReadableStream<Uint8Array> => {
  const bytesOf = chunkBytes(encoding)
  let next = firstChunkSeq
  let offset = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (next < seq && offset <= to) {
        const chunk = bytesOf(next === firstChunkSeq ? firstChunk : await session.readChunkText(next))
        next += 1
        const part = chunk.subarray(Math.max(0, from - offset), Math.max(0, to + 1 - offset))
        offset += chunk.byteLength
        if (part.byteLength > 0) return controller.enqueue(part)
      }
      controller.close()
    },
  })
}

const chunkBytes = (encoding: Artifact['encoding']): ((chunk: string) => Uint8Array) => {
  if (encoding === 'base64') return (chunk) => decodeBase64(chunk) ?? new Uint8Array(0)
  const encoder = new TextEncoder()
  return (chunk) => encoder.encode(chunk)
}
