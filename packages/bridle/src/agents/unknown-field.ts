import { nearestName } from '../kernel/text/nearest-name.ts'

/** A sentence about the first field that nobody reads; null = all are known. A policy under a misspelt name would guard nothing. */
export const unknownFieldProblem = (fields: object, known: readonly string[]): string | null => {
  const name = Object.keys(fields).find((each) => !known.includes(each))
  if (name === undefined) return null
  const near = nearestName(name, known)
  return `"${name}" is no field${near === null ? `: there are ${known.join(', ')}.` : `. Did you mean "${near}"?`}`
}
