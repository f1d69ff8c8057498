/** Stops on a state that the code rules out. A caller's mistake is a refusal, and a failing boundary a fault with a code. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${invariant}.`)
}
