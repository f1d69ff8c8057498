// Reads the file of an export, strictly: a line that a server would not have written is refused with its number. A page that replays a
// file and a server that imports it both read it here.
import {
  type ExportContent,
  ExportReader,
  type FileDigest,
  type ReadExportOptions,
  type SessionLines,
} from './export-reader.ts'
import { linesOf } from './lines.ts'
import { Pace } from './pace.ts'

/** Reads a whole file, in slices between which others get a turn. Rejects with an ExportError at the first line that is wrong. */
export const readExport = async (
  file: string | Uint8Array,
  options: ReadExportOptions = {},
): Promise<ExportContent> => {
  const reader = new ExportReader({ ...options, digest: await digestOf(file) })
  await feed(reader, file, options)
  return reader.content()
}

/** Checks a whole file as `readExport` does, and keeps nothing of it but the places of its sessions: the memory is that of the file. */
export const scanExport = async (
  file: Uint8Array,
  options: ReadExportOptions = {},
): Promise<{ readonly sessions: readonly SessionLines[]; readonly digest: string }> => {
  const reader = new ExportReader({ ...options, keepsEntries: false, digest: await digestOf(file) })
  await feed(reader, file, options)
  const { digest } = reader.content()
  return { sessions: reader.places(), digest }
}

/** A platform's own digest takes a tenth of the time. A page without a secure context has none. */
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
