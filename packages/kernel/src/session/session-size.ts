// Memory is estimated: the size of the snapshot and of the events since.

import { BYTES_PER_CHAR, SESSION_CHARS_MAX } from '@bridle/events/limits'
import type { Event } from '../event.ts'
import type { Snapshot } from '../ports/log.ts'
import type { SessionState } from '../projections/state.ts'
import { approximateChars } from '../text/size.ts'

/** An empty session with its queue, timers and folds. */
export const SESSION_BYTES_MIN = 8 * 1024

export class SessionSize {
  /** Rewound prompts count until the state is measured again. */
  #chars: number

  constructor(snapshot: Snapshot | null, chars = 0) {
    this.#chars = snapshot
      ? snapshot.pieces.reduce((chars, text) => chars + (text?.length ?? 0), snapshot.state.length)
      : chars
  }

  get chars(): number {
    return this.#chars
  }

  get bytes(): number {
    return SESSION_BYTES_MIN + BYTES_PER_CHAR * this.#chars
  }

  add(events: readonly Pick<Event, 'type' | 'payload'>[]): void {
    // Artifact text stays in the log.
    for (const { type, payload } of events) if (type !== 'artifact_chunk') this.#chars += approximateChars(payload)
  }

  /** Whether there is no room for another prompt. Measures the state again first, because rewound prompts take no memory. */
  isFull(state: SessionState): boolean {
    if (this.#chars > SESSION_CHARS_MAX) this.#chars = approximateChars(state)
    return this.#chars > SESSION_CHARS_MAX
  }
}
