// The functions around a request: their order, their time and their failures.

import type { ReportItem } from '@bridle/kernel/commands'
import { flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { ModelError } from '../model/model-error.ts'
import { type Layer, surround } from './layers.ts'

const worldOf = (functions: readonly Layer<string, string>[]) => {
  const clock = new VirtualClock()
  const items: ReportItem[] = []
  const controller = new AbortController()
  const make = async (request: string) => {
    if (request === 'fail') throw new ModelError('overloaded', 'Too busy.')
    await new Promise<void>((resolve) => clock.after(1_000, resolve))
    return `made of ${request}`
  }
  const check = (returned: unknown) => {
    if (typeof returned !== 'string') throw new TypeError('no text')
    return returned
  }
  const { signal } = controller
  const ask = surround(functions, make, { phase: 'compact', clock, signal, ms: 100, check, items })
  const events = () => items.map((item) => (item.type === 'event' ? item.event.payload : null))
  return { clock, ask, events, controller }
}
const name = 'it'

test.each<[string, Layer<string, string>['call'], string, readonly object[]]>([
  ['passes on', (request, next) => next(request), 'made of x', []],
  ['changes the request', (request, next) => next(`${request}y`), 'made of xy', [{ status: 'changed' }]],
  ['changes the result', async (request, next) => `${await next(request)}!`, 'made of x!', [{ status: 'changed' }]],
  ['makes it itself', async () => 'own', 'own', [{ status: 'answered' }]],
  ['asks twice', async (request, next) => (await next('y')) && next(request), 'made of x', [{ status: 'repeated' }]],
])('[N119] a function that %s', async (_name, call, expected, events) => {
  const it = worldOf([
    { name: 'outer', call: (request, next) => next(request) },
    { name, call },
  ])
  const asked = it.ask('x')
  for (const _request of [1, 2]) {
    await flushPending()
    await it.clock.pass(1_000)
  }
  expect(await asked).toBe(expected)
  expect(it.events()).toMatchObject(events.map((event) => ({ hook: name, phase: 'compact', ...event })))
})

test.each<[string, Layer<string, string>['call'], string]>([
  ['throws', () => Promise.reject(new Error('broken')), 'broken'],
  ['returns something else', async () => 7 as never, 'no text'],
  ['never returns', () => new Promise(() => {}), 'compact took longer than 100 ms.'],
  [
    'never returns after its request',
    async (request, next) => (await next(request)) && new Promise<never>(() => {}),
    'compact took longer than 100 ms.',
  ],
])('[N120] a function that %s', async (_name, call, reason) => {
  const it = worldOf([{ name, call }])
  const asked = it.ask('x').catch((error: unknown) => error)
  for (const ms of [100, 900, 100]) {
    await flushPending()
    await it.clock.pass(ms)
  }
  expect(await asked).toMatchObject({ reason: 'middleware', retryable: false })
  expect(it.events()).toEqual([{ hook: name, phase: 'compact', status: 'error', reason }])
})

test('[N120] a failure of the request is not the function’s own, nor is the end of the run', async () => {
  const it = worldOf([{ name, call: (_request, next) => next('fail') }])
  await expect(it.ask('x')).rejects.toMatchObject({ reason: 'overloaded' })
  const over = worldOf([{ name, call: () => new Promise(() => {}) }])
  const asked = over.ask('x').catch((error: unknown) => error)
  over.controller.abort(new Error('cancelled'))
  expect(await asked).toMatchObject({ message: 'cancelled' })
  expect([it.events(), over.events()]).toEqual([[], []])
})
