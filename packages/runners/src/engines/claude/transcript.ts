// The engine's own record of the conversation, a file of JSON lines: the only place that says how many messages it holds.

import { readFile, realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'

/** A transcript is read into memory whole to count its messages; a larger one goes uncounted. */
const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024

/** Messages since the last compaction; null = not known. The engine named the file, so it must lie in the engine's own folder. */
export const countTranscriptMessages = async (file: string, folder: string): Promise<number | null> => {
  try {
    const [path, root] = await Promise.all([realpath(file), realpath(folder)])
    if (!path.startsWith(root + sep)) return null
    const found = await stat(path)
    if (!found.isFile() || found.size > TRANSCRIPT_BYTES_MAX) return null
    return countMessages(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}

export const countMessages = (transcript: string): number => {
  const ids = new Set<string>()
  for (const line of transcript.split('\n')) {
    const entry = parseTranscriptLine(line)
    if (entry.subtype === 'compact_boundary') ids.clear()
    if (entry.type !== 'user' && entry.type !== 'assistant') continue
    // Notes of the engine to itself, and messages of its subagents.
    if (entry.isMeta || entry.isSidechain) continue
    // A message of the model has a line for each of its blocks.
    ids.add(entry.message?.id ?? entry.uuid ?? line)
  }
  return ids.size
}

interface TranscriptEntry {
  readonly type?: string
  readonly subtype?: string
  readonly uuid?: string
  readonly isMeta?: boolean
  readonly isSidechain?: boolean
  readonly message?: { readonly id?: string }
}

/** The engine may still be writing the last line. */
const parseTranscriptLine = (line: string): TranscriptEntry =>
  tryOr({}, () => (JSON.parse(line) as TranscriptEntry | null) ?? {})
