// A shell tells the engine what became of its directives.
import { expect, test } from 'vitest'
import { failure, question, say, stubShell, success } from './stub-engine.suite.ts'

const PROFILE = 'openharness.execution_feedback'
const capabilities = { [PROFILE]: true }
const taking = (response: object) => ({ ...response, supported_capabilities: capabilities })
const odd = { action_type: 'com.example.odd', payload: {} }

test('[OH94] the next intent brings the feedback to an engine that takes it, once', async () => {
  const first = taking(success(say('One'), odd))
  const { shell, requests } = stubShell([first, taking(success()), taking(success())], { capabilities })
  const { requestId } = await shell.send('a')
  await shell.send('b')
  await shell.send('c')
  expect(requests.map(({ request }) => request.extensions)).toEqual([
    undefined,
    {
      [PROFILE]: [
        expect.objectContaining({ request_id: requestId, index: 0, outcome: 'executed' }),
        expect.objectContaining({ index: 1, outcome: 'skipped', code: 'unknown_action_type' }),
      ],
    },
    undefined,
  ])
})

test('[OH94] an answer to a question brings feedback, too; an intent brings the rest, and again where no response came', async () => {
  let sent = 0
  const scripted = [
    taking(success(question('r1'))),
    taking(success(odd)),
    null,
    taking(failure({ code: 'x' })),
    taking(success()),
  ]
  const stub = stubShell([], {
    capabilities,
    handlers: { request_approval: () => 'approve' },
    transport: async (request) => {
      stub.requests.push(structuredClone(request))
      const response = scripted[sent++]
      if (response === null) throw new Error('cut off')
      return response
    },
  })
  await stub.shell.send('a')
  for (const intent of ['b', 'c', 'd']) await stub.shell.send(intent)
  const counts = stub.requests.map(({ request }) => (request.extensions?.[PROFILE] as unknown[] | undefined)?.length)
  expect(counts).toEqual([undefined, 1, 1, 1, undefined])
})

test('[OHS59] sendFeedback sends what waits in a request of its own, once, and nothing where there is none', async () => {
  const { shell, requests } = stubShell([taking(success(say('One'), odd)), taking(success())], { capabilities })
  expect((await shell.sendFeedback()).responses).toEqual([])
  await shell.send('a')
  const turn = await shell.sendFeedback({ requestId: 'own' })
  expect([turn.status, turn.requestId, turn.responses.length]).toEqual(['success', 'own', 1])
  expect((await shell.sendFeedback()).responses).toEqual([])
  expect(requests).toHaveLength(2)
  const { context, extensions } = requests[1]?.request ?? {}
  expect([context?.user_intent, context?.continuation, context?.session_id]).toEqual([
    undefined,
    undefined,
    shell.sessionId,
  ])
  expect(extensions?.[PROFILE]).toMatchObject([{ outcome: 'executed' }, { outcome: 'skipped' }])
})

test.each([
  ['the engine does not take it', capabilities, {}],
  ['the shell does not have the capability', {}, { supported_capabilities: capabilities }],
])('[OH94] no feedback is sent where %s', async (_name, own, engine) => {
  const { shell, requests } = stubShell([{ ...success(say('One')), ...engine }], { capabilities: own })
  for (const intent of ['a', 'b', 'c']) await shell.send(intent)
  expect(requests.map(({ request }) => request.extensions)).toEqual([undefined, undefined, undefined])
})
