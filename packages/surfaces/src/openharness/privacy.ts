// Device state dropped here reaches neither the log, nor agents, models or clients: a model only sees what is logged.
import { canonicalJson, type Json, type JsonObject } from '@bridle/events/json'
import type { EnvironmentState } from '@bridle/wire/openharness/wire'

const RESTRICTED_KEYS = ['os', 'screen_hash']

/** Null keeps nothing. Fingerprints let agents detect changes; they must be keyed, because plain hashes could be guessed. */
export const keptState = async (
  state: EnvironmentState | undefined,
  fingerprint: (text: string) => Promise<string>,
  restrictedKeys: readonly string[] = RESTRICTED_KEYS,
): Promise<JsonObject | null> => {
  const fields = Object.entries((state ?? {}) as JsonObject)
  switch (state?.privacy_tier) {
    case 'public':
      return Object.fromEntries(fields)
    case 'restricted':
      return Object.fromEntries(
        await Promise.all(
          fields.map(async ([name, value]) => {
            const isKept = name === 'privacy_tier' || restrictedKeys.includes(name)
            return [name, isKept ? value : { fingerprint: await fingerprint(textOf(value)) }] as const
          }),
        ),
      )
    default:
      return null
  }
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value))
