// The state of a shell's device, as far as the engine may keep it. Everything that is left out here reaches neither the log, nor
// an agent, nor a model, nor a client: what a model sees is what the log holds.
import { canonicalJson, type Json, type JsonObject } from '@bridle/events/json'
import type { EnvironmentState } from '@bridle/wire/openharness/wire'

/** Keys of a restricted state that are kept as they are, where the operator lists no others. */
const RESTRICTED_KEYS = ['os', 'screen_hash']

/**
 * Null = nothing is kept: the state is secret, or its shell does not say how private it is. Of a restricted state the listed keys
 * are kept, and of the others a fingerprint, so that an agent sees whether something changed. `fingerprint` must be keyed: an address or a title
 * could be guessed from its plain hash.
 */
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
