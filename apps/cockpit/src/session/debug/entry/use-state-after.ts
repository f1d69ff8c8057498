// The state of the session after an entry, folded here from the log. The scrubber folds the same log, so both share it.
import type { SessionAt } from 'bridle/history'
import { useEffect } from 'react'
import { usePast } from '../../past/past-context.ts'

export interface StateAfter {
  readonly moment: SessionAt | null
  readonly problem: string | null
}

export const useStateAfter = (seq: number): StateAfter => {
  const { log, prepare, problem } = usePast()
  useEffect(() => {
    prepare()
  }, [prepare])
  if (!log || log.loaded < seq) return { moment: null, problem }
  try {
    return { moment: log.history.at(seq), problem: null }
  } catch (error) {
    return { moment: null, problem: (error as Error).message }
  }
}
