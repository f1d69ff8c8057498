// A client for the page of a session without a server: it has the artifacts of the file, and refuses everything else.
import type { FabricClient } from 'bridle/client'
import type { LogEntry } from 'bridle/history'

const refuse = (): Promise<never> =>
  Promise.reject(new Error('This is not in the file: a replay has no server to ask.'))

export const replayClient = (entries: readonly LogEntry[]): FabricClient => {
  const own: Partial<FabricClient> = {
    artifact: async (_sessionId, artifactId) => artifactOf(entries, artifactId) ?? refuse(),
  }
  return new Proxy(own, {
    get: (target, name) => (Object.hasOwn(target, name) ? Reflect.get(target, name) : refuse),
  }) as FabricClient
}

interface ArtifactPayload {
  readonly artifact_id?: unknown
  readonly content_type?: unknown
  readonly encoding?: unknown
  readonly index?: unknown
  readonly text?: unknown
}

/** Null where the file does not have it. */
const artifactOf = (entries: readonly LogEntry[], artifactId: string): Response | null => {
  const own = entries.filter(({ payload }) => (payload as ArtifactPayload).artifact_id === artifactId)
  const published = own.findLast(({ type }) => type === 'artifact_published')
  if (!published) return null
  const { content_type: type, encoding } = published.payload as ArtifactPayload
  const chunks = own
    .filter((entry) => entry.type === 'artifact_chunk')
    .map(({ payload }) => String((payload as ArtifactPayload).text ?? ''))
  const parts = encoding === 'base64' ? chunks.map(bytesOf) : chunks
  return new Response(new Blob(parts, { type: String(type ?? 'text/plain') }))
}

/** Bytes that are no base64 are left out: a file is not trusted. */
const bytesOf = (chunk: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(chunk), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
