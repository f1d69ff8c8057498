// Settings that callers may choose. Imported sessions must pass the same schema.

import type { JsonObject } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import * as v from 'valibot'
import { optionalField, optionalText } from '../requests/request-fields.ts'

/** A file may contain any number and length of names, but the answer quotes them. */
const IGNORED_SETTINGS_MAX = 20
const SETTING_NAME_CHARS_MAX = 64
/** Two lines in a list. */
const SESSION_TITLE_CHARS_MAX = 200

/** Excludes modes in which an engine acts without approval. */
export const settingsFields = {
  provider: optionalText('The provider of the model.'),
  model: optionalText(
    'The model: `provider/model-id` for an agent with a model, a name of the engine’s own for an engine.',
  ),
  permission_mode: optionalField('`plan` lets an engine read and not write.', v.picklist(['normal', 'plan'])),
  approval_mode: optionalField(
    '`on_request`: an engine asks for approval where it needs one.',
    v.picklist(['on_request']),
  ),
  think_level: optionalText('How much the model thinks, in the engine’s own words.'),
  repository: optionalField(
    '`none`: an engine is given no instructions of the repository in its work folder.',
    v.picklist(['instructions', 'none']),
  ),
}

export const voiceFields = {
  voice: optionalField(
    '`keep_audio`: the audio of spoken turns and of their answers becomes artifacts of the session. Default: no audio is kept.',
    v.strictObject({ keep_audio: v.optional(v.boolean()) }),
  ),
}

/** Sending a default chooses nothing: engines name these modes differently, and the operator may say `none`. */
const DEFAULT_SETTINGS: { readonly [name: string]: string } = {
  permission_mode: 'normal',
  approval_mode: 'on_request',
  repository: 'instructions',
}

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
  readonly ignored: readonly string[]
}

/** Keeps only settings that a caller could choose. */
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
