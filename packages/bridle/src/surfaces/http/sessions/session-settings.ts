// The settings that a caller may choose for a session. Those of an imported session pass the same schema.
import * as v from 'valibot'
import type { JsonObject } from '../../../kernel/json.ts'
import { truncate } from '../../../kernel/text/truncate.ts'
import { IGNORED_SETTINGS_MAX, SESSION_TITLE_CHARS_MAX, SETTING_NAME_CHARS_MAX } from '../limits.ts'

/** The fields of `session_state` that a caller may choose. Modes that let an engine act without approval are not among them. */
export const settingsFields = {
  provider: v.optional(v.string()),
  model: v.optional(v.string()),
  permission_mode: v.optional(v.picklist(['normal', 'plan'])),
  approval_mode: v.optional(v.picklist(['on_request'])),
  think_level: v.optional(v.string()),
}

/** `keep_audio`: the audio of spoken turns becomes artifacts of the session. */
export const voiceFields = { voice: v.optional(v.strictObject({ keep_audio: v.optional(v.boolean()) })) }

/** A caller that sends a default chooses nothing: engines have other names for these modes. */
const DEFAULT_SETTINGS: { readonly [name: string]: string } = { permission_mode: 'normal', approval_mode: 'on_request' }

type SettingsBody = { readonly [name in keyof typeof settingsFields]?: string | undefined } & v.InferOutput<
  v.ObjectSchema<typeof voiceFields, undefined>
>

export const settingsOf = (body: SettingsBody): JsonObject => ({
  ...Object.fromEntries(
    Object.keys(settingsFields).flatMap((name) => {
      const value = body[name as keyof typeof settingsFields]
      return value === undefined || value === DEFAULT_SETTINGS[name] ? [] : [[name, value]]
    }),
  ),
  ...(body.voice?.keep_audio && { voice: { keep_audio: true } }),
})

const fields = { ...settingsFields, ...voiceFields }

export interface ImportedSettings {
  readonly settings: JsonObject
  /** The names of the settings that do not hold here. */
  readonly ignored: readonly string[]
}

/** Settings that a file claims: those that a caller could choose hold, and the others are ignored. */
export const importedSettings = (claimed: JsonObject): ImportedSettings => {
  const set = Object.entries(claimed).filter(([, value]) => value !== null)
  const [chosen, others] = [set.filter(isChoice), set.filter((entry) => !isChoice(entry))]
  return {
    settings: settingsOf(Object.fromEntries(chosen)),
    ignored: others.slice(0, IGNORED_SETTINGS_MAX).map(([name]) => truncate(name, SETTING_NAME_CHARS_MAX)),
  }
}

const isChoice = ([name, value]: readonly [string, unknown]): boolean =>
  Object.hasOwn(fields, name) && v.is(fields[name as keyof typeof fields], value)

export const sessionTitle = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(SESSION_TITLE_CHARS_MAX))
