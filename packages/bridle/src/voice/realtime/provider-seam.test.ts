// A second provider is a folder and a row. The parrot proves it: its folder has another API, and no file outside of that knows of it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SERVER_SECRETS } from '../../cli/config/sealed-environment.ts'
import { PROVIDER_SECRETS } from '../../runners/credentials/providers.ts'
import { connectProvider } from '../../targets/node/sockets/provider-socket.ts'
import { KEY, VoiceWorld } from '../voice-world.suite.ts'
import { openai } from './openai/openai.ts'
import type { StubEvent } from './openai/realtime-stub.suite.ts'
import { parrot } from './parrot/parrot.suite.ts'
import { parrotService } from './parrot/parrot-service.suite.ts'
import { describeProvider } from './provider-world.suite.ts'
import { PROVIDERS, providerAccess, type RealtimeEnv } from './providers.ts'

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
  const root = join(import.meta.dirname, '../..')
  const FOLDER = 'voice/realtime/openai/'
  const filesOf = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .filter((file) => !/\.(test|suite)\.tsx?$/.test(file) && !file.startsWith(FOLDER))
      .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const matches = (pattern: string, words: RegExp) =>
    filesOf(pattern).flatMap(({ file, text }) => (words.test(text) ? [file] : []))

  test('have no event of its API', () => {
    const EVENTS =
      /input_audio_(buffer|transcription)|conversation\.item\.|['"`](session\.(created|updated?)|response\.(created?|done|cancel|(output|content|audio|function)_?\w*)[.'"`])|server_vad|audio_(start|end)_ms|output_modalities/
    expect(matches('**/*.{ts,tsx}', EVENTS)).toEqual([])
    // The pattern finds what it is for.
    const own = ['api', 'decode', 'encode', 'conversation'].filter((name) =>
      EVENTS.test(readFileSync(join(root, FOLDER, `${name}.ts`), 'utf8')),
    )
    expect(own).toHaveLength(4)
  })

  test('do not name it, except its row', () => {
    const NAMES = /openai(?!\.com)|gpt-(4o-)?realtime/i
    const places = ['voice/*.ts', 'voice/{audio,keeping,realtime}/**/*.ts', 'targets/voice/*.ts', 'surfaces/voice/*.ts']
    expect(places.flatMap((place) => matches(place, NAMES))).toEqual(['voice/realtime/providers.ts'])
    expect(matches('**/*.ts', /realtime\/openai\/|parrot/)).toEqual([])
  })
})
