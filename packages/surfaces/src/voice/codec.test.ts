// The examples of the protocol page are messages of the wire, and there is one of each.
import { readFileSync } from 'node:fs'
import type { VoiceClientMessage, VoiceServerMessage } from '@bridle/wire/voice/wire'
import { expect, test } from 'vitest'
import { isVoiceMistake, parseVoiceMessage } from './codec.ts'

const page = readFileSync(new URL('../../../../docs/protocol/voice.md', import.meta.url), 'utf8')
const examples = (arrow: string): string[] =>
  [...page.replaceAll(/\n {3}(?=")/g, '').matchAll(new RegExp(`^${arrow} (\\{.*\\})$`, 'gm'))].map(
    ([, text = '']) => text,
  )

test('each message of a client has an example that is one', () => {
  const messages = examples('→').map(parseVoiceMessage)
  expect(messages.filter(isVoiceMistake)).toEqual([])
  const types = messages.flatMap((message) => ('type' in message ? [message.type] : []))
  const all: { readonly [T in VoiceClientMessage['type']]: true } = {
    ...{ audio: true, text: true, cancel_response: true, tool_result: true, played: true, ping: true },
  }
  expect(new Set(types)).toEqual(new Set(Object.keys(all)))
})

test('each message of the server has an example', () => {
  const types = examples('←').map((text) => (JSON.parse(text) as VoiceServerMessage).type)
  const all: { readonly [T in VoiceServerMessage['type']]: true } = {
    ...{ session_open: true, audio_delta: true, audio_stop: true, text_delta: true, transcript: true, tool_call: true },
    ...{ speech: true, response_done: true, error: true, pong: true },
  }
  expect(new Set(types)).toEqual(new Set(Object.keys(all)))
})
