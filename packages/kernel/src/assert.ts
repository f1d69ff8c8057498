/** For states that the code rules out. Caller mistakes are refusals; failures of a boundary are faults with a code. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${invariant}.`)
}
