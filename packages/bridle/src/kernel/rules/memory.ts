// Changes of the session's memory. A value that is too large, or one too many, is not kept: the agent was told before.
import type { ReportItem } from '../commands.ts'
import {
  SESSION_MEMORY_KEY_CHARS_MAX,
  SESSION_MEMORY_KEYS_MAX,
  SESSION_MEMORY_VALUE_CHARS_MAX,
  TIME_MAX,
} from '../limits.ts'
import { isRemembered } from '../projections/memory.ts'
import type { DecisionBuilder } from './decision-builder.ts'

export const setMemory = (w: DecisionBuilder, { key, value, ttlMs }: ReportItem & { type: 'memory' }): void => {
  const { entries } = w.state.memory
  const kept = Object.entries(entries).filter(([name, entry]) => name !== key && isRemembered(entry, w.now)).length
  const fits =
    key.length <= SESSION_MEMORY_KEY_CHARS_MAX && JSON.stringify(value).length <= SESSION_MEMORY_VALUE_CHARS_MAX
  if (value !== null && (!fits || kept >= SESSION_MEMORY_KEYS_MAX)) return
  const expires_at = ttlMs === null || value === null ? null : Math.min(Math.ceil(w.now + ttlMs), TIME_MAX)
  w.addToRun('memory_set', { key, value, expires_at })
}
