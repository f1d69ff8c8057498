// The production gate, door by door: an agent that declares its trigger, one that the operator names, and one that is private.

import { agent } from '@bridle/agents/agent'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import type { AgentList } from '@bridle/wire/http/wire'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestSocket } from './socket-client.suite.ts'

/** The server under test serves these, beside its own `scripted`. */
export const gateAgents = [
  agent({ name: 'hooked', triggers: { webhook: true }, run: async () => 'hooked' }),
  agent({ name: 'walker', run: async () => 'walked' }),
  agent({ name: 'shy', run: async () => 'hidden' }),
]
/** `walker` is named for every door, `scripted` for `/ws` alone. */
export const gateEnv = { NODE_ENV: 'production', BRIDLE_EXPOSE: ' walker, nobody', BRIDLE_AGENT: 'scripted' }

export const productionGateContract = (start: () => Promise<{ readonly url: string; stop(): Promise<void> }>): void => {
  describe('[H16] the production gate', () => {
    let server: Awaited<ReturnType<typeof start>>
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.stop())

    const asked = async (method: string, path: string, body?: object) => {
      const leave = new AbortController()
      const init = { method, signal: leave.signal, headers: { 'content-type': 'application/json' } }
      const response = await fetch(`${server.url}${path}`, body ? { ...init, body: JSON.stringify(body) } : init)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const text = isStream ? '' : await response.text()
      leave.abort()
      return { code: response.status, text }
    }
    /** 1008 and its words, or the code 101 when the socket stays open. */
    const socket = async (path: string) => {
      const { ws, until, closed } = await openTestSocket(`${server.url}${path}`)
      const [first] = await until((all) => all.length > 0)
      const isRefused = first?.type === 'error'
      const code = isRefused ? (await closed).code : 101
      ws.terminate()
      return { code, text: JSON.stringify(first) }
    }
    const doors: readonly [string, (agent: string, id: string) => Promise<{ code: number; text: string }>][] = [
      ['invoke', (name, id) => asked('POST', `/agents/${name}/${id}-i`, { prompt: 'x' })],
      ['invoke in an old session', (name, id) => asked('POST', `/agents/${name}/${id}`, { prompt: 'x' })],
      ['its stream', (name, id) => asked('GET', `/agents/${name}/${id}/stream`)],
      ['its timeline', (name, id) => asked('GET', `/agents/${name}/${id}`)],
      ['a background session', (name) => asked('POST', '/sessions', { agent: name, prompt: 'x' })],
      ['a chat session', (name) => asked('POST', '/chat/sessions', { agent: name })],
      ['a turn', (_name, id) => asked('POST', `/chat/sessions/${id}/turns`, { prompt: 'x' })],
      ['a branch', (_name, id) => asked('POST', `/chat/sessions/${id}/branch`, { from_event_id: 'ev-1' })],
      ['a resume', (_name, id) => asked('POST', `/sessions/${id}/resume`, { from_event_id: 'ev-1', prompt: 'x' })],
      ['a signal', (_name, id) => asked('POST', `/sessions/${id}/signal`, { name: 'go' })],
      ['the Fabric socket', (_name, id) => socket(`/sessions/${id}/ws?replay=all`)],
      ['/ws by session', (name, id) => socket(`/ws?sessionId=${id}-new&agent=${name}`)],
      ['/ws by user', (name, id) => socket(`/ws?userId=${id}&agent=${name}`)],
      ['erasing', (name, id) => asked('DELETE', `/agents/${name}/${id}`)],
    ]
    const sessionOf = async (name: string, id: string) => {
      const { ws, say } = await openTestSocket(`${server.url}/ws?sessionId=${id}&agent=${name}`)
      say({ type: 'commands', commands: [{ type: 'submit', prompt: '@script []' }] })
      await vi.waitFor(async () => expect((await get(`${server.url}/sessions/${id}`)).body.status).toBe('idle'), {
        timeout: 20_000,
      })
      ws.terminate()
    }

    test.each(['hooked', 'walker'])('%s is open on every door', async (name) => {
      await sessionOf(name, `${name}-s`)
      for (const [door, call] of doors) {
        const { code } = await call(name, `${name}-s`)
        // A session at rest takes no signals: the gate has let this one through.
        expect([door, code]).toEqual([door, expect.toBeOneOf(door === 'a signal' ? [409] : [101, 200, 201, 202])])
      }
    })

    test('a private agent is refused on every door, in words that open it; /ws is open for the agent of BRIDLE_AGENT', async () => {
      await sessionOf('scripted', 'scripted-s')
      for (const [door, call] of doors.filter(([each]) => !each.startsWith('/ws'))) {
        const { code, text } = await call('scripted', 'scripted-s')
        expect([door, code]).toEqual([door, expect.toBeOneOf([403, 1008])])
        expect(text).toContain('To open it, add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=walker,scripted)')
      }
      for (const [door, call] of doors.filter(([each]) => each.startsWith('/ws'))) {
        expect([door, (await call('scripted', 'mine')).code]).toEqual([door, 101])
        const { code, text } = await call('shy', 'mine')
        expect([door, code]).toEqual([door, 1008])
        expect(text).toContain(
          'In production the agent \\"shy\\" is private. To open it, declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=walker,shy), or BRIDLE_AGENT=shy for /ws alone.',
        )
      }
      const { sessions } = (await get(`${server.url}/sessions?agent=shy`)).body
      expect(sessions).toEqual([])
    })

    test('[H75] lists say which agents are private, in words that open them', async () => {
      const shy =
        'In production the agent "shy" is private. To open it, declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=walker,shy).'
      for (const path of ['/agents', '/ready']) {
        const { agents } = (await get(`${server.url}${path}`)).body as unknown as AgentList
        const closed = (name: string) => agents.find((each) => each.name === name)?.closed
        expect([path, closed('hooked'), closed('walker'), closed('shy')]).toEqual([path, undefined, undefined, shy])
      }
    })

    test('whoever operates may look at a private agent’s session, and stop it', async () => {
      await sessionOf('scripted', 'stopped')
      expect((await get(`${server.url}/sessions/stopped`)).status).toBe(200)
      expect((await asked('GET', '/sessions/stopped/events')).code).toBe(200)
      expect((await post(`${server.url}/sessions/stopped/cancel`, {})).status).toBe(200)
    })
  })
}
