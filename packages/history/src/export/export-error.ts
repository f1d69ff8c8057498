/** A file that is no export, or was changed or damaged since. The message says where, and what to do. */
export class ExportError extends Error {
  /** The name of the class. */
  override readonly name = 'ExportError'
  /** The number of the line, from 1. */
  readonly line: number

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`)
    this.line = line
  }
}

/** The message for a file whose first line is not that of an export. */
export const NO_EXPORT =
  'This is no export of a session. Choose a file that `bridle export` or GET /sessions/:id/export wrote.'
