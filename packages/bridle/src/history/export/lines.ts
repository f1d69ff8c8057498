// The lines of a file, one after the other: the file as a whole is never text in memory.
import { EXPORT_LINE_CHARS_MAX } from '../limits.ts'
import { ExportError, NO_EXPORT } from './export-error.ts'

export interface FileLine {
  readonly text: string
  /** The place of its first character or byte in the file. */
  readonly at: number
}

/** Throws an ExportError where a line is no text, has no end, or is too long. */
export function* linesOf(file: string | Uint8Array): Generator<FileLine> {
  let line = 1
  for (let at = 0; at < file.length; line++) {
    const end = typeof file === 'string' ? file.indexOf('\n', at) : file.indexOf(NEWLINE, at)
    if (end < 0) {
      // A picture, an archive or another text is no export that was cut off.
      const rest = typeof file === 'string' ? file.slice(at) : textOf(file.subarray(at), line, true)
      if (line === 1 && !isBeginning(rest)) throw new ExportError(line, NO_EXPORT)
      throw new ExportError(line, 'The file is cut off here. Export it again.')
    }
    const size = end - at
    // A character has at most three bytes for each unit that its text counts.
    if (size > EXPORT_LINE_CHARS_MAX * (typeof file === 'string' ? 1 : 3)) throw tooLong(line)
    const text = typeof file === 'string' ? file.slice(at, end) : textOf(file.subarray(at, end), line)
    if (text.length > EXPORT_LINE_CHARS_MAX) throw tooLong(line)
    yield { text, at }
    at = end + 1
  }
}

/** Whether an export may begin with the text, however short it is. */
const isBeginning = (text: string): boolean => text.startsWith(BEGINNING) || BEGINNING.startsWith(text)
const BEGINNING = '{"bridle":"export"'

const NEWLINE = '\n'.charCodeAt(0)

const textOf = (bytes: Uint8Array, line: number, stream = false): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream })
  } catch {
    throw new ExportError(line, 'The line is not text. Choose a file that `bridle export` wrote.')
  }
}

const tooLong = (line: number): ExportError =>
  new ExportError(line, `The line is longer than ${EXPORT_LINE_CHARS_MAX} characters. No server writes such a line.`)
