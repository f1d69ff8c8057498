// A server with a store of another kind: by name, by module, and as a function.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryStore, memoryStore } from '@bridle/kernel/memory/memory-store'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { OpenStore } from '@bridle/stores/open-store'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, expect, test, vi } from 'vitest'
import { HarnessServer, type ServerOptions } from './index.ts'
import { STORE_OPENING_MS } from './open-harness.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-store-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const freshFolder = () => join(root, `data-${++folders}`)

const start = (options: ServerOptions) => HarnessServer.start({ port: 0, tokenPaceMs: 0, log: () => {}, ...options })
const ids = ['a', 'b', 'c']
const runAll = async ({ url }: HarnessServer) => {
  for (const id of ids) await post(`${url}/agents/scripted/${id}`, scriptBody({ text: `text of ${id}` }))
}
const listed = async ({ url }: HarnessServer) => {
  const { sessions } = (await get(`${url}/sessions`)).body as { sessions: { id: string }[] }
  return sessions.map(({ id }) => id).sort()
}
const storeNamedBy = async ({ url }: HarnessServer) =>
  ((await get(`${url}/ready`)).body.workspace as { readonly store: string }).store

/** A module whose store outlives its servers, as a database elsewhere would. */
const moduleFile = (text: string): string => {
  const file = join(root, `store-${++folders}.ts`)
  writeFileSync(file, text)
  return file
}
const folderNamed = (name: string): string => {
  const folder = join(root, name)
  mkdirSync(folder)
  return folder
}
const closable = (name: string): OpenStore => ({ name, ...memoryStore(), close: async () => {} })
const memoryModule = import.meta.resolve('@bridle/kernel/memory/memory-store')
const lastingModule = (name: string) =>
  moduleFile(`
    import { memoryStore } from ${JSON.stringify(memoryModule)}
    let store
    export default async () => {
      store = store ? store.reopen() : memoryStore()
      return { name: ${JSON.stringify(name)}, log: store.log, directory: store.directory, close: async () => {} }
    }`)

test('[O40] the memory store serves sessions, and forgets them when the server stops', async () => {
  const data = freshFolder()
  for (const _life of [1, 2, 3]) {
    const server = await start({ data, store: 'memory' })
    expect([await listed(server), await storeNamedBy(server)]).toEqual([[], 'memory'])
    await runAll(server)
    expect(await listed(server)).toEqual(ids)
    await server.close()
  }
  expect(readdirSync(data).filter((name) => name.startsWith('bridle.sqlite'))).toEqual([])
})

test('[O40] a module by its path opens a store that outlives the server', async () => {
  const data = freshFolder()
  const store = lastingModule('lasting')
  const first = await start({ data, store })
  await runAll(first)
  expect(await storeNamedBy(first)).toBe('lasting')
  await first.close()
  for (const _life of [2, 3]) {
    const next = await start({ data, store })
    expect(await listed(next)).toEqual(ids)
    const { body } = await get(`${next.url}/agents/scripted/b`)
    expect(JSON.stringify(body)).toContain('text of b')
    await next.close()
  }
})

test('[O40] a function opens a store: its damage is counted, its faults make /ready 503, it is closed once', async () => {
  const data = freshFolder()
  const calls: string[] = []
  const lines: string[] = []
  let fault: StoreFault | null = null
  // A class, so that methods are on its prototype.
  class OwnStore implements OpenStore {
    readonly name = 'own'
    readonly damage = { commitsLost: 3 }
    readonly #memory: MemoryStore = memoryStore()
    readonly log = this.#memory.log
    readonly directory = this.#memory.directory
    writeFault() {
      return fault
    }
    async close() {
      calls.push('close')
    }
  }
  const server = await start({
    data,
    store: async (context) => {
      calls.push(context.data, String(existsSync(context.data)))
      return new OwnStore()
    },
    log: (_level, line) => void lines.push(line),
  })
  await runAll(server)
  expect(await listed(server)).toEqual(ids)
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('bridle_lost_commits 3')
  expect(lines).toContain('acknowledged commits are missing')
  for (const code of ['unreachable', 'full', 'outcome_unknown'] as const) {
    fault = new StoreFault(code, 'away')
    expect((await get(`${server.url}/ready`)).status).toBe(503)
  }
  fault = null
  expect((await get(`${server.url}/ready`)).status).toBe(200)
  await server.close()
  await server.close()
  expect(calls).toEqual([data, 'true', 'close'])
})

test.each<[string, ServerOptions['store'], string]>([
  ['a name', 'postgres', 'There is no store "postgres". Take sqlite or memory, or the path of a module'],
  ['a URL', 'postgres://host/db', 'There is no store "postgres://host/db".'],
  ['a file that is not there', './absent.ts', 'There is no file "./absent.ts"'],
  ['a module without a default export', moduleFile('export const store = 1'), 'opens no store'],
  ['a store without a log', async () => ({ name: 'x', close: async () => {} }) as never, 'lacks log'],
  ['a store without a name', async () => ({ ...memoryStore(), close: async () => {} }) as never, 'lacks name'],
  ['a store without an end', async () => ({ name: 'x', ...memoryStore() }) as never, 'lacks close'],
  ['nothing', async () => undefined as never, 'lacks log'],
  [
    'a store whose log cannot remove',
    async () =>
      ({ name: 'x', ...memoryStore(), log: { ...memoryStore().log, remove: null }, close: async () => {} }) as never,
    'lacks log.',
  ],
  ['a folder', root, 'There is no store'],
  ['a folder with the name of a module', folderNamed('store.ts'), 'There is no file'],
  ['a module that throws', moduleFile('throw new Error("no driver")'), 'cannot be loaded: no driver'],
  ['a module that imports what is not there', moduleFile('import "absent-driver"'), 'cannot be loaded: '],
  ['a store by the name of another', async () => closable('sqlite'), 'Give it a name of its own'],
  ['a store that is not the memory', async () => closable('memory'), 'Give it a name of its own'],
  ['a name of two lines', async () => closable('a\nb'), 'Give it a name of its own'],
  [
    'a store that can be neither used nor closed',
    async () => ({ ...closable('sqlite'), close: () => Promise.reject(new Error('not closed')) }),
    'Give it a name of its own',
  ],
  ['a store that cannot be opened', async () => Promise.reject(new Error('no route to host')), 'no route to host'],
])('[O40] %s is refused, and the folder is free again', async (_name, store, message) => {
  const data = freshFolder()
  await expect(start({ data, store: store! })).rejects.toThrow(message)
  const server = await start({ data })
  expect(await storeNamedBy(server)).toBe('sqlite')
  await server.close()
})

test('[O40] a store that cannot say whether it can be written makes /ready 503, and the server stays', async () => {
  const lines: string[] = []
  let problems = ['no answer', 'no answer', 'another']
  const server = await start({
    data: freshFolder(),
    store: async () => ({
      ...closable('silent'),
      writeFault: () => {
        const problem = problems.shift()
        if (problem !== undefined) throw new Error(problem)
        return null
      },
    }),
    log: (_level, line) => void lines.push(line),
  })
  // A timer of the server may ask as well.
  problems = Array.from({ length: 20 }, () => 'no answer')
  expect((await get(`${server.url}/ready`)).status).toBe(503)
  expect(lines).toContain('database unusable')
  problems = []
  expect((await get(`${server.url}/ready`)).status).toBe(200)
  await server.close()
})

test('[O40] a start that fails reports its reason, and a store that cannot be closed after it goes to the log', async () => {
  const lines: string[] = []
  for (const reason of ['no list', 'no answer']) {
    const store = closable('closing')
    const directory = { ...store.directory, inHand: () => Promise.reject(new Error(reason)) }
    for (const method of ['list', 'approvals', 'due', 'find'] as const)
      Object.assign(directory, { [method]: () => Promise.resolve([]) })
    const opened = { ...store, directory, close: () => Promise.reject(new Error('not closed')) }
    const starting = start({
      data: freshFolder(),
      store: async () => opened,
      log: (_level, line) => void lines.push(line),
    })
    await expect(starting).rejects.toThrow(reason)
  }
  expect(lines.filter((line) => line === 'the store could not be closed')).toHaveLength(2)
})

test('[O40] a store that does not open is reported until it has opened', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const lines: string[] = []
    const reports = () => lines.filter((line) => line === 'the store is still opening').length
    const opened = Promise.withResolvers<OpenStore>()
    const log = (_level: string, line: string) => void lines.push(line)
    const asked = Promise.withResolvers<void>()
    const store = () => {
      asked.resolve()
      return opened.promise
    }
    const starting = start({ data: freshFolder(), store, log })
    await asked.promise
    for (const count of [1, 2, 3]) {
      vi.advanceTimersByTime(STORE_OPENING_MS)
      expect(reports()).toBe(count)
    }
    opened.resolve(closable('slow'))
    const server = await starting
    vi.advanceTimersByTime(3 * STORE_OPENING_MS)
    expect(reports()).toBe(3)
    await server.close()
  } finally {
    vi.useRealTimers()
  }
})

test('[O41] a second server on the folder is refused, whatever stores both have', async () => {
  const data = freshFolder()
  const server = await start({ data, store: 'memory' })
  for (const store of ['memory', 'sqlite', lastingModule('other')])
    await expect(start({ data, store })).rejects.toMatchObject({ code: 'in_use' })
  await server.close()
})

test('[O41] a folder stays with the store that it began with; the memory leaves it free', async () => {
  const [mine, other] = [lastingModule('mine'), lastingModule('other')]
  const cases: [own: string, isRefused: string[], isTaken: string[]][] = [
    ['sqlite', ['memory', mine, other], ['sqlite']],
    [mine, ['memory', 'sqlite', other], [mine]],
    ['memory', [], ['memory', mine]],
  ]
  for (const [own, isRefused, isTaken] of cases) {
    const data = freshFolder()
    await (await start({ data, store: own })).close()
    for (const store of isRefused) {
      const before = readdirSync(data).sort()
      await expect(start({ data, store })).rejects.toThrow('Choose another folder with --data')
      expect(readdirSync(data).sort()).toEqual(before)
    }
    for (const store of isTaken) await (await start({ data, store })).close()
  }
})

test('[O41] secrets are in the data folder with every store', async () => {
  const data = freshFolder()
  const server = await start({ data, store: 'memory', keepToken: true })
  const token = readFileSync(join(data, 'token'), 'utf8').trim()
  expect((await get(`${server.url}/sessions`)).status).toBe(401)
  expect((await get(`${server.url}/sessions`, { authorization: `Bearer ${token}` })).status).toBe(200)
  await server.close()
})
