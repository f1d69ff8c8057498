// Artifacts: listed newest first, read by id or else by name, in whole or by range.
import type { Artifact } from '../../kernel/projections/artifacts.ts'
import type { Session } from '../../kernel/session.ts'
import { notFound } from './errors.ts'
import { type Route, route } from './route.ts'
import { findSession } from './sessions.ts'

export const artifactRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/sessions/:id/artifacts',
    scope: 'observe',
    summary: 'Artifacts of a session, newest first',
    answers: { 200: '`{ artifacts }`' },
    handle: async (call) => {
      const session = await findSession(call)
      return session instanceof Response ? session : Response.json({ artifacts: artifactsOf(session) })
    },
  }),
  route({
    method: 'get',
    path: '/sessions/:id/artifacts/:artifactId',
    scope: 'observe',
    summary: 'The content of an artifact; takes a Range',
    answers: { 200: 'The content.', 206: 'A part of it.' },
    handle: async (call) => {
      const session = await findSession(call)
      if (session instanceof Response) return session
      const { artifacts } = session.state
      const wish = call.param('artifactId')
      const artifact = artifacts.find(({ id }) => id === wish) ?? artifacts.findLast(({ name }) => name === wish)
      return artifact ? content(session, artifact, call.request.headers.get('range')) : notFound()
    },
  }),
]

export const artifactsOf = ({ state }: Session) =>
  state.artifacts.toReversed().map(({ id, name, kind, contentType, size, at }) => ({
    id,
    name,
    kind,
    contentType,
    size,
    createdAt: new Date(at).toISOString(),
  }))

const content = async (session: Session, artifact: Artifact, range: string | null): Promise<Response> => {
  const wanted = range === null ? null : parseRange(range, artifact.size)
  const headers = {
    'content-type': artifact.contentType,
    'accept-ranges': 'bytes',
    etag: `"${session.key.id}-${artifact.id}-${artifact.seq}"`,
    // What an agent wrote is never a page of this server.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.name.toWellFormed())}`,
  }
  if (wanted === 'outside') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${artifact.size}` } })
  }
  const [from, to] = wanted ?? [0, artifact.size - 1]
  const body = bytes(session, artifact, from, to)
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
const bytes = (session: Session, { first, seq }: Artifact, from: number, to: number): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let next = first
  let offset = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (next < seq && offset <= to) {
        const [event] = await session.read(next - 1, 1)
        next += 1
        if (event?.type !== 'artifact_chunk') continue
        const chunk = encoder.encode(event.payload.text)
        const part = chunk.subarray(Math.max(0, from - offset), Math.max(0, to + 1 - offset))
        offset += chunk.byteLength
        if (part.byteLength > 0) return controller.enqueue(part)
      }
      controller.close()
    },
  })
}
