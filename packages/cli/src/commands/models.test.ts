// Models of real provider packages in the folder of a user, behind the real command: keys come from the environment of `bridle start`.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProviderStub } from '@bridle/agents/model/provider-stub.suite'
import { providers } from '@bridle/agents/model/providers.suite'
import { spoken } from '@bridle/server/models/chat-completions/chat-stub.suite'
import { post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliProcess, CliWorkspace } from '../cli.suite.ts'

const stub = await startProviderStub()
const installed = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
let work: CliWorkspace
let server: CliProcess
let url: string

const agentFile = (name: string, model: string, imports = '') =>
  writeFileSync(
    join(work.folder, 'agents', `${name}.mjs`),
    `import { agent } from 'bridle'\n${imports}\nexport default agent({ name: '${name}', model: ${model} })\n`,
  )

beforeAll(async () => {
  work = new CliWorkspace({})
  for (const name of ['bridle', '@ai-sdk/anthropic', '@ai-sdk/openai']) {
    const link = join(work.folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(installed, name), link)
  }
  mkdirSync(join(work.folder, 'agents'))
  agentFile('named', `['anthropic/claude-sonnet-4-5', 'openai/gpt-5']`)
  agentFile('object', `anthropic('claude-sonnet-4-5')`, `import { anthropic } from '@ai-sdk/anthropic'`)
  agentFile('absent', `'mistral/large'`)
  server = work.start(['start', '--port', '0', '--store', 'memory'], {
    env: {
      ANTHROPIC_API_KEY: 'canary-a',
      OPENAI_API_KEY: 'canary-o',
      ANTHROPIC_BASE_URL: stub.url,
      OPENAI_BASE_URL: stub.url,
      BRIDLE_MODEL: 'openai-compatible/llama3.2',
      BRIDLE_MODEL_URL: `${stub.url}/v1`,
      BRIDLE_MODEL_KEY: 'canary-l',
    },
  })
  url = /http:\S+/.exec(await server.until((line) => line.includes('ready at')))?.[0] ?? ''
})
afterAll(async () => {
  server.process.kill('SIGTERM')
  await server.ended
  work.remove()
  await stub.close()
})

const ask = async (agent: string, id: string) => (await post(`${url}/agents/${agent}/${id}`, { prompt: 'Hi' })).body
const [anthropic, openai] = ['anthropic v4', 'openai v4'].map(
  (name) => providers.find((each) => each.name === name)!.provider,
)

test('[N105] names, with the keys of the server; where the first model refuses, the second answers', async () => {
  for (const id of ['a', 'b', 'c']) {
    stub.reply(anthropic!.whole({ text: 'From Anthropic.' }))
    expect((await ask('named', id)).result).toBe('From Anthropic.')
    stub.reply(
      { status: 401, body: anthropic!.failure('authentication_error', 'no') },
      openai!.whole({ text: 'Then.' }),
    )
    expect((await ask('named', id)).result).toBe('Then.')
  }
  expect(stub.addresses.slice(-3)).toEqual([
    { path: '/messages', key: 'canary-a' },
    { path: '/messages', key: 'canary-a' },
    { path: '/responses', key: 'Bearer canary-o' },
  ])
})

test('[N108] [N107] the assistant, with a local model', async () => {
  stub.reply(spoken('From next door.'))
  expect((await ask('assistant', 'a')).result).toBe('From next door.')
  expect(stub.addresses.at(-1)).toEqual({ path: '/v1/chat/completions', key: 'Bearer canary-l' })
})

test('[N105] a package that is not installed is told, and stops nothing', async () => {
  expect(JSON.stringify(await ask('absent', 'a'))).toContain('Run: npm install @ai-sdk/mistral')
  stub.reply(anthropic!.whole({ text: 'Still here.' }))
  expect((await ask('named', 'd')).result).toBe('Still here.')
})

test('[N113] an object of a provider package finds its key, too', async () => {
  stub.reply(anthropic!.whole({ text: 'By object.' }))
  expect((await ask('object', 'a')).result).toBe('By object.')
  expect(stub.addresses.at(-1)).toEqual({ path: '/messages', key: 'canary-a' })
})

test.skipIf(!existsSync('/proc/self/environ'))('[N113] [O14] no other process finds the keys', () => {
  expect(readFileSync(`/proc/${server.process.pid}/environ`, 'utf8')).not.toContain('canary')
})
