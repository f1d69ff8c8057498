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
