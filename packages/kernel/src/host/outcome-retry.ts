// A store failure may leave the outcome of a command unknown. Its command id then finds the stored answer, or makes a retry safe.
import { hasFaultCode } from '../ports/store-fault.ts'
import type { IdempotencyKey } from '../session/inbox.ts'
import { EVICTED } from './eviction.ts'

/** A store that fails more often in a row is down. */
const OUTCOME_RETRIES_MAX = 3

export const retryUnknownOutcome = async <T>(id: IdempotencyKey | null, send: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; ) {
    try {
      return await send()
    } catch (cause) {
      // Evicted before it received the command, so nothing was decided.
      if (cause === EVICTED) continue
      const isUnknown = hasFaultCode(cause, 'outcome_unknown') && id !== null
      if (!isUnknown || ++tries > OUTCOME_RETRIES_MAX) throw cause
    }
  }
}
