import type { HarnessState } from 'bridle/client'
import { statusWords } from 'bridle/words'

/** True while the agent may write at any moment: a paused, waiting or ended session writes nothing, though its answer may be open. */
export const isAtWork = ({ sessionStatus, status }: Pick<HarnessState, 'sessionStatus' | 'status'>): boolean =>
  // A server of the bare document sends the status of the conversation alone.
  sessionStatus === undefined ? status === 'running' : statusWords(sessionStatus).isWorking
