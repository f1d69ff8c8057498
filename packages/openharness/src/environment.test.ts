import { expect, test } from 'vitest'
import { ENVIRONMENTS_MAX } from './environment.ts'
import { ShellFault } from './messages/fault.ts'
import { createShell } from './shell.ts'
import { stubShell, success } from './stub-engine.suite.ts'

test('[OHS66] a turn that is sent again has the environment of the first time, and every other turn a new one', async () => {
  const state = { privacy_tier: 'public' as const, reads: 0 }
  const environment = () => {
    state.reads += 1
    return state
  }
  const { shell, requests } = stubShell([null, null, success()], { environment })
  const [first, second] = [await shell.send('One'), await shell.send('Two')]
  await shell.send('One', { requestId: first.requestId })
  await shell.send('Two', { requestId: second.requestId })
  await shell.send('Three')
  expect(requests.map(({ request }) => request.context?.environment_state)).toEqual(
    [1, 2, 1, 2, 3].map((reads) => ({ privacy_tier: 'public', reads })),
  )
  for (let turn = 0; turn < ENVIRONMENTS_MAX; turn += 1) await shell.send('More')
  await shell.send('One', { requestId: first.requestId })
  expect(requests.at(-1)?.request.context?.environment_state).toMatchObject({ reads: 4 + ENVIRONMENTS_MAX })
})

test('[OHS66] a state that cannot be read is read again', async () => {
  let reads = 0
  const environment = () => {
    reads += 1
    if (reads === 1) throw new Error('no device')
    return { privacy_tier: 'secret' as const }
  }
  const { shell } = stubShell([success()], { environment })
  await expect(shell.send('One', { requestId: 'r' })).rejects.toThrow(ShellFault)
  expect((await shell.send('One', { requestId: 'r' })).status).toBe('success')
})

test('[OHS67] the shell sends nothing about the device that the program did not give', async () => {
  const sent: unknown[] = []
  const shell = createShell({
    handlers: {},
    transport: async (request) => {
      sent.push(request.request)
      return success()
    },
  })
  await shell.send('Hello')
  expect(sent).toEqual([{ context: { session_id: shell.sessionId, user_intent: 'Hello' } }])
})
