import type { JsonObject } from '@bridle/events/json'
import { expect, test } from 'vitest'
import { denyRule, RecordingTurn } from '../recording-turn.suite.ts'
import { answerServerRequest } from './approvals.ts'
import { newTurnState } from './events/turn-state.ts'

const asked = (method: string, params: JsonObject = {}) => ({ id: 1, method, params: { itemId: 'c', ...params } })
const command = asked('item/commandExecution/requestApproval', { command: 'ls', cwd: '/w' })
const permissions = asked('item/permissions/requestApproval', { permissions: { network: true }, cwd: '/w' })

const edited = () => new RecordingTurn(() => ({ decision: 'approved', input: { command: 'rm' } }))
const sorted = () => new RecordingTurn(() => ({ decision: 'approved', input: { cwd: '/w', command: 'ls' } }))

test.each<[string, ReturnType<typeof asked>, RecordingTurn, JsonObject | null]>([
  ['approved', command, new RecordingTurn(), { decision: 'accept' }],
  ['approved, its keys in another order', command, sorted(), { decision: 'accept' }],
  ['approved as something else', command, edited(), { decision: 'decline' }],
  ['denied', command, new RecordingTurn(denyRule('No.')), { decision: 'decline' }],
  ['permissions, approved', permissions, new RecordingTurn(), { permissions: { network: true }, scope: 'turn' }],
  ['permissions, denied', permissions, new RecordingTurn(denyRule('No.')), { permissions: {}, scope: 'turn' }],
  ['something new', asked('something/new'), new RecordingTurn(), null],
])('%s', async (_name, question, turn, expected) =>
  expect(await answerServerRequest(question, newTurnState('t'), turn)).toEqual(expected),
)

test('a call is made as it was asked for, or not at all', async () => {
  const turn = new RecordingTurn()
  for (const question of [command, permissions]) await answerServerRequest(question, newTurnState('t'), turn)
  expect(turn.asked.map(({ fixed }) => fixed)).toEqual([true, true])
})

test('what is asked beyond the command is part of what is approved', async () => {
  const turn = new RecordingTurn()
  const network = { host: 'example.com' }
  await answerServerRequest(
    { ...command, params: { ...command.params, networkApprovalContext: network } },
    newTurnState('t'),
    turn,
  )
  expect(turn.asked[0]!.input).toEqual({ command: 'ls', cwd: '/w', networkApprovalContext: network })
})

test('a call that is asked about twice has two questions', async () => {
  const [turn, seen] = [new RecordingTurn(), newTurnState('t')]
  for (let times = 0; times < 2; times++) await answerServerRequest(command, seen, turn)
  expect(turn.asked.map(({ toolUseId }) => toolUseId)).toEqual(['c', 'c:2'])
})
