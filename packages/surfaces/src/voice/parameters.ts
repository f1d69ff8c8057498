// Browsers cannot read why an upgrade was refused, so most mistakes open the socket, explain, and close it.

import { isId } from '@bridle/kernel/event'
import type { AudioFormat, VoiceRequest } from '@bridle/kernel/ports/voice'
import * as v from 'valibot'
import { workspaceQuery } from '../http/sessions/workspace-choice.ts'

/** A page of untrusted text, which costs tokens in every turn. */
const INSTRUCTIONS_CHARS_MAX = 4_000
/** Providers' names have about 40 characters. */
const VOICE_NAME_CHARS_MAX = 128

export const voiceQuery = v.looseObject({
  voice: v.optional(v.string()),
  model: v.optional(v.string()),
  audioFormat: v.optional(v.string()),
  instructions: v.optional(v.string()),
  agent: v.optional(v.string()),
  turns: v.optional(v.string()),
  encoding: v.optional(v.string()),
  line: v.optional(v.string()),
  after: v.optional(v.string()),
  ...workspaceQuery,
})

export interface VoiceParameters extends Pick<VoiceRequest, 'format' | 'turns' | 'voice' | 'model' | 'instructions'> {
  readonly encoding: 'binary' | 'json'
  /** Null: the client names no line, so it cannot take one over. */
  readonly line: string | null
}

export const parseVoiceParameters = (
  query: v.InferOutput<typeof voiceQuery>,
): VoiceParameters | { readonly problem: string } => {
  const { voice, model, instructions, turns = 'silence', encoding = 'binary', line = null } = query
  const format = FORMATS[(query.audioFormat ?? 'pcm16').toLowerCase()]
  if (format === undefined) return { problem: 'audioFormat: Name one of pcm16, g711_ulaw and g711_alaw.' }
  if (turns !== 'manual' && turns !== 'silence') return { problem: 'turns: Name one of manual and silence.' }
  if (encoding !== 'binary' && encoding !== 'json') return { problem: 'encoding: Name one of binary and json.' }
  if (line !== null && !isId(line)) return { problem: 'line: Send letters, digits and . _ : @ - only, at most 128.' }
  for (const [name, value] of Object.entries({ voice, model }))
    if (value !== undefined && !NAME.test(value))
      return { problem: `${name}: Send a name of at most ${VOICE_NAME_CHARS_MAX} letters, digits and . _ : / @ -` }
  if ((instructions?.length ?? 0) > INSTRUCTIONS_CHARS_MAX)
    return { problem: `instructions: Send at most ${INSTRUCTIONS_CHARS_MAX} characters.` }
  return {
    ...{ format, encoding, turns, line },
    ...(voice && { voice }),
    ...(model && { model }),
    ...(instructions?.trim() && { instructions }),
  }
}

/** Own names and media types. */
const FORMATS: { readonly [name: string]: AudioFormat | undefined } = Object.assign(Object.create(null), {
  pcm16: 'pcm16',
  g711_ulaw: 'g711_ulaw',
  g711_alaw: 'g711_alaw',
  'audio/pcm': 'pcm16',
  'audio/pcmu': 'g711_ulaw',
  'audio/pcma': 'g711_alaw',
})

const NAME = new RegExp(`^[\\w.:/@-]{0,${VOICE_NAME_CHARS_MAX}}$`)
