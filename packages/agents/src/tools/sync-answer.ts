// The answers of `when`, `approve` and `resources`, which must not be async: a promise says nothing yet, and its rejection would be unhandled.

/** The answer itself. Throws where it is a promise. */
export const syncAnswer = (name: string, answer: unknown): unknown => {
  if (!isPromise(answer)) return answer
  answer.then(undefined, () => {})
  throw new TypeError(`The function ${name} returned a promise: it must not be async.`)
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
