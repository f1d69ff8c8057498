// The log holds artifacts as chunks that every store accepts, followed by an event with their labels.

import type { ArtifactContent } from '../commands.ts'
import { splitIntoChunks } from '../text/chunks.ts'
import { truncate } from '../text/truncate.ts'
import type { DecisionBuilder } from './decision-builder.ts'

/** Bounds name, kind and content type, which the fold holds. File systems allow a quarter of this. */
const LABEL_CHARS_MAX = 1_000

export const publishArtifact = (
  w: DecisionBuilder,
  {
    id,
    name,
    kind,
    contentType,
    text,
    toolCallId,
    reason,
  }: ArtifactContent & {
    readonly id?: string
    readonly toolCallId?: string
  },
): string => {
  const artifactId = id ?? `art-${w.nextSeq}`
  const add: DecisionBuilder['add'] = (type, payload) => (w.run ? w.addToRun(type, payload) : w.add(type, payload))
  const chunks = splitIntoChunks(text)
  for (const [index, chunk] of chunks.entries()) add('artifact_chunk', { artifact_id: artifactId, index, text: chunk })
  add('artifact_published', {
    artifact_id: artifactId,
    name: label(name),
    content_type: label(contentType),
    size: artifactSize(text),
    chunks: chunks.length,
    ...(kind !== undefined && { kind: label(kind) }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(reason !== undefined && { reason: label(reason) }),
  })
  return artifactId
}

const label = (text: string): string => truncate(text, LABEL_CHARS_MAX)

/** UTF-8 bytes. A lone surrogate counts as the replacement character, three bytes. */
export const artifactSize = (text: string): number => {
  let bytes = 0
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}
