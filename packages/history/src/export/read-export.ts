// Strict: refuses any line that a server would not have written. Used by pages that replay a file and servers that import it.
import { ExportError, NO_EXPORT } from './export-error.ts'
import {
  type ExportContent,
  ExportReader,
  type FileDigest,
  type ReadExportOptions,
  type SessionLines,
} from './export-reader.ts'
import { Pace } from './pace.ts'

/** Above the largest event: an artifact chunk, or a payload of 1.5 million characters as JSON. */
const EXPORT_LINE_CHARS_MAX = 12_000_000

/** Reads a whole file, yielding between slices. Rejects with an ExportError at the first invalid line. */
export const readExport = async (
  file: string | Uint8Array,
  options: ReadExportOptions = {},
): Promise<ExportContent> => {
  const reader = new ExportReader({ ...options, digest: await digestOf(file) })
  await feed(reader, file, options)
  return reader.content()
}

/** Checks a file like `readExport`, but only keeps the offsets of its sessions. */
export const scanExport = async (
  file: Uint8Array,
  options: ReadExportOptions = {},
): Promise<{ readonly sessions: readonly SessionLines[]; readonly digest: string }> => {
  const reader = new ExportReader({ ...options, keepsEntries: false, digest: await digestOf(file) })
  await feed(reader, file, options)
  const { digest } = reader.content()
  return { sessions: reader.places(), digest }
}

/** Ten times faster than the digest of the reader, but unavailable in pages without a secure context. */
const digestOf = async (file: string | Uint8Array): Promise<FileDigest | null> => {
  const { subtle } = globalThis.crypto
  if (typeof file === 'string' || !subtle) return null
  const lastLineAt = file.lastIndexOf(NEWLINE, file.length - 2) + 1
  const hash = await subtle.digest('SHA-256', file.subarray(0, lastLineAt) as Uint8Array<ArrayBuffer>)
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { hex, lastLineAt }
}

const NEWLINE = '\n'.charCodeAt(0)

const feed = async (
  reader: ExportReader,
  file: string | Uint8Array,
  { nextTurn }: ReadExportOptions,
): Promise<void> => {
  const pace = new Pace(nextTurn)
  for (const { text, at } of linesOf(file)) {
    reader.add(text, at)
    await pace.spend(text.length)
  }
}

interface FileLine {
  readonly text: string
  /** The offset of the line, in characters or bytes. */
  readonly at: number
}

/** Throws an ExportError if a line is not text, is truncated, or is too long. */
function* linesOf(file: string | Uint8Array): Generator<FileLine> {
  let line = 1
  for (let at = 0; at < file.length; line++) {
    const end = typeof file === 'string' ? file.indexOf('\n', at) : file.indexOf(NEWLINE, at)
    if (end < 0) {
      // Otherwise any other file would be reported as a truncated export.
      const rest = typeof file === 'string' ? file.slice(at) : textOf(file.subarray(at), line, true)
      if (line === 1 && !isBeginning(rest)) throw new ExportError(line, NO_EXPORT)
      throw new ExportError(line, 'The file is cut off here. Export it again.')
    }
    const size = end - at
    // UTF-8 takes at most three bytes per UTF-16 unit.
    if (size > EXPORT_LINE_CHARS_MAX * (typeof file === 'string' ? 1 : 3)) throw tooLong(line)
    const text = typeof file === 'string' ? file.slice(at, end) : textOf(file.subarray(at, end), line)
    if (text.length > EXPORT_LINE_CHARS_MAX) throw tooLong(line)
    yield { text, at }
    at = end + 1
  }
}

/** Accepts texts shorter than the beginning itself. */
const isBeginning = (text: string): boolean => text.startsWith(BEGINNING) || BEGINNING.startsWith(text)
const BEGINNING = '{"bridle":"export"'

const textOf = (bytes: Uint8Array, line: number, stream = false): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream })
  } catch {
    throw new ExportError(line, 'The line is not text. Choose a file that `bridle export` wrote.')
  }
}

const tooLong = (line: number): ExportError =>
  new ExportError(line, `The line is longer than ${EXPORT_LINE_CHARS_MAX} characters. No server writes such a line.`)
