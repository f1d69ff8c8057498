// The memory of a session, as its agents read and write it: small values by name, which outlive the turn.

import { type Json, ownProperty } from '@bridle/events/json'
import {
  SESSION_MEMORY_KEY_CHARS_MAX,
  SESSION_MEMORY_KEYS_MAX,
  SESSION_MEMORY_VALUE_CHARS_MAX,
} from '@bridle/events/limits'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Clock } from '@bridle/kernel/ports/clock'
import { isRemembered, MEMORY_PROPOSAL, type MemoryEntry, memoryBeforeRun } from '@bridle/kernel/projections/memory'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { toPlainJson } from '../schemas/input.ts'
import type { SessionMemory } from '../session.ts'
import { EXPIRY_MS_MAX } from './limits.ts'
import { artifactItem } from './session-items.ts'

/** The memory that a run sees, and the way its changes take to the log. */
export interface MemoryAccess {
  readonly entry: (key: string) => RememberedValue | null
  readonly keys: () => readonly string[]
  readonly set: (key: string, value: Json, ttlMs: number | null) => Promise<void>
}

type RememberedValue = Pick<MemoryEntry, 'value' | 'expiresAt'>

/** The memory as the log has it now. */
export const liveMemory = (reporter: Pick<RunReporter, 'report' | 'session'>, clock: Clock): MemoryAccess => {
  const entries = () => reporter.session.memory().entries
  const now = () => clock.now()
  return {
    entry: (key) => {
      const entry = ownProperty(entries(), key)
      return entry && isRemembered(entry, now()) ? entry : null
    },
    keys: () => Object.entries(entries()).flatMap(([key, entry]) => (isRemembered(entry, now()) ? [key] : [])),
    set: (key, value, ttlMs) => reporter.report([{ type: 'memory', key, value, ttlMs }]),
  }
}

/**
 * The memory as it was when the run began, with the function's own changes, so that each attempt reads the same values. No time passes in it.
 * `remember` adds the change of a tool whose call is settled, and which does not run again.
 */
export const replayedMemory = (
  reporter: RunReporter,
  startedAt: number,
  isInLog: (key: string, value: Json) => boolean,
): MemoryAccess & { readonly remember: (key: string, value: Json) => void } => {
  const before = memoryBeforeRun(reporter.session.memory())
  const entries = new Map<string, RememberedValue>(
    Object.entries(before).filter(([, entry]) => isRemembered(entry, startedAt)),
  )
  const remember = (key: string, value: Json): void => {
    if (value === null) entries.delete(key)
    else entries.set(key, { value, expiresAt: null })
  }
  return {
    entry: (key) => entries.get(key) ?? null,
    keys: () => [...entries.keys()],
    remember,
    set: async (key, value, ttlMs) => {
      remember(key, value)
      if (!isInLog(key, value)) await reporter.report([{ type: 'memory', key, value, ttlMs }])
    },
  }
}

/** `track` starts a change, and refuses it once the run or the call is over. `publish` adds a proposal, which is an artifact. */
export const createMemory = (
  track: (start: () => Promise<void>) => Promise<void>,
  access: MemoryAccess,
  publish: (proposal: ReportItem & { readonly type: 'artifact' }) => Promise<void>,
): SessionMemory => ({
  get: async <T>(key: string) => {
    checkKey(key)
    const entry = access.entry(key)
    return (entry ? structuredClone(entry.value) : null) as T | null
  },

  set: (key, value, { ttlMs } = {}) =>
    track(async () => {
      checkKey(key)
      if (ttlMs !== undefined && !(ttlMs > 0 && ttlMs <= EXPIRY_MS_MAX))
        throw new RangeError(`ttlMs is above 0 and at most ${EXPIRY_MS_MAX}.`)
      const plain = plainValue(key, value)
      if (plain !== null && !access.entry(key) && access.keys().length >= SESSION_MEMORY_KEYS_MAX)
        throw new RangeError(`The memory has ${SESSION_MEMORY_KEYS_MAX} keys. Delete one first.`)
      await access.set(key, plain, ttlMs ?? null)
    }),

  list: async () => [...access.keys()].sort(),

  delete: (key) =>
    track(async () => {
      checkKey(key)
      if (access.entry(key)) await access.set(key, null, null)
    }),

  propose: (key, value, { reason } = {}) =>
    track(async () => {
      checkKey(key)
      const text = JSON.stringify(plainValue(key, value))
      const item = artifactItem(key, text, 'application/json', MEMORY_PROPOSAL)
      await publish({ ...item, ...(reason !== undefined && { reason: String(reason) }) })
    }),
})

const plainValue = (key: string, value: unknown): Json => {
  const plain = toPlainJson(value, `value of "${key}"`)
  if (JSON.stringify(plain).length > SESSION_MEMORY_VALUE_CHARS_MAX)
    throw new RangeError(
      `The value of "${key}" has more than ${SESSION_MEMORY_VALUE_CHARS_MAX} characters as JSON. Publish it with session.artifact(), and keep its name.`,
    )
  return plain
}

const checkKey = (key: unknown): void => {
  if (typeof key !== 'string' || key === '' || key.length > SESSION_MEMORY_KEY_CHARS_MAX)
    throw new TypeError(`A key of the memory is a text of 1 to ${SESSION_MEMORY_KEY_CHARS_MAX} characters.`)
}
