// The answers of functions that decide at once: `when` of a rule, `approve` and `resources` of a tool. One that is async by mistake
// answers with a promise, which says nothing yet. Its error would be nobody's, and end the process.

/** The answer itself. Throws where it is a promise. */
export const syncAnswer = (name: string, answer: unknown): unknown => {
  if (!isPromise(answer)) return answer
  answer.then(undefined, () => {})
  throw new TypeError(`The function ${name} returned a promise: it must not be async.`)
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
