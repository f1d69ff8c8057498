// Access to lines: credentials, scopes, tenants, users, tickets and private agents, as on the other sockets.
import { expect, test } from 'vitest'
import { scriptBody } from '../http/test-client.suite.ts'
import { voiceAccess } from './access.ts'
import { voiceApp } from './voice.suite.ts'

const app = () =>
  voiceApp({
    authToken: 'root',
    tokens: [
      { token: 'reader', tenants: ['acme'], scopes: ['observe'] },
      { token: 'acme', tenants: ['acme'] },
      { token: 'ada', tenants: ['acme'], user: 'ada' },
      { token: 'bo', tenants: ['acme'], user: 'bo' },
      { token: 'other', tenants: ['other'] },
    ],
  })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const text = scriptBody({ text: 'Hello' }).prompt

test.each([
  ['no credential', {}, 401],
  ['a wrong one', bearer('wrong'), 401],
  ['one that may only look', bearer('reader'), 403],
])('[V30] %s refuses the upgrade', async (_name, headers, status) => {
  const { dial, lines } = app()
  await expect(dial('/sessions/s/voice', headers as Record<string, string>)).rejects.toThrow(String(status))
  expect(lines.lines).toEqual([])
})

test('[V43] a session of another tenant is an unknown one; of another user, none', async () => {
  const { dial, lines, host } = app()
  const ada = await dial('/sessions/s/voice', bearer('ada'))
  await ada.until('session_open')
  await ada.say({ type: 'text', text })
  await ada.until('response_done')
  const session = await host.find({ tenant: 'acme', agent: 'voice', id: 's' })
  expect(session?.state.lifecycle.owner).toBe('user:ada')
  ada.hangUp()
  const bo = await dial('/sessions/s/voice?agent=hooked', bearer('bo'))
  const closed = { code: 4004, reason: 'There is no session s of the agent hooked.' }
  expect([await bo.closed(), bo.errors()]).toEqual([closed, ['not_found']])
  const other = await dial('/sessions/s/voice', bearer('other'))
  await other.until('session_open')
  expect(lines.last.request.key).toEqual({ tenant: 'other', agent: 'voice', id: 's' })
  const again = await dial('/sessions/s/voice', bearer('acme'))
  await again.until('session_open')
  expect(lines.lines.map(({ request }) => [request.user, request.owner])).toEqual([
    ['ada', 'user:ada'],
    [null, undefined],
    [null, undefined],
  ])
})

test('[V43] two users open a line to one new session: the one whose prompt makes it keeps it', async () => {
  const { dial, lines } = app()
  const ada = await dial('/sessions/new/voice?line=a', bearer('ada'))
  await ada.until('session_open')
  // The line of Bo belongs to another agent, so both are open.
  const bo = await dial('/sessions/new/voice?agent=hooked&line=b', bearer('bo'))
  await bo.until('session_open')
  await ada.say({ type: 'text', text })
  await ada.until('response_done')
  bo.hangUp()
  const late = await dial('/sessions/new/voice?line=b', bearer('bo'))
  expect(await late.closed()).toMatchObject({ code: 4004 })
  expect(lines.lines).toHaveLength(2)
})

test('[V30] a ticket for one session opens its line once, and no other', async () => {
  const { dial, ask } = app()
  const buy = async (sessionId: string) => {
    const { body } = await ask(
      'POST',
      '/tickets',
      { sessionId },
      { ...bearer('ada'), 'content-type': 'application/json' },
    )
    return String(body.ticket)
  }
  const ticket = await buy('mine')
  await (await dial(`/sessions/mine/voice?ticket=${ticket}`)).until('session_open')
  await expect(dial(`/sessions/mine/voice?ticket=${ticket}`)).rejects.toThrow('401')
  await expect(dial(`/sessions/yours/voice?ticket=${await buy('mine')}`)).rejects.toThrow('404')
})

test('[V30] in production a private agent is not spoken with', async () => {
  const { dial } = voiceApp({ exposeAll: false, expose: ['voice'] })
  const closed = await dial('/sessions/s/voice?agent=scripted')
  expect([await closed.closed(), closed.errors()]).toEqual([{ code: 1008, reason: 'Refused.' }, ['forbidden']])
  await (await dial('/sessions/s/voice')).until('session_open')
})

test.each([
  [{}, {}, true],
  [{ voiceInstructions: true }, { BRIDLE_VOICE_INSTRUCTIONS: '1' }, true],
  [{ voiceInstructions: false }, {}, false],
  [{}, { BRIDLE_VOICE_INSTRUCTIONS: '0' }, false],
  [{ voiceInstructions: true }, { BRIDLE_VOICE_INSTRUCTIONS: '0' }, false],
])('[V39] instructions with %j and %j: %s', (options, env, expected) => {
  expect(voiceAccess(options, env)).toEqual({ voiceInstructions: expected })
})
