// Asking an agent and following this one run, in sessions that have others.

import type { AskedRun } from '@bridle/client/fabric/ask'
import { fabricClient } from '@bridle/client/fabric/http'
import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { scriptBody } from '../http/test-client.suite.ts'

const script = (...steps: unknown[]): string => scriptBody(...steps).prompt

/** A client without a connection: its requests go straight to an app. `cut` breaks a request before or after the server has it. */
const world = (cut: (method: string, path: string) => 'before' | 'after' | null = () => null) => {
  const { app } = testApp()
  const sent: string[] = []
  const client = fabricClient({
    url: 'http://127.0.0.1',
    fetch: async (url, init) => {
      const { method = 'GET' } = init
      const { pathname } = new URL(url)
      sent.push(`${method} ${pathname}`)
      const broken = cut(method, pathname)
      if (broken === 'before') throw new TypeError('fetch failed')
      const response = await app.fetch(new Request(url, init))
      if (broken === 'after') throw new TypeError('fetch failed')
      // As a platform does: a signal ends the body, too.
      return init.signal && response.body
        ? new Response(response.body.pipeThrough(new TransformStream(), { signal: init.signal }), response)
        : response
    },
  })
  return { client, sent }
}

const textOf = async (run: AskedRun): Promise<string> => {
  let text = ''
  for await (const event of run) if (event.type === 'text_delta') text += event.data.delta
  return text
}

describe('[H133] asking', () => {
  test('each of three runs of three sessions, at the same time, has its own events and outcome', async () => {
    const { client } = world()
    const asked = ['one', 'two', 'three'].flatMap((id) =>
      [1, 2, 3].map((number) => ({
        words: `${id} ${number}`,
        run: client.ask('scripted', id, script({ text: `${id} ${number}` })),
      })),
    )
    for (const { words, run } of asked) {
      expect(await textOf(run)).toBe(words)
      expect(await run.result).toMatchObject({ status: 'completed', result: words })
    }
  })

  test('a second question in the same session gets the second answer', async () => {
    const { client } = world()
    expect(await textOf(client.ask('scripted', 's', script({ text: 'first' })))).toBe('first')
    expect(await textOf(client.ask('scripted', 's', script({ text: 'second' })))).toBe('second')
  })

  test('the outcome needs no loop, a loop may be left, and a second loop begins again', async () => {
    const { client } = world()
    const run = client.ask('scripted', 's', { prompt: script({ text: 'a', chunks: 1 }, { sleepMs: 5 }, { text: 'b' }) })
    for await (const event of run) if (event.type === 'text_delta') break
    expect(await run.result).toMatchObject({ status: 'completed' })
    expect(await textOf(run)).toBe('ab')
    expect(await client.ask('scripted', 's', script({ fail: 'broken' })).result).toMatchObject({
      status: 'failed',
      error: { message: 'broken' },
    })
  })

  test('an approval is answered while the loop waits', async () => {
    const { client } = world()
    const run = client.ask('scripted', 's', script({ approve: 'write' }, { text: 'done' }))
    for await (const event of run)
      if (event.type === 'approval_requested') await client.approve('s', event.data.approvalId)
    expect(await run.result).toMatchObject({ status: 'completed' })
  })

  test('cancel ends this run, running or queued, and no other', async () => {
    const { client } = world()
    const first = client.ask('scripted', 's', script({ approve: 'write' }, { text: 'first' }))
    await first.accepted
    const second = client.ask('scripted', 's', script({ text: 'second' }))
    await second.accepted
    const third = client.ask('scripted', 's', script({ text: 'third' }))
    await third.accepted
    await second.cancel({ reason: 'not needed' })
    expect((await second.result).status).toBe('cancelled')
    expect(await textOf(second)).toBe('')
    await first.cancel()
    expect((await first.result).status).toBe('cancelled')
    expect(await textOf(third)).toBe('third')
  })

  test('a prompt that waits hears that its session is paused and resumed', async () => {
    const { app } = testApp()
    const client = fabricClient({
      url: 'http://127.0.0.1',
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    })
    await client.ask('scripted', 's', script({ text: 'first' })).result
    await client.pause('s')
    const run = client.ask('scripted', 's', script({ text: 'second' }))
    await run.accepted
    await client.resume('s')
    const seen: string[] = []
    for await (const { type, data } of run) seen.push(type === 'operator_action' ? data.action : type)
    expect(seen).toEqual(['resume', 'prompt_start', 'text_delta', 'result', 'idle'])
  })

  test('a broken connection costs no event, and the prompt is sent once', async () => {
    let posts = 0
    let streams = 0
    const { client, sent } = world((method, path) => {
      if (method === 'POST') return ++posts === 1 ? 'before' : posts === 2 ? 'after' : null
      return path.endsWith('/stream') && ++streams === 2 ? 'before' : null
    })
    const retries: string[] = []
    const run = client.ask('scripted', 's', script({ text: 'once' }), {
      onRetry: ({ type }) => retries.push(type),
      onOpen: () => retries.push('open'),
    })
    expect(await textOf(run)).toBe('once')
    expect(retries.slice(0, 3)).toEqual(['unreachable', 'unreachable', 'open'])
    expect(sent.filter((line) => line.startsWith('POST'))).toHaveLength(3)
    expect((await client.timeline('scripted', 's')).entries.filter(({ type }) => type === 'prompt')).toHaveLength(1)
  })

  test('the same key is the same run, also after its end and between others', async () => {
    const { client } = world()
    const ask = (text: string, idempotencyKey?: string) =>
      client.ask('scripted', 's', script({ text }), idempotencyKey === undefined ? {} : { idempotencyKey })
    await ask('before').result
    const { runId } = await ask('mine', 'k').accepted
    await ask('after').result
    const again = ask('mine', 'k')
    expect(await textOf(again)).toBe('mine')
    expect(await again.result).toMatchObject({ runId, status: 'completed' })
  })

  test('a refusal is said by the loop and by the outcome, and a signal ends the reading alone', async () => {
    const { client } = world()
    const refused = client.ask('nobody', 's', 'x')
    await expect(textOf(refused)).rejects.toMatchObject({ status: 404 })
    await expect(refused.result).rejects.toMatchObject({ status: 404 })
    const leave = new AbortController()
    const run = client.ask('scripted', 's', script({ approve: 'write' }), { signal: leave.signal })
    const reading = (async () => {
      for await (const event of run) if (event.type === 'approval_requested') leave.abort(new Error('left'))
    })()
    await expect(reading).rejects.toThrow('left')
    expect((await client.session('s', 'scripted')).status).toBe('awaiting_approval')
  })

  test('a session that is removed ends the loop', async () => {
    const { client } = world()
    const run = client.ask('scripted', 's', script({ approve: 'write' }))
    const reading = (async () => {
      for await (const event of run) if (event.type === 'approval_requested') await client.remove('scripted', 's')
    })()
    await expect(reading).rejects.toMatchObject({ status: 404 })
  })
})
