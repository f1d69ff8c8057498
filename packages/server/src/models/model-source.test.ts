// Models by their names: from the options of a server, from packages in the user's folder, and from an address.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { OpenAIProvider } from '@ai-sdk/openai'
import type { LanguageModel } from '@bridle/agents/model/model'
import { ModelError } from '@bridle/agents/model/model-error'
import { startProviderStub } from '@bridle/agents/model/provider-stub.suite'
import { providers } from '@bridle/agents/model/providers.suite'
import { think } from '@bridle/agents/model/think'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { spoken } from './chat-completions/chat-stub.suite.ts'
import { createModelSource, LOAD_MS_MAX, type ModelEnv, type ModelProviders } from './model-source.ts'
import { nodePackages } from './node-packages.ts'

const stub = await startProviderStub()
afterEach(() => stub.reply())
let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bridle-models-'))
})
afterAll(async () => {
  await stub.close()
  rmSync(root, { recursive: true, force: true })
})

const installed = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
/** A folder of a user who has installed these packages: the provider's name, and the package that it is. */
const folderWith = (packages: { readonly [provider: string]: string }): string => {
  const folder = mkdtempSync(join(root, 'user-'))
  for (const [provider, name] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', '@ai-sdk', provider)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(installed, name), link)
  }
  return folder
}
const fakePackage = (folder: string, provider: string, code: string) => {
  const at = join(folder, 'node_modules', '@ai-sdk', provider)
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), `{"name":"@ai-sdk/${provider}","type":"module","exports":"./index.js"}`)
  writeFileSync(join(at, 'index.js'), code)
}
const sourceIn = (folder: string, env: ModelEnv = {}, models?: ModelProviders) =>
  createModelSource({ models, env, packages: nodePackages(folder) })
const failure = async (work: Promise<unknown>): Promise<ModelError> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ModelError)) throw error ?? new Error('It did not fail.')
  return error
}
const words = async (model: LanguageModel): Promise<unknown> => {
  const request = { messages: [user], tools: [], settings: {}, signal: new AbortController().signal }
  const listener = { text: async () => {}, thinking: async () => {} }
  const clock = { now: () => 0, after: () => () => {} }
  const { content } = await think(model, request, listener, { callId: String, clock, stallMs: 60_000 })
  return content.map((entry) => (entry.type === 'text' ? entry.text : entry.type)).join('')
}
const user = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }
const fake = (modelId: string): LanguageModel => ({
  ...{ specificationVersion: 'v4', provider: 'fake', modelId },
  doStream: () => new Promise<never>(() => {}),
})

describe("[N105] a package in the user's folder", () => {
  const keys = { ANTHROPIC_API_KEY: 'key-a', OPENAI_API_KEY: 'key-o' }
  const cases = [
    ['anthropic v4', 'anthropic/claude-sonnet-4-5', { anthropic: '@ai-sdk/anthropic' }, 'key-a', '/messages'],
    ['anthropic v3', 'anthropic/claude-sonnet-4-5', { anthropic: 'ai-sdk-anthropic-v3' }, 'key-a', '/messages'],
    ['openai v4', 'openai/gpt-5', { openai: '@ai-sdk/openai' }, 'Bearer key-o', '/responses'],
    ['openai v3', 'openai/gpt-5', { openai: 'ai-sdk-openai-v3' }, 'Bearer key-o', '/responses'],
  ] as const
  test.each(cases)('%s answers by the name %s, with the key of the server', async (id, name, packages, key, path) => {
    const { whole } = providers.find((each) => each.name === id)!.provider
    const source = sourceIn(folderWith(packages), {
      ...keys,
      ANTHROPIC_BASE_URL: stub.url,
      OPENAI_BASE_URL: stub.url,
    })
    expect(source.missing(name)).toBeNull()
    const [model, again] = [await source.resolve(name), await source.resolve(name)]
    expect(again).toBe(model)
    stub.reply(whole({ text: 'By name.' }))
    expect(await words(model)).toBe('By name.')
    expect(stub.addresses.at(-1)).toEqual({ path, key })
  })

  test('that is missing: the sentence says what to install, and once it is there the name works', async () => {
    const folder = folderWith({})
    const source = sourceIn(folder, keys)
    for (const name of ['acme/one', 'acme/two']) {
      const error = await failure(source.resolve(name))
      expect(error).toMatchObject({ reason: 'unavailable', retryable: false })
      expect(error.message).toBe(`The model "${name}" needs the package of its provider. Run: npm install @ai-sdk/acme`)
      expect(source.missing(name)).toBe(error.message)
    }
    fakePackage(
      folder,
      'acme',
      `export const createAcme = () => (modelId) => ({ specificationVersion: 'v4', provider: 'acme', modelId, doStream() {} })`,
    )
    expect(source.missing('acme/one')).toBeNull()
    expect(await source.resolve('acme/one')).toMatchObject({ provider: 'acme', modelId: 'one' })
    expect(await source.resolve('acme/deep/er')).toMatchObject({ modelId: 'deep/er' })
  })

  test.each([
    ['antropic/claude', '"anthropic/claude"'],
    ['opnai/gpt-5', '"openai/gpt-5"'],
    ['hous/deep/er', '"house/deep/er"'],
    ['openai-compatable/llama', '"openai-compatible/llama"'],
  ])('whose name is misspelt, %s, is answered with the nearest provider', (name, meant) => {
    const models = { house: { languageModel: fake } }
    const provider = name.slice(0, name.indexOf('/'))
    expect(sourceIn(folderWith({}), keys, models).missing(name)).toBe(
      `The model "${name}" needs the package of its provider. Did you mean ${meant}? If not, run: npm install @ai-sdk/${provider}`,
    )
    expect(createModelSource({ models, env: {}, packages: null }).missing(name)).toContain(`Did you mean ${meant}?`)
  })

  test('whose key is missing', async () => {
    const source = sourceIn(folderWith({ anthropic: '@ai-sdk/anthropic' }), { OPENAI_API_KEY: 'key-o' })
    expect(await failure(source.resolve('anthropic/claude'))).toMatchObject({
      reason: 'auth',
      retryable: false,
      message: 'The model "anthropic/claude" needs a key. Set ANTHROPIC_API_KEY.',
    })
  })

  test('that exports a ready provider, or names its factory in its own way', async () => {
    const folder = folderWith({})
    const made = `(modelId) => ({ specificationVersion: 'v3', provider: 'p', modelId, doStream() {} })`
    fakePackage(folder, 'two-words', `export const twoWords = { languageModel: ${made} }`)
    fakePackage(
      folder,
      'google',
      `export const createGoogleGenerativeAI = ({ apiKey }) => (id) => (${made})(id + apiKey)`,
    )
    const source = sourceIn(folder, { GOOGLE_GENERATIVE_AI_API_KEY: '-key' })
    expect(await source.resolve('two-words/x')).toMatchObject({ modelId: 'x' })
    expect(await source.resolve('google/gemini')).toMatchObject({ modelId: 'gemini-key' })
  })

  test.each([
    ['throws', `throw new Error('broken package')`, 'unavailable', 'broken package'],
    ['lacks a file', `import './gone.js'`, 'unavailable', 'gone.js'],
    ['exports nothing that is a provider', 'export const x = 1', 'unavailable', 'exports no provider'],
    ['makes something else', 'export const createOdd = () => () => ({})', 'unsupported', 'names no interface version'],
    [
      'is too old',
      `export const createOdd = () => () => ({ specificationVersion: 'v2', provider: 'p', modelId: 'm', doStream() {} })`,
      'unsupported',
      '"v2"',
    ],
  ])('that %s is a typed failure', async (_name, code, reason, words) => {
    const folder = folderWith({})
    fakePackage(folder, 'odd', code)
    const error = await failure(sourceIn(folder).resolve('odd/one'))
    expect(error).toMatchObject({ reason, retryable: false, message: expect.stringContaining(words) })
    expect(error.message).not.toContain(folder)
  })
})

test('[N105] a package that never ends to load is a typed failure, and is loaded again the next time', async () => {
  vi.useFakeTimers()
  try {
    let count = 0
    const load = () => {
      count += 1
      return new Promise<never>(() => {})
    }
    const source = createModelSource({ env: {}, packages: { isInstalled: () => true, load } })
    for (const expected of [1, 2]) {
      const waiting = failure(source.resolve('acme/slow'))
      await vi.advanceTimersByTimeAsync(LOAD_MS_MAX)
      expect(await waiting).toMatchObject({ reason: 'unavailable', message: expect.stringContaining('took longer') })
      expect(count).toBe(expected)
    }
  } finally {
    vi.useRealTimers()
  }
})

describe('[N106] providers in the options of a server', () => {
  test('win over packages, as a function and as an object, and are asked once for each model', async () => {
    const ids: string[] = []
    const models: ModelProviders = {
      anthropic: (id) => {
        ids.push(id)
        return fake(id)
      },
      acme: { languageModel: (id) => fake(`acme-${id}`) },
    }
    const source = sourceIn(folderWith({ anthropic: '@ai-sdk/anthropic' }), {}, models)
    for (const name of ['anthropic/a', 'anthropic/b', 'anthropic/a']) await source.resolve(name)
    expect(ids).toEqual(['a', 'b'])
    expect(await source.resolve('acme/x')).toMatchObject({ modelId: 'acme-x' })
  })

  test('are asked once for a model that several runs want at the same time', async () => {
    let count = 0
    const acme = (id: string) => fake(`${id}-${++count}`)
    const source = createModelSource({ models: { acme }, env: {}, packages: null })
    const found = await Promise.all([1, 2, 3].map(() => source.resolve('acme/x')))
    expect(found.map(({ modelId }) => modelId)).toEqual(['x-1', 'x-1', 'x-1'])
  })

  test('may be the providers of packages, for TypeScript too', () => {
    const given = {} as { readonly anthropic: AnthropicProvider; readonly openai: OpenAIProvider }
    const models: ModelProviders = given
    expect(models).toBe(given)
  })

  test('that throw, or return something else, are a typed failure', async () => {
    const models = {
      broken: () => {
        throw new Error('no such model')
      },
      odd: () => 'a text',
    } as unknown as ModelProviders
    const source = createModelSource({ models, env: {}, packages: null })
    expect(await failure(source.resolve('broken/x'))).toMatchObject({
      reason: 'unavailable',
      message: 'The model "broken/x" could not be loaded: no such model',
    })
    expect(await failure(source.resolve('odd/x'))).toMatchObject({ reason: 'unsupported' })
  })

  test('are the only ones where nothing is imported, and the sentence says what to write', () => {
    const { missing } = createModelSource({ env: {}, packages: null })
    expect(missing('anthropic/x')).toContain('harness({ models: { anthropic } })')
    expect(missing('amazon-bedrock/x')).toContain("{ 'amazon-bedrock': provider }")
  })
})

test.each(['gpt-5', '/x', 'openai/', '../../evil/x', 'UP/x', '__proto__/x', 'constructor/x', ' /x'])(
  '[N105] the name %j loads nothing',
  async (name) => {
    const source = sourceIn(folderWith({}))
    const { reason } = await failure(source.resolve(name))
    expect(reason).toBe('unavailable')
    expect(source.missing(name)).toMatch(/is not the name of a model|npm install @ai-sdk\/constructor$/)
  },
)

describe('[N108] openai-compatible', () => {
  test('needs an address, and neither a package nor a key', async () => {
    const unset = 'Set BRIDLE_MODEL_URL to the address'
    const schemeless = 'BRIDLE_MODEL_URL has no http:// or https:// at its beginning'
    for (const [url, problem] of [
      [undefined, unset],
      ['', unset],
      ['http://', unset],
      ['ftp://x', schemeless],
      ['localhost:11434', schemeless],
      ['127.0.0.1:11434/v1', schemeless],
    ]) {
      const source = sourceIn(folderWith({}), { BRIDLE_MODEL_URL: url })
      const { reason, message } = await failure(source.resolve('openai-compatible/llama3.2:3b'))
      expect([reason, message]).toEqual(['unavailable', expect.stringContaining(problem ?? '')])
    }
    const source = sourceIn(folderWith({}), { BRIDLE_MODEL_URL: `${stub.url}/v1` })
    stub.reply(spoken('From next door.'))
    expect(await words(await source.resolve('openai-compatible/hf.co/org/model:Q4'))).toBe('From next door.')
    expect(JSON.parse(stub.requests.at(-1) ?? '')).toMatchObject({ model: 'hf.co/org/model:Q4' })
    expect(stub.addresses.at(-1)).toEqual({ path: '/v1/chat/completions', key: undefined })
  })

  test('sends BRIDLE_MODEL_KEY, and a provider of that name in the options wins', async () => {
    const env = { BRIDLE_MODEL_URL: stub.url, BRIDLE_MODEL_KEY: 'mine' }
    stub.reply(spoken('Hello.'))
    await words(await sourceIn(folderWith({}), env).resolve('openai-compatible/x'))
    expect(stub.addresses.at(-1)).toEqual({ path: '/chat/completions', key: 'Bearer mine' })
    const source = sourceIn(folderWith({}), env, { 'openai-compatible': fake })
    expect(await source.resolve('openai-compatible/x')).toMatchObject({ provider: 'fake' })
  })
})
