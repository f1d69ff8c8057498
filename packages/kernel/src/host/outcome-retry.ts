// Commands whose outcome is unknown, because the store failed while it wrote: with a command id the stored answer is looked up,
// and the command is tried again where there is none.
import { hasFaultCode } from '../ports/store-fault.ts'
import type { IdempotencyKey } from '../session/inbox.ts'
import { EVICTED } from './eviction.ts'

/** A command whose outcome is unknown is tried again this often: a store that fails more often in a row is down. */
const OUTCOME_RETRIES_MAX = 3

export const retryUnknownOutcome = async <T>(id: IdempotencyKey | null, send: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; ) {
    try {
      return await send()
    } catch (cause) {
      // A session that was evicted between being opened and getting the command has decided nothing.
      if (cause === EVICTED) continue
      const isUnknown = hasFaultCode(cause, 'outcome_unknown') && id !== null
      if (!isUnknown || ++tries > OUTCOME_RETRIES_MAX) throw cause
    }
  }
}
