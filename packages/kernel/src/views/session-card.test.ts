import { expect, test } from 'vitest'
import type { EngineIdentity } from '../engine-info.ts'
import { key, ManualRunner, setUp } from '../host/host.suite.ts'
import { sessionStateCard } from './session-card.ts'

const runnerOf = (identity?: EngineIdentity) => Object.assign(new ManualRunner(), identity && { identity })

test('the card names the engine that the runner of the agent names, whatever the agent is called', async () => {
  const cards = async (identity?: EngineIdentity) => {
    const runner = runnerOf(identity)
    const { host, events } = setUp({ runner: () => runner })
    await host.send(key(), { type: 'submit', prompt: 'hello' })
    const session = (await host.find(key()))!
    const appended = (await events()).filter(({ type }) => type === 'session_state').map(({ payload }) => payload)
    return [...appended, sessionStateCard(session.key, session.state, session.identity)]
  }
  for (const card of await cards({ engine: 'abacus', runnerKind: 'bridge' }))
    expect(card).toMatchObject({ agent_profile: key().agent, engine: 'abacus', runner_kind: 'bridge' })
  for (const card of await cards()) expect(card).toMatchObject({ engine: key().agent, runner_kind: 'in_process' })
})

test('a log from before runners named their engine shows it from the next card on', async () => {
  const before = setUp()
  await before.host.send(key(), { type: 'create' })
  const named = runnerOf({ engine: 'abacus', runnerKind: 'bridge' })
  const after = await before.again({ runner: () => named })
  await after.host.send(key(), { type: 'submit', prompt: 'hello' })
  const cards = (await after.events()).filter(({ type }) => type === 'session_state').map(({ payload }) => payload)
  expect(cards).toMatchObject([{ engine: key().agent }, { engine: 'abacus', runner_kind: 'bridge' }])
})
