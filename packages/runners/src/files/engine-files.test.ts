// Files of prompts, from the store of a server through a real runner to an engine.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { JsonObject } from '@bridle/events/json'
import { digest, key, setUp } from '@bridle/kernel/host/host.suite'
import { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { memoryUploadFolder } from '@bridle/stores/uploads/upload-folder'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PuppetEngine, puppetEngine, steps } from '../engines/puppet.suite.ts'
import type { Sandbox } from '../remote/provider.ts'
import { remoteRunner } from '../remote/remote-runner.ts'
import { withoutIsolation } from '../sandboxes/isolation/engine-start.suite.ts'
import { caller } from '../server/runner.suite.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import { FILE_BYTES_MAX } from './received-files.ts'

const clock = {
  now: Date.now,
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

let folder: string
let work: string
let engine: PuppetEngine
let runner: SandboxRunner
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-files-'))
  work = join(folder, 'w')
  engine = puppetEngine()
  runner = await SandboxRunner.start({
    engines: [engine],
    workFolder: work,
    stateFolder: join(folder, 's'),
    token: 'boxed',
    ...withoutIsolation(folder),
  })
})
afterEach(async () => {
  await runner.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A session in front of the runner, whose uploads are of tenant `t`'s session `s1`. */
const sessionWith = (takesFiles = true) => {
  const uploads = new StoredUploads(memoryUploadFolder(), () => 0)
  const sandbox: Sandbox = {
    id: 'box-1',
    url: runner.url,
    token: 'boxed',
    hasRunEnv: true,
    notice: { requestedBackend: 'auto', resolvedBackend: 'process', isolation: 'none', reason: 'a test' },
    fetch: (url, init) =>
      !takesFiles && url.includes('/files/') ? Promise.resolve(Response.json({}, { status: 404 })) : fetch(url, init),
  }
  const remote = remoteRunner({
    engine: 'puppet',
    provider: {
      acquire: async () => sandbox,
      find: async () => sandbox,
      health: async () => null,
      setEnvVars: async () => true,
      stop: async () => {},
      forget: async () => {},
    },
    ...{ clock, digest, uploads },
    runToken: async ({ runId, attempt }) => `token of ${runId}/${attempt}`,
    credentials: { grant: async () => ({ ANTHROPIC_API_KEY: 'k' }), revoke: () => {} },
  })
  const life = setUp({ runner: () => remote, clock, tokenPaceMs: 0 }, undefined, clock as never)
  const add = async (name: string | null, content: string, mimeType = 'text/plain'): Promise<JsonObject> => {
    const { tenant } = key()
    const upload = await uploads.add({ tenant, owner: null, name, mimeType }, new TextEncoder().encode(content))
    await uploads.claim(upload?.id ?? '', key())
    return {
      ref_id: upload?.id ?? '',
      ...(name !== null && { filename: name }),
      mime_type: mimeType,
      size_bytes: content.length,
    }
  }
  const answer = async (input: JsonObject): Promise<string> => {
    const turnEnds = async () => (await life.events()).filter(({ type }) => type === 'turn_end').length
    const before = await turnEnds()
    await life.host.send(key(), { type: 'submit', prompt: String(input.prompt), input })
    for (let tries = 0; (await turnEnds()) === before; tries++) {
      if (tries > 1_000) throw new Error('The turn did not end.')
      await new Promise((wake) => setTimeout(wake, 10))
    }
    const session = await life.host.find(key())
    return session?.state.conversation.messages.findLast(({ role }) => role === 'assistant')?.content ?? ''
  }
  return { add, answer, uploads, host: life.host, stop: () => life.host.stop(), events: life.events }
}

/** The paths that a prompt names. */
const pathsIn = (prompt: string) => [...prompt.matchAll(/^- (\S+) \(/gm)].map(([, path = '']) => path)

describe('[OH106] the files of a prompt', () => {
  test('are beside the work of the engine, and the prompt names path, name and type', async () => {
    const { add, answer, stop, events } = sessionWith()
    const [one, two] = [await add('one.txt', 'first'), await add(null, 'second', 'text/csv; charset=utf-8')]
    const said = await answer({ prompt: 'Read.', attachments: [one, 'own'], openharness: { attachments: [two] } })
    expect(said.split('\n')).toEqual([
      'Read.',
      '',
      'These files came with the message. They can be read at these paths, and not changed there:',
      `- ../s-files/${one.ref_id}/one.txt (one.txt, text/plain, 5 bytes)`,
      `- ../s-files/${two.ref_id}/file (file, text/csv, 6 bytes)`,
    ])
    expect(pathsIn(said).map((path) => readFileSync(resolve(work, path), 'utf8'))).toEqual(['first', 'second'])
    expect(existsSync(work) ? readdirSync(work) : []).toEqual([])
    const log = JSON.stringify((await events()).filter(({ type }) => type === 'prompt_queued'))
    expect(log).not.toMatch(/first|s-files/)
    await stop()
  })
  test('of several turns do not meet, though their names do', async () => {
    const { add, answer, stop } = sessionWith()
    const said: string[] = []
    for (const content of ['a', 'b', 'c']) {
      const attachments = [await add('../same.txt', content), await add('same.txt', `${content}${content}`)]
      said.push(await answer({ prompt: content, attachments }))
    }
    const contents = said.flatMap(pathsIn).map((path) => readFileSync(resolve(work, path), 'utf8'))
    expect(contents).toEqual(['a', 'aa', 'b', 'bb', 'c', 'cc'])
    await stop()
  })
  test('that are gone, or that a runner does not take, are named all the same', async () => {
    const { add, answer, uploads, stop } = sessionWith()
    const file = await add('a.txt', 'x')
    await uploads.release(key())
    expect(await answer({ prompt: 'Read.', attachments: [file] })).toContain('- a.txt (text/plain, 1 bytes): it cannot')
    await stop()
    const plain = sessionWith(false)
    const other = await plain.add('b.txt', 'x')
    expect(await plain.answer({ prompt: 'Read.', attachments: [other] })).toContain('- b.txt (text/plain, 1 bytes): it')
    await plain.stop()
  })
})

test('[OH108] files of a steering prompt reach the engine behind it', async () => {
  const { add, host, stop } = sessionWith()
  const [one, two] = [await add('one.txt', 'first'), await add('two.txt', 'second')]
  await host.send(key(), { type: 'submit', prompt: steps({ hang: 'politely' }) })
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    for (let tries = 0; !(await isSo()); tries++) {
      if (tries > 1_000) throw new Error('It did not come to it.')
      await new Promise((wake) => setTimeout(wake, 10))
    }
  }
  await until(async () => (await host.find(key()))?.state.lifecycle.run?.steerable ?? false)
  for (const [prompt, file] of [
    ['Look.', one],
    ['And here.', two],
  ] as const)
    await host.send(key(), { type: 'steer', prompt, input: { prompt, attachments: [file] } })
  await until(() => engine.steered.length === 2)
  const steered = engine.steered.toSorted().toReversed()
  expect(steered.map((text) => text.split('\n')[0])).toEqual(['Look.', 'And here.'])
  expect(steered.flatMap(pathsIn).map((path) => readFileSync(resolve(work, path), 'utf8'))).toEqual(['first', 'second'])
  await host.send(key(), { type: 'cancel' })
  await stop()
})

describe('[OH107] a runner', () => {
  const put = (path: string, body: string | Uint8Array<ArrayBuffer>, token = 'boxed') =>
    caller(runner.url, token).ask(path, { method: 'PUT', body })
  test('keeps a file under its id, readable and not writable for others, and never replaces it', async () => {
    expect(await put('/files/file-1/a.txt', 'one')).toEqual({ status: 200, body: { path: '../s-files/file-1/a.txt' } })
    expect((await put('/files/file-1/a.txt', 'two')).status).toBe(200)
    expect(readFileSync(join(folder, 's-files/file-1/a.txt'), 'utf8')).toBe('one')
    const modes = ['s-files', 's-files/file-1', 's-files/file-1/a.txt'].map((path) => statSync(join(folder, path)).mode)
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['755', '755', '644'])
    expect(readdirSync(join(folder, 's-files'))).toEqual(['file-1'])
  })
  test.each([
    '/files/file-1/..%2F..%2Fw%2Fa',
    '/files/..%2Fw/a.txt',
    '/files/file-1/%2e%2e',
    '/files/%00/a.txt',
    '/files/file-1/a%0Ab',
    '/files/file-1/.profile',
    '/files/file-1',
    '/files/file-1/a/b',
  ])('refuses %s', async (path) => {
    const names = readdirSync(folder, { recursive: true })
    expect([400, 404]).toContain((await put(path, 'x')).status)
    expect(readdirSync(folder, { recursive: true })).toEqual(names)
  })
  test('refuses a caller without its token, and more than 25 MB', async () => {
    expect((await put('/files/file-1/a.txt', 'x', 'other')).status).toBe(401)
    expect((await put('/files/file-1/a.txt', new Uint8Array(FILE_BYTES_MAX + 1))).status).toBe(413)
    expect(readdirSync(join(folder, 's-files/file-1'))).toEqual([])
    expect((await put('/files/file-1/a.txt', new Uint8Array(FILE_BYTES_MAX))).status).toBe(200)
  })
})
