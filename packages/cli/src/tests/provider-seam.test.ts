// A second provider is a folder and a row. The parrot proves it: its folder has another API, and no file outside of that knows of it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROVIDER_SECRETS } from '@bridle/runners/credentials/providers'
import { connectProvider } from '@bridle/voice/node/provider-socket'
import { openai } from '@bridle/voice/realtime/openai/openai'
import type { StubEvent } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import { parrot } from '@bridle/voice/realtime/parrot/parrot.suite'
import { parrotService } from '@bridle/voice/realtime/parrot/parrot-service.suite'
import { describeProvider } from '@bridle/voice/realtime/provider-world.suite'
import { PROVIDERS, providerAccess, type RealtimeEnv } from '@bridle/voice/realtime/providers'
import { KEY, VoiceWorld } from '@bridle/voice/voice-world.suite'
import { describe, expect, test } from 'vitest'
import { SERVER_SECRETS } from '../config/sealed-environment.ts'

const TABLE = [...PROVIDERS, parrot]

describeProvider(openai, async ({ plan = () => ({}), isKeyWrong, ...options }) => {
  const wordsOf = ({ content = [] }: StubEvent): string =>
    (content as StubEvent[]).map(({ text, transcript }) => text ?? transcript ?? '').join('|')
  const world = await VoiceWorld.start({
    ...options,
    plan: (n, _session, items) => plan(n, items.map(wordsOf)),
    ...(isKeyWrong && { key: 'another' }),
  })
  const access = { provider: openai, url: world.stub.url, key: KEY, connect: connectProvider }
  return { world, access, drop: () => world.stub.drop() }
})

describeProvider(parrot, async ({ plan = () => ({}), isKeyWrong, ...options }) => {
  const service = parrotService(KEY, plan)
  const access = providerAccess({ PARROT_API_KEY: isKeyWrong ? 'another' : KEY }, service.connect, TABLE)!
  const world = await VoiceWorld.start({ ...options, ports: { realtime: access } })
  return { world, access, drop: service.drop }
})

describe('the table of providers', () => {
  test('a server uses the first provider whose key it has, at the address that its operator sets', () => {
    const chosen = (env: RealtimeEnv) => {
      const access = providerAccess(env, connectProvider, TABLE)
      return access && [access.provider.label, access.url, access.key]
    }
    expect(chosen({ OPENAI_API_KEY: '', PARROT_BASE_URL: 'wss://cage.test' })).toBeNull()
    expect(chosen({ PARROT_API_KEY: 'p' })).toEqual([parrot.label, parrot.url, 'p'])
    expect(chosen({ PARROT_API_KEY: 'p', PARROT_BASE_URL: 'wss://cage.test', OPENAI_BASE_URL: 'x' })).toEqual([
      ...[parrot.label, 'wss://cage.test', 'p'],
    ])
    expect(chosen({ PARROT_API_KEY: 'p', OPENAI_API_KEY: 'o' })).toEqual([openai.label, openai.url, 'o'])
  })

  test('[O14] every key is sealed', () => {
    const sealed = [...PROVIDER_SECRETS, ...SERVER_SECRETS]
    expect(PROVIDERS.filter(({ keyVariable }) => !sealed.includes(keyVariable))).toEqual([])
  })
})

describe('files outside of the folder of a provider', () => {
  const root = join(import.meta.dirname, '../../..')
  const FOLDER = 'voice/src/realtime/openai/'
  const filesOf = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .filter((file) => !/\.(test|suite)\.tsx?$/.test(file) && !file.startsWith(FOLDER))
      .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const matches = (pattern: string, words: RegExp) =>
    filesOf(pattern).flatMap(({ file, text }) => (words.test(text) ? [file] : []))

  test('have no event of its API', () => {
    const EVENTS =
      /input_audio_(buffer|transcription)|conversation\.item\.|['"`](session\.(created|updated?)|response\.(created?|done|cancel|(output|content|audio|function)_?\w*)[.'"`])|server_vad|audio_(start|end)_ms|output_modalities/
    expect(matches('*/src/**/*.{ts,tsx}', EVENTS)).toEqual([])
    // The pattern finds what it is for.
    const own = ['api', 'decode', 'encode', 'conversation'].filter((name) =>
      EVENTS.test(readFileSync(join(root, FOLDER, `${name}.ts`), 'utf8')),
    )
    expect(own).toHaveLength(4)
  })

  test('do not name it, except its row', () => {
    const NAMES = /openai(?!\.com)|gpt-(4o-)?realtime/i
    const places = [
      'voice/src/*.ts',
      'voice/src/{audio,keeping,realtime,spoken}/**/*.ts',
      '{server,surfaces}/src/voice/*.ts',
    ]
    expect(places.flatMap((place) => matches(place, NAMES))).toEqual(['voice/src/realtime/providers.ts'])
    expect(matches('*/src/**/*.ts', /realtime\/openai\/|parrot/)).toEqual([])
  })
})
