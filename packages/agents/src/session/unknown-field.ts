import { findUnknownName } from '@bridle/kernel/text/nearest-name'

/** A sentence about the first field that nobody reads; null = all are known. A policy under a misspelt name would guard nothing. */
export const unknownFieldProblem = (fields: object, known: readonly string[]): string | null => {
  const unknown = findUnknownName(fields, known)
  if (unknown === null) return null
  const { name, near } = unknown
  return `"${name}" is no field${near === null ? `: there are ${known.join(', ')}.` : `. Did you mean "${near}"?`}`
}
