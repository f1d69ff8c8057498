// Reads the file of an export, strictly: a line that a server would not have written is refused with its number. A page that replays a
// file and a server that imports it both read it here.
import { type ExportContent, ExportReader, type ReadExportOptions, type SessionLines } from './export-reader.ts'
import { linesOf } from './lines.ts'
import { Pace } from './pace.ts'

/** Reads a whole file, in slices between which others get a turn. Rejects with an ExportError at the first line that is wrong. */
export const readExport = async (
  file: string | Uint8Array,
  options: ReadExportOptions = {},
): Promise<ExportContent> => {
  const reader = new ExportReader(options)
  await feed(reader, file)
  return reader.content()
}

/** Checks a whole file as `readExport` does, and keeps nothing of it but the places of its sessions: the memory is that of the file. */
export const scanExport = async (
  file: Uint8Array,
  options: ReadExportOptions = {},
): Promise<{ readonly sessions: readonly SessionLines[]; readonly digest: string }> => {
  const reader = new ExportReader({ ...options, keepsEntries: false })
  await feed(reader, file)
  const { digest } = reader.content()
  return { sessions: reader.places(), digest }
}

const feed = async (reader: ExportReader, file: string | Uint8Array): Promise<void> => {
  const pace = new Pace()
  for (const { text, at } of linesOf(file)) {
    reader.add(text, at)
    await pace.spend(text.length)
  }
}
