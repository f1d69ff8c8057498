// The settings of the cascade.
import { expect, test } from 'vitest'
import { cascadeSettings } from './settings.ts'

const [hears, speaks] = ['http://127.0.0.1:9/v1', 'https://tts.example/v1']

test.each([
  ['nothing', {}, null],
  ['keys alone', { BRIDLE_STT_KEY: 'a', BRIDLE_TTS_KEY: 'b' }, null],
  ['one address', { BRIDLE_STT_URL: hears }, { problem: expect.stringContaining('BRIDLE_TTS_URL') }],
  ['the other address', { BRIDLE_TTS_URL: speaks }, { problem: expect.stringContaining('BRIDLE_STT_URL') }],
  [
    'a host',
    { BRIDLE_STT_URL: hears, BRIDLE_TTS_URL: 'tts.example' },
    { problem: expect.stringContaining('BRIDLE_TTS_URL') },
  ],
  [
    'a file',
    { BRIDLE_STT_URL: 'file:///x', BRIDLE_TTS_URL: speaks },
    { problem: expect.stringContaining('BRIDLE_STT_URL') },
  ],
  [
    'addresses',
    { BRIDLE_STT_URL: hears, BRIDLE_TTS_URL: speaks },
    {
      transcription: { setting: 'BRIDLE_STT', url: hears, model: 'gpt-4o-mini-transcribe' },
      synthesis: { setting: 'BRIDLE_TTS', url: speaks, model: 'gpt-4o-mini-tts' },
      voice: 'alloy',
    },
  ],
  [
    'everything',
    {
      ...{ BRIDLE_STT_URL: hears, BRIDLE_STT_KEY: 'a', BRIDLE_STT_MODEL: 'whisper-1' },
      ...{ BRIDLE_TTS_URL: speaks, BRIDLE_TTS_KEY: 'b', BRIDLE_TTS_MODEL: 'tts-1', BRIDLE_TTS_VOICE: 'nova' },
    },
    {
      transcription: { setting: 'BRIDLE_STT', url: hears, key: 'a', model: 'whisper-1' },
      synthesis: { setting: 'BRIDLE_TTS', url: speaks, key: 'b', model: 'tts-1' },
      voice: 'nova',
    },
  ],
])('[V60] %s', (_name, env, expected) => expect(cascadeSettings(env)).toEqual(expected))
