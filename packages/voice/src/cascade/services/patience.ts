// Aborts a request when its line closes, or when the service is silent for too long.
import type { Clock } from '@bridle/kernel/ports/clock'

export interface Patience {
  readonly signal: AbortSignal
  isOver: boolean
  renew(): void
  release(): void
}

export const startPatience = (clock: Clock, ms: number, line: AbortSignal): Patience => {
  const controller = new AbortController()
  const end = () => controller.abort(line.reason)
  let clear = () => {}
  const patience: Patience = {
    signal: controller.signal,
    isOver: false,
    renew: () => {
      clear()
      clear = clock.after(ms, () => {
        patience.isOver = true
        controller.abort(new Error('No answer in time.'))
      })
    },
    release: () => {
      clear()
      line.removeEventListener('abort', end)
    },
  }
  if (line.aborted) end()
  else line.addEventListener('abort', end, { once: true })
  patience.renew()
  return patience
}
