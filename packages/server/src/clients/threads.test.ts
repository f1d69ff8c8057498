// Lists of threads of three users on a real server, each in two tabs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fabricClient, HarnessClient, type Threads, type ThreadsOptions, threads } from '@bridle/client/index'
import type { Thread } from '@bridle/client/threads/options'
import { withoutThread, withThread } from '@bridle/client/threads/thread-list'
import { scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

let folder: string
let server: HarnessServer
const opened: Threads[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-threads-'))
  const tokens = ['ada', 'bo', 'cy'].map((user) => ({ token: user, user }))
  server = await HarnessServer.start({ port: 0, data: folder, tokens, tokenPaceMs: 0, log: () => {} })
})
afterEach(() => {
  for (const list of opened.splice(0)) list.close()
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const open = (user: string, options: Partial<ThreadsOptions> = {}): Threads => {
  const list = threads({ url: server.url, authToken: user, agent: 'scripted', ...options })
  opened.push(list)
  return list
}
const until = (list: Threads, isTrue: (titles: readonly string[]) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (list.getSnapshot().phase === 'loading' || !isTrue(titles(list))) return
      leave()
      resolve()
    }
    const leave = list.subscribe(look)
    queueMicrotask(look)
  })
const titles = (list: Threads): string[] => list.getSnapshot().threads.map(({ title }) => title)

describe('[H135] threads', () => {
  test('new, switch, rename and delete, for three users at a time, in two tabs each', async () => {
    const users = ['ada', 'bo', 'cy'].map((user) => ({ user, tab: open(user), other: open(user) }))
    await Promise.all(
      users.map(async ({ user, tab, other }) => {
        const first = await tab.create({ title: `${user} one` })
        const second = await tab.create()
        expect(tab.getSnapshot().current).toBe(second.id)
        await fabricClient({ url: server.url, authToken: user }).ask(
          'scripted',
          second.id,
          scriptBody({ text: 'x' }).prompt,
        ).result
        await tab.rename(second.id, `${user} two`)
        await until(other, (shown) => shown.length === 2 && shown[0] === `${user} two`)
        expect(titles(other)).toEqual([`${user} two`, `${user} one`])
        tab.switchTo(first.id)
        other.switchTo(first.id)
        await tab.remove(first.id)
        expect([titles(tab), tab.getSnapshot().current]).toEqual([[`${user} two`], null])
        await until(other, (shown) => shown.length === 1)
        expect(other.getSnapshot().current).toBeNull()
        await tab.archive(second.id)
        expect(titles(tab)).toEqual([])
        await until(other, (shown) => shown.length === 0)
        await tab.archive(second.id, false)
        await until(other, (shown) => shown.length === 1)
      }),
    )
  })

  test("another user's thread cannot be named, and the reason is thrown", async () => {
    const [ada, bo] = [open('ada', { live: false }), open('bo', { live: false })]
    const { id } = await bo.create({ title: 'private' })
    await expect(ada.rename(id, 'mine')).rejects.toMatchObject({ status: 404 })
    await expect(ada.remove(id)).rejects.toMatchObject({ status: 404 })
    await bo.refresh()
    expect(titles(bo)).toContain('private')
    await expect(bo.rename(id, ' ')).rejects.toMatchObject({ status: 400 })
  })

  test('older threads come by pages', async () => {
    const cy = open('cy', { agent: 'scripted', live: false })
    await cy.refresh()
    const before = titles(cy).length
    for (let number = 0; number < 55; number++) await cy.create({ title: `t${number}` })
    const list = open('cy', { live: false })
    await list.refresh()
    expect([titles(list).length, list.getSnapshot().hasMore]).toEqual([50, true])
    await list.more()
    expect([titles(list).length, list.getSnapshot().hasMore]).toEqual([55 + before, false])
  })

  test('[H158] a list that is loaded again keeps as many threads as it had, whatever happened in between', async () => {
    const setUp = open('bo', { live: false })
    for (let number = 0; number < 125; number++) await setUp.create({ title: `n${number}` })
    const requests: string[] = []
    const list = open('bo', {
      live: false,
      fetch: (url, init) => {
        requests.push(String(url))
        return fetch(url, init)
      },
    })
    await list.refresh()
    await list.more()
    // Two clicks load one page, and a list that is loaded at the same time waits for it.
    await Promise.all([list.more(), list.more(), list.refresh()])
    const loaded = titles(list)
    expect(loaded.length).toBeGreaterThanOrEqual(125)
    expect(new Set(loaded).size).toBe(loaded.length)
    requests.length = 0
    await list.refresh()
    expect([titles(list), requests.length]).toEqual([loaded, 1])
    const [first, , third] = list.getSnapshot().threads
    await setUp.remove(first?.id ?? '')
    await setUp.rename(third?.id ?? '', 'renamed elsewhere')
    await list.refresh()
    expect(titles(list)).toEqual([
      'renamed elsewhere',
      ...loaded.filter((title) => title !== first?.title && title !== third?.title),
    ])
    expect(list.getSnapshot().hasMore).toBe(false)
  })

  test('[H158] three threads of two users: held prompts, names and removals, each in its own thread', async () => {
    const users = await Promise.all(
      ['ada', 'cy'].map(async (user) => {
        const [tab, other] = [open(user), open(user)]
        const made = []
        for (const name of ['a', 'b', 'c']) made.push(await tab.create({ title: `${user} ${name}` }))
        const gate = Promise.withResolvers<void>()
        const clients = made.map(({ id }) => {
          const url = `${server.url.replace('http', 'ws')}/ws?sessionId=${id}&agent=scripted`
          return new HarnessClient({ url: () => gate.promise.then(() => url), authToken: user, storage: false })
        })
        return { user, tab, other, made, gate, clients }
      }),
    )
    const sent = users.flatMap(({ user, clients }) =>
      clients.map((client, index) => {
        return client.submit(scriptBody({ text: `${user} answer ${index}` }).prompt).catch((error: unknown) => error)
      }),
    )
    for (const { user, tab, other, made, clients } of users) {
      expect(clients.map(({ held }) => held.length)).toEqual([1, 1, 1])
      // The second thread goes, with the prompt that it never got; the first gets another name in another tab.
      clients[1]?.close()
      await tab.remove(made[1]?.id ?? '')
      await other.rename(made[0]?.id ?? '', `${user} renamed`)
      await Promise.all([tab.refresh(), other.refresh()])
      expect(clients.map(({ held }) => held.length)).toEqual([1, expect.any(Number), 1])
    }
    for (const { gate } of users) gate.resolve()
    await Promise.all(sent)
    for (const { user, tab, other, made, clients } of users) {
      for (const list of [tab, other]) {
        await until(list, (shown) => shown.includes(`${user} renamed`) && !shown.includes(`${user} b`))
        await list.refresh()
        expect(titles(list)).toEqual(expect.arrayContaining([`${user} renamed`, `${user} c`]))
        expect(titles(list)).not.toContain(`${user} b`)
      }
      const reader = fabricClient({ url: server.url, authToken: user })
      for (const index of [0, 2]) {
        const { id = '' } = made[index] ?? {}
        await expect
          .poll(async () => (await reader.session(id)).messages.at(-1)?.content)
          .toBe(`${user} answer ${index}`)
      }
      await expect(reader.session(made[1]?.id ?? '')).rejects.toMatchObject({ status: 404 })
      for (const client of clients) client.close()
    }
  })

  test('a server that is not there is said, and a later load mends it', async () => {
    let isThere = false
    const list = open('ada', {
      live: false,
      fetch: (url, init) => (isThere ? fetch(url, init) : Promise.reject(new TypeError('offline'))),
    })
    await expect(list.refresh()).rejects.toMatchObject({ type: 'unreachable' })
    expect(list.getSnapshot()).toMatchObject({ phase: 'failed', error: { type: 'unreachable' } })
    isThere = true
    await list.refresh()
    expect(list.getSnapshot()).toMatchObject({ phase: 'ready', error: null })
  })

  test('a login that ends while the server is away is said when the server is back', async () => {
    const start = (port: number, token: string) =>
      HarnessServer.start({ port, data: join(folder, 'login'), tokens: [{ token, user: 'ada' }], log: () => {} })
    const first = await start(0, 'old')
    const list = open('old', { url: first.url })
    await list.create({ title: 'Garden' })
    await first.close()
    const second = await start(Number(new URL(first.url).port), 'new')
    try {
      const shown = () => ({ titles: titles(list), status: list.getSnapshot().error?.status })
      await expect.poll(shown, { timeout: 10_000 }).toEqual({ titles: ['Garden'], status: 401 })
    } finally {
      await second.close()
    }
  })
})

test('a list keeps the later state of a thread, and its identity where nothing differs', () => {
  const thread = (id: string, second: number, title = id): Thread => ({
    ...{ id, title, agent: 'a', status: 'idle', pendingApprovals: 0 },
    updatedAt: `2026-01-01T00:00:0${second}.000Z`,
  })
  const list = [thread('x', 1), thread('y', 3), thread('z', 2)].reduce(withThread, [] as readonly Thread[])
  expect(list.map(({ id }) => id)).toEqual(['y', 'z', 'x'])
  expect(withThread(list, thread('z', 1, 'old'))).toBe(list)
  expect(withThread(list, thread('z', 2))).toBe(list)
  expect(withThread(list, thread('x', 4, 'new'))[0]?.title).toBe('new')
  expect(withoutThread(list, 'y', 'b')).toBe(list)
  expect(withoutThread(list, 'y')).toHaveLength(2)
})

test('[H135] a list that was asked for before a change does not undo it', async () => {
  const setUp = open('ada', { live: false })
  const [gone, stays] = [await setUp.create({ title: 'gone' }), await setUp.create({ title: 'stays' })]
  const answered = Promise.withResolvers<void>()
  const arrives = Promise.withResolvers<void>()
  let isSlow = false
  const slowList: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!isSlow || !String(input).includes('/sessions?')) return response
    answered.resolve()
    await arrives.promise
    return response
  }
  const list = open('ada', { live: false, fetch: slowList })
  await list.refresh()
  isSlow = true
  const refreshed = list.refresh()
  await answered.promise
  await list.archive(gone.id)
  await list.rename(stays.id, 'renamed')
  await list.create({ title: 'made meanwhile' })
  arrives.resolve()
  await refreshed
  expect(titles(list)).toEqual(expect.arrayContaining(['made meanwhile', 'renamed']))
  expect(titles(list)).not.toContain('gone')
  expect(titles(list)).not.toContain('stays')
})
