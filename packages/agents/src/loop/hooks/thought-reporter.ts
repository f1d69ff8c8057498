// Reports the text and the thoughts of a model while they arrive. The reporter paces text; thoughts are paced here in the same way.

import { TOKEN_CHARS_MAX, TOKEN_PACE_MS } from '@bridle/events/limits'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { ThoughtListener } from '../../model/think.ts'

export interface ThoughtReporter extends ThoughtListener {
  /** Ends the pacing. The items still have to be reported. */
  close(): ReportItem[]
}

export const createThoughtReporter = (reporter: RunReporter, clock: Clock): ThoughtReporter => {
  let thoughts = ''
  let cancelTimer: (() => void) | null = null

  const take = (): ReportItem[] => {
    const text = thoughts
    thoughts = ''
    return text === '' ? [] : [{ type: 'event', event: { type: 'thinking', payload: { text } } }]
  }
  const flush = (): Promise<void> => {
    const items = take()
    return items.length === 0 ? Promise.resolve() : reporter.report(items)
  }
  /** Sends the waiting thoughts and starts the next pause. A refusal reaches the run at its next awaited report. */
  const pace = () => {
    cancelTimer = null
    if (thoughts === '') return
    flush().catch(() => {})
    cancelTimer = clock.after(TOKEN_PACE_MS, pace)
  }

  return {
    text: async (delta) => {
      // Thoughts stay ahead of the text that follows from them. The first text leaves at once, and so do they.
      if (thoughts !== '') flush().catch(() => {})
      await reporter.token(delta)
    },
    thinking: async (delta) => {
      thoughts += delta
      if (thoughts.length > TOKEN_CHARS_MAX) return flush()
      if (cancelTimer === null) pace()
    },
    close: () => {
      cancelTimer?.()
      cancelTimer = null
      return take()
    },
  }
}
