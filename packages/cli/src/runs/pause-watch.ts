// Tracks whether a watched session is paused, which stops it until someone resumes it.
import type { PrintableEvent } from '../terminal/event-printer.ts'

export interface PauseWatch {
  readonly isPaused: boolean
  readonly readStatus: (status: string | undefined) => void
  readonly read: (event: PrintableEvent) => void
  /** `paused; bridle resume ada goes on` */
  readonly words: () => string
}

export const pauseWatch = (resumeCommand: () => string): PauseWatch => {
  let isPaused = false
  return {
    get isPaused() {
      return isPaused
    },
    readStatus: (status) => {
      isPaused = status === 'paused'
    },
    read: ({ type, data }) => {
      if (type !== 'operator_action') return
      if (data.action === 'pause') isPaused = true
      if (data.action === 'resume') isPaused = false
    },
    words: () => `paused; ${resumeCommand()} goes on`,
  }
}
