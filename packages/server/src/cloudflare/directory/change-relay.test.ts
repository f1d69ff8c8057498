// The relay between directory objects, without objects: what waits, what is lost, and when it stops.

import type { RowChange } from '@bridle/kernel/ports/row-observer'
import { expect, test, vi } from 'vitest'
import { ChangeRelay, RELAY_TRIES_MAX } from './change-relay.ts'

const changeOf = (id: string, head: number): RowChange => ({
  key: { tenant: 'acme', agent: 'scripted', id },
  ...{ owner: null, head, incarnation: 1, row: null, before: null },
})

/** A relay whose calls the test answers, one after the other. */
const relayOf = () => {
  const stored = new Map<string, string>()
  const waits: (() => void)[] = []
  const calls: { readonly text: string; readonly answer: (isRead: boolean | Error) => void }[] = []
  const relay = new ChangeRelay({
    watchers: {
      find: (tenant) => stored.get(tenant) ?? null,
      save: (tenant, watcher) => void stored.set(tenant, watcher),
      remove: (tenant) => void stored.delete(tenant),
    },
    watcherOf: (name) => ({
      relayChanges: (_tenant, changes, hasGap) =>
        new Promise((resolve, reject) => {
          const heads = changes.map(({ key, head }) => `${key.id}@${head}`).join(' ')
          const answer = (isRead: boolean | Error) => (isRead instanceof Error ? reject(isRead) : resolve(isRead))
          calls.push({ text: `${name}: ${heads}${hasGap ? ' after a gap' : ''}`, answer })
        }),
    }),
    waitUntil: () => {},
    clock: {
      after: (_ms, call) => {
        waits.push(call)
        return () => {}
      },
    },
  })
  const answer = async (isRead: boolean | Error) => {
    const count = calls.length
    calls.at(-1)?.answer(isRead)
    await vi.waitFor(() => expect(calls.length >= count).toBe(true))
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  /** The wait after a failure is over. */
  const wake = async () => {
    waits.shift()?.()
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { relay, answer, wake, lines: () => calls.map(({ text }) => text) }
}

test('[F58] the newest change of each session waits for the call before it, and a lost call is a gap', async () => {
  const { relay, answer, wake, lines } = relayOf()
  relay.observe(changeOf('one', 1))
  expect([relay.isObserved('acme'), lines()]).toEqual([false, []])
  relay.watch('acme', 'first')
  for (const [id, head] of [
    ['one', 2],
    ['two', 1],
    ['one', 3],
    ['two', 2],
    ['one', 4],
  ] as const)
    relay.observe(changeOf(id, head))
  await answer(true)
  for (let tries = 1; tries < RELAY_TRIES_MAX; tries++) {
    await answer(new Error('unreachable'))
    await wake()
  }
  await answer(new Error('unreachable'))
  relay.observe(changeOf('three', 1))
  await answer(true)
  relay.observe(changeOf('three', 2))
  await answer(true)
  expect(lines()).toEqual([
    'first: one@2',
    ...Array.from({ length: RELAY_TRIES_MAX }, () => 'first: two@2 one@4'),
    'first: three@1 after a gap',
    'first: three@2',
  ])
})

test('[F58] a call that fails is repeated with what came meanwhile, and nothing is missing', async () => {
  const { relay, answer, wake, lines } = relayOf()
  relay.watch('acme', 'first')
  relay.observe(changeOf('one', 1))
  relay.observe(changeOf('two', 1))
  relay.observe(changeOf('one', 2))
  await answer(new Error('unreachable'))
  relay.observe(changeOf('three', 1))
  relay.observe(changeOf('two', 2))
  await wake()
  await answer(true)
  relay.observe(changeOf('two', 3))
  await answer(true)
  expect(lines()).toEqual(['first: one@1', 'first: one@2 two@2 three@1', 'first: two@3'])
})

test('[F58] an object stops to relay when nobody reads, unless a reader has come meanwhile', async () => {
  const { relay, answer } = relayOf()
  relay.watch('acme', 'first')
  relay.observe(changeOf('one', 1))
  relay.watch('acme', 'first')
  await answer(false)
  expect(relay.isObserved('acme')).toBe(true)
  relay.observe(changeOf('one', 2))
  await answer(false)
  expect(relay.isObserved('acme')).toBe(false)
})
