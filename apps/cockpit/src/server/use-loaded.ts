// Data of one request, loaded again when the key changes or when `reload` is called. Older data stays while newer data loads.
import { useCallback, useEffect, useRef, useState } from 'react'
import { newestLoad } from './newest-load.ts'

export interface Loaded<T> {
  readonly data: T | null
  readonly error: Error | null
  readonly isLoading: boolean
  readonly reload: () => void
}

/** `key` null loads nothing. */
export const useLoaded = <T>(key: string | null, load: () => Promise<T>): Loaded<T> => {
  const [state, setState] = useState<{ key: string | null; data: T | null; error: Error | null }>(empty)
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const reload = useCallback(() => setRound((count) => count + 1), [])
  const [run] = useState(() => newestLoad<T>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again for the same key
  useEffect(() => {
    if (key === null) return
    run(latest.current(), (result) =>
      setState((before) =>
        result.status === 'fulfilled'
          ? { key, data: result.value, error: null }
          : { key, data: before.key === key ? before.data : null, error: result.reason as Error },
      ),
    )
  }, [key, round, run])
  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : null,
    error: isCurrent ? state.error : null,
    isLoading: key !== null && !isCurrent,
    reload,
  }
}

const empty = { key: null, data: null, error: null }
