/** Aborts a request after `ms`. The timer ends with the answer: a running timer would keep a Durable Object awake. */
export const withDeadline = async <T>(ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  try {
    return await ask(late.signal)
  } finally {
    clearTimeout(timer)
  }
}
