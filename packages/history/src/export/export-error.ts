/** The file is not an export, or was edited or damaged. The message says where, and what to do. */
export class ExportError extends Error {
  /** The name of the class. */
  override readonly name = 'ExportError'
  /** The line number, from 1. */
  readonly line: number

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`)
    this.line = line
  }
}

export const NO_EXPORT =
  'This is no export of a session. Choose a file that `bridle export` or GET /sessions/:id/export wrote.'
