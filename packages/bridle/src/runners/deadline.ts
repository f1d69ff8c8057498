/** A request that is given up after so long. Its timer goes with its answer: one that runs on keeps a Durable Object awake. */
export const withDeadline = async <T>(ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  try {
    return await ask(late.signal)
  } finally {
    clearTimeout(timer)
  }
}
