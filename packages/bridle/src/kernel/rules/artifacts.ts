// An artifact's content lies in the log, in chunks that every store can hold, followed by one event that names it.
import { CHUNK_CHARS } from '../limits.ts'
import type { Working } from './working.ts'

export interface Publication {
  readonly id?: string
  readonly name: string
  readonly kind?: string
  readonly contentType: string
  readonly text: string
  readonly toolCallId?: string
}

export const publish = (w: Working, { id, name, kind, contentType, text, toolCallId }: Publication): void => {
  const artifactId = id ?? `art-${w.next}`
  const chunks = chunked(text)
  for (const [index, chunk] of chunks.entries())
    w.addToRun('artifact_chunk', { artifact_id: artifactId, index, text: chunk })
  w.addToRun('artifact_published', {
    artifact_id: artifactId,
    name,
    content_type: contentType,
    size: text.length,
    chunks: chunks.length,
    ...(kind !== undefined && { kind }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  })
}

/** Sized by their JSON, where one character may take six; never split between two surrogates. */
const chunked = (text: string): string[] => {
  const most = CHUNK_CHARS / 6
  if (text.length <= most || JSON.stringify(text).length <= CHUNK_CHARS) return [text]
  const chunks: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + Math.floor(most))
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1
    chunks.push(text.slice(from, to))
    from = to
  }
  return chunks
}
